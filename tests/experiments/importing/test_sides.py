"""The held-out line holds for trials from elsewhere, whatever they say of themselves."""

import pytest

from dataset_catalog import card
from experiments._home import Home
from experiments._mine import held_out
from experiments.importing import import_trials
from experiments.importing._checking import Checker
from experiments.importing._rows import RowError
from experiments.journaling import Journal

from .trials import made, written

HELD_OUT = card("bank_marketing")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"role": "training"}, "bank_marketing is held_out by the role book (bank_marketing), and the row says training"),
        ({"role": "training", "dataset": "mine"}, "mine is held_out by the role book (bank_marketing)"),
        ({"role": "training", "fingerprint": "0" * 64}, "bank_marketing is held_out by the role book"),
        ({"role": "training", "dataset": "mine", "fingerprint": "0" * 64}, "which stands on the other side of the held-out line"),
        ({"role": "training", "dataset": "mine", "fingerprint": "0" * 64, "family": "mine"}, "there is no dataset 'mine'"),
        ({"fingerprint": "0" * 64}, "the row says fingerprint 0000"),
        ({"family": "mine"}, "the row says family mine"),
    ],
)
def test_a_row_on_another_side_than_the_books_is_refused(home: Home, tmp_path, changes, said) -> None:
    sound, false = made(["adult"], 1), [each.model_copy(update=changes) for each in made(["bank_marketing"], 1)]
    outcome = import_trials([written(tmp_path / "t.parquet", sound + false)], home)
    (told,) = outcome.skipped
    assert (told.row, told.kind) == (2, "refused")
    assert said in told.reason
    assert "\n" not in told.reason
    assert Journal(home.journal).records() == sound


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"role": "held_out"}, "adult is training by the role book"),
        ({"role": "held_out", "dataset": "x", "fingerprint": "0" * 64}, "on the other side of the held-out line than held_out"),
        ({"dataset": "phoneme"}, "the row says name phoneme, the role book has locked adult"),
        ({"task": "multiclass"}, "the row says task multiclass, its card binary"),
        ({"direction": "minimize"}, "the row says direction minimize, its card maximize"),
        ({"trial_id": "../../x"}, "no trial id"),
        ({"trial_id": "a.partial-00001"}, "no trial id"),
        ({"sweep_id": "../x"}, "no sweep id"),
        ({"seed": -1}, "seed is below 0"),
        ({"n_parameters": 2**63}, "n_parameters is below 0 or takes more than 64 bits"),
        ({"test_score": float("nan")}, "not finite"),
        ({"error": "\ud800"}, "no Unicode"),
    ],
)
def test_a_trial_that_the_journal_could_not_keep_or_mine_is_refused(home: Home, changes, said) -> None:
    with pytest.raises(RowError) as caught:
        Checker(home).journal_text(made(["adult"], 1)[0].model_copy(update=changes))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_held_out_and_users_trials_are_taken_as_such(home: Home, tmp_path) -> None:
    looks = made(["bank_marketing"], 1, sweep="validation-1")
    own = made(["adult"], 1, sweep="automl-1", role="user", dataset="table", family="table", fingerprint="f" * 64)
    assert import_trials([written(tmp_path / "t.parquet", looks + own)], home).skipped == ()
    assert Journal(home.journal).records(role="held_out") == looks
    assert Journal(home.journal).records(role="user") == own


def test_what_was_validated_on_here_is_no_training_data(home: Home) -> None:
    record = made(["adult"], 1)[0]
    Journal(home.journal).append(record.model_copy(update={"role": "held_out", "trial_id": "look", "sweep_id": "validation-1"}))
    assert record.fingerprint in held_out(home).fingerprints
    with pytest.raises(RowError, match="adult was validated on as held-out data here"):
        Checker(home).journal_text(record)
