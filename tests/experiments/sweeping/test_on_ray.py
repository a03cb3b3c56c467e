import pytest

from experiments import ExperimentError, Home
from experiments.journaling import Journal
from experiments.sweeping import SweepPlan, run_plan


@pytest.mark.usefixtures("ray_here")
def test_a_sweep_on_warm_workers(home: Home, toy_plan: SweepPlan) -> None:
    outcome = run_plan(toy_plan, home, workers=2, track=False)
    assert (outcome.ran, outcome.statuses) == (4, {"completed": 4})
    assert outcome.idle_seconds is not None
    assert len(Journal(home.journal).records(toy_plan.sweep_id)) == 4
    assert (home.trials / f"{toy_plan.sweep_id}.parquet").is_file()


def test_a_journal_that_cannot_be_written_is_one_line(home: Home, toy_plan: SweepPlan) -> None:
    from experiments.journaling import JournalRecorder

    from .conftest import InProcessPool

    pool = InProcessPool(home)
    blocked = home.root / "blocked"
    home.root.mkdir(parents=True, exist_ok=True)
    blocked.write_text("a file stands where the folder should be")
    pool._engine._recorder = JournalRecorder(blocked / "journal")
    with pytest.raises(ExperimentError, match=r"could not be journaled: .*blocked"):
        run_plan(toy_plan, home, pool=pool, track=False)
