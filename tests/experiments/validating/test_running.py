"""Both arms for real: Ludwig on warm workers under Ray Tune, journaled as held-out, the same whatever runs beside them."""

from __future__ import annotations

import shutil

import pytest

from automl import TrialResult, WorkerPool
from experiments.journaling import Journal, JournalRecorder
from experiments.validating import RayRunner


def told(result: TrialResult) -> tuple[object, ...]:
    """What repeats when a trial is run again: all but the clock and the memory. Both arms may have run the same trial at the same time."""
    return result.trial_id, result.status, result.validation_score, result.test_score, [each.score for each in result.curve]


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("ray_here")
def test_searches_run_side_by_side_and_come_to_the_same_alone(plan, tmp_path) -> None:
    first = [job for job in plan.jobs if job.seed == 0 and job.dataset == "concrete"]
    with WorkerPool(tmp_path / "prepared", JournalRecorder(tmp_path / "journal"), workers=2) as pool:
        together = {job.arm: outcome for job, outcome in RayRunner(pool)(first)}
        began = {each.trial_id: each.started_at for each in Journal(tmp_path / "journal").records("validation-made")}
        ((_, again),) = RayRunner(pool)(first[:1])
        records = Journal(tmp_path / "journal").records("validation-made")
        shutil.rmtree(tmp_path / "journal")
        ((_, alone),) = RayRunner(pool)(first[:1])
    assert set(together) == {"candidate", "untuned"}
    for outcome in (*together.values(), alone):
        assert outcome.error is None
        assert len(outcome.result.trials) == 2
    assert together["candidate"].result.origins[0] == "seed"
    assert set(together["untuned"].result.origins) == {"sampler"}
    beside, by_itself = together[first[0].arm].result, alone.result
    assert [each.trial_id for each in beside.trials] == [each.trial_id for each in by_itself.trials]
    assert [each.test_score for each in beside.trials] == [each.test_score for each in by_itself.trials]
    assert [told(each) for each in again.result.trials] == [told(each) for each in beside.trials]
    assert {each.trial_id: each.started_at for each in records} == began  # taken from the journal: nothing ran again
    assert {each.role for each in records} == {"held_out"}
    assert {each.trial_id for each in records} == {trial.trial_id for outcome in together.values() for trial in outcome.result.trials}
