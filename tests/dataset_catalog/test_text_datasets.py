"""The text datasets as they are: fetched for real, and counted as they were when they were chosen."""

from pathlib import Path

import pytest

from dataset_catalog import cards, load

FACTS: dict[str, tuple[int, int, int, int, tuple[str, float], tuple[int, int] | None]] = {
    # rows, classes, rows of the smallest class, repeated texts, the largest class and its share, rows of the official parts
    "election_tweets": (5722, 2, 2629, 8, ("realDonaldTrump", 0.5405), None),
    "fine_foods": (5000, 2, 1742, 27, ("great", 0.6516), (4000, 1000)),
    "hutto_amazon": (3610, 2, 1482, 10, ("pos", 0.5895), None),
    "hutto_tweets": (4196, 2, 1299, 0, ("pos", 0.6904), None),
    "news20": (18821, 20, 628, 34, ("rec.sport.hockey", 0.0531), (11293, 7528)),
    "reuters_r52": (9100, 52, 3, 103, ("earn", 0.4311), (6532, 2568)),
    "rt_snippets": (12752, 2, 5384, 0, ("fresh", 0.5778), None),
    "sms_spam": (5574, 2, 747, 403, ("ham", 0.866), None),
    "spamassassin": (6046, 2, 1896, 116, ("ham", 0.6864), None),
    "trec6": (5382, 6, 86, 1, ("ENTY", 0.2313), None),
    "tweets_3way": (31813, 3, 4343, 0, ("negative", 0.4821), None),
    "women_recommend": (22641, 2, 4101, 7, ("1", 0.8189), None),
    "wordnet_lexname": (117659, 45, 42, 626, ("adj.all", 0.1227), None),
    "zh_reviews": (17411, 2, 8379, 0, ("neg", 0.5188), None),
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("datasets")


def test_the_facts_are_of_every_text_dataset_that_does_not_drift() -> None:
    assert set(FACTS) == {each.name for each in cards(modality="text") if not each.drifts}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FACTS))
def test_a_text_dataset_is_what_it_was(name: str, cache: Path) -> None:
    dataset = load(name, cache=cache)
    frame, card = dataset.frame, dataset.card
    rows, classes, smallest, repeated, (largest, share), parts = FACTS[name]
    counts = frame[card.target].value_counts()
    assert (len(frame), len(counts), counts.min(), len(frame) - frame["text"].nunique()) == (rows, classes, smallest, repeated)
    assert (counts.index[0], round(counts.iloc[0] / rows, 4)) == (largest, share)
    assert not frame.isna().any().any()
    assert list(frame.columns) == ["text", *(["split"] if parts else []), card.target]
    if parts:
        found = frame["split"].value_counts()
        assert (found["training"], found["test"]) == parts


@pytest.mark.slow
def test_what_drifts_is_read_and_never_compared(cache: Path) -> None:
    dataset = load("debian_section", cache=cache)
    assert dataset.card.fingerprint is None
    assert len(dataset.frame) > 40_000
    assert {"libs", "python", "games"} <= set(dataset.frame["section"])
    assert not dataset.frame["text"].duplicated().any()
