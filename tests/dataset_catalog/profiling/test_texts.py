"""Prose is told from categories, measured in tokens and characters, and its language recognised."""

import numpy as np
import pandas as pd
import pytest

from dataset_catalog import profile
from dataset_catalog.profiling._languages import languages
from dataset_catalog.profiling._texts import character_counts, token_counts

ENGLISH = "The weather was bad, and {} people stayed at home to read the newspaper."
GERMAN = "Das Wetter war schlecht, und {} Leute blieben zu Hause und lasen die Zeitung."
FRENCH = "Il faisait mauvais temps et {} personnes sont restées à la maison pour lire."
CHINESE = "今天天气不好，{}个人留在家里看报纸。"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("  \t\n", 0),
        ("a good film", 3),
        ("don't stop!", 5),
        ("x_1 = 2.5", 7),
        ("naïve café", 2),
        ("很好看", 3),
        ("iPhone很好!", 4),
        ("ひらがな", 4),
        ("한국어 영화", 2),
        ("👍👍", 2),
        ("a\u200bb", 2),
    ],
)
def test_tokens(text, tokens):
    assert token_counts(np.array([text], dtype=object)).tolist() == [tokens]


def test_characters_are_not_bytes():
    assert character_counts(np.array(["很好", "né", "\ud800x"], dtype=object)).tolist() == [2, 2, 2]


def many(*sentences, rows=60):
    return [sentences[number % len(sentences)].format(number) for number in range(rows)]


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (many(ENGLISH), ("en",)),
        (many(CHINESE), ("zh",)),
        (many(GERMAN), ("de",)),
        (many(FRENCH), ("fr",)),
        (many(GERMAN, ENGLISH, ENGLISH), ("en", "de")),
        (many("{} 000 17"), None),
        ([], None),
    ],
)
def test_languages(texts, told):
    assert languages(texts) == told


def test_lengths_are_of_all_cells_and_missing_ones_count_for_nothing():
    frame = pd.DataFrame({"t": [*many("one two {} three four"), None], "y": [0, 1] * 30 + [0]})
    found = profile(frame, "y", "text_classification")
    assert (found.nr_text, found.text_share) == (1, 1)
    assert found.text_tokens.model_dump() == {"mean": 5, "sd": 0, "min": 5, "max": 5, "median": 5, "p95": 5}
    assert found.text_chars.max == len("one two 59 three four")


def test_chinese_without_spaces_is_prose_too():
    found = profile(pd.DataFrame({"t": many(CHINESE), "y": [0, 1] * 30}), "y", "text_classification")
    assert (found.nr_text, found.languages) == (1, ("zh",))
    assert found.text_tokens.mean == pytest.approx(17, abs=1)


def test_few_long_values_are_categories():
    frame = pd.DataFrame({"k": ["a very long name of a level", "another long name of one"] * 100, "y": [0, 1, 1, 0] * 50})
    assert profile(frame, "y", "binary").nr_cat == 1


def test_a_linear_model_reads_words():
    rng = np.random.default_rng(0)
    common = np.array(["film", "actor", "story", "scene", "end", "music", "plot"])
    good = rng.random(400) < 0.5
    texts = [" ".join([*rng.choice(common, 8), "splendid" if yes else "dreadful", str(number)]) for number, yes in enumerate(good)]
    found = profile(pd.DataFrame({"t": texts, "y": good}), "y", "text_classification")
    assert found.linear_discr.mean > 0.95
    assert found.best_node.mean > 0.95
    assert found.naive_bayes.mean is None
    noise = profile(pd.DataFrame({"t": texts, "y": rng.permutation(good)}), "y", "text_classification")
    assert abs(noise.linear_discr.mean) < 0.3
    chinese = [("很好看" if yes else "不好看") + text for yes, text in zip(good, many(CHINESE, rows=400), strict=True)]
    assert profile(pd.DataFrame({"t": chinese, "y": good}), "y", "text_classification").linear_discr.mean > 0.9
