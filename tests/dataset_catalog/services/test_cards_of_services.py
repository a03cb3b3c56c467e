"""Own cards whose datasets lie at services: loaded by the catalogue as any other, and checked by their fingerprint."""

from pathlib import Path

import pytest
import yaml

from dataset_catalog import CatalogError, DatasetCard, Loader, fingerprint, load_card, read_card
from dataset_catalog.sources import describe, read_service
from tests.dataset_catalog.services import test_huggingface, test_openml
from tests.dataset_catalog.services.loopback import Loopback


@pytest.fixture
def services(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    monkeypatch.setenv("OPENML_SERVER", loopback.url)
    monkeypatch.setenv("HF_ENDPOINT", loopback.url)
    test_openml.publish(loopback)
    test_huggingface.publish(loopback)
    return loopback


def written(cache: Path, source: str, asked: Loader, positive: str) -> DatasetCard:
    """Return the card that adding a dataset would write, read back from its file."""
    facts = describe(source, asked, cache)
    frame = read_service(source, facts.loader, cache, offline=True)
    features = [column for column in frame.columns if column != facts.target]
    card = {
        "name": "mine",
        "title": facts.title,
        "source": source,
        "loader": facts.loader.model_dump(mode="json", exclude_defaults=True),
        "target": facts.target,
        "task": "binary",
        "positive": positive,
        "role": "training",
        "family": "mine",
        "licence": facts.licence,
        "citation": facts.citation,
        "metric": "auc",
        "split": {"kind": "column", "column": facts.split_column} if facts.split_column else {},
        "rows": len(frame),
        "fingerprint": fingerprint(frame[[*features, facts.target]]),
    }
    path = cache / "mine.yaml"
    path.write_text(yaml.safe_dump(card))
    return read_card(path)


@pytest.mark.parametrize(
    ("source", "asked", "positive"),
    [("openml", Loader(data_id=77), "b"), ("huggingface", Loader(dataset=test_huggingface.NAME), "good")],
)
def test_a_card_loads_what_it_was_written_from(services: Loopback, tmp_path: Path, source: str, asked: Loader, positive: str) -> None:
    card = written(tmp_path, source, asked, positive)
    asked_before = len(services.asked)
    dataset = load_card(card, cache=tmp_path, offline=True)
    assert dataset.frame.columns[-1] == card.target
    assert len(services.asked) == asked_before
    assert load_card(card, cache=tmp_path / "elsewhere").fingerprint == dataset.fingerprint


def test_content_that_has_changed_at_the_service_is_refused(services: Loopback, tmp_path: Path) -> None:
    card = written(tmp_path, "openml", Loader(data_id=77), "b")
    test_openml.publish(services, arff=test_openml.ARFF.replace(b"4.25", b"4.5"))
    with pytest.raises(CatalogError, match=r"mine: loading gave 4 rows with fingerprint .* its card expects"):
        load_card(card, cache=tmp_path / "elsewhere")
