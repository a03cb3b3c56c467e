"""Prose: which columns are it, and how long and in which languages it is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dataset_catalog.profiling._figures import Whole

Strings = npt.NDArray[np.object_]

_SINGLE = r"\p{Han}\p{Hiragana}\p{Katakana}"
_TOKEN = rf"[{_SINGLE}\p{{P}}\p{{S}}]|[^\s\p{{P}}\p{{S}}\p{{Z}}\p{{C}}{_SINGLE}]+"
_FEWEST_TOKENS = 3.0
_FEWEST_LEVELS = 20
_DISTINCT = 0.2


def token_counts(strings: Strings) -> Whole:
    """Count the tokens of each string: runs of letters and digits, punctuation signs, single Chinese and Japanese characters.

    BERT's basic tokeniser (Devlin et al., 2019) parts text in this way before it looks into words.
    """
    return _counted(pc.count_substring_regex(_arrow(strings), pattern=_TOKEN))


def character_counts(strings: Strings) -> Whole:
    """Count the characters of each string."""
    return _counted(pc.utf8_length(_arrow(strings)))


def prose_tokens(strings: Strings, counts: Whole, *, of_text: bool) -> Whole | None:
    """Count the tokens of a column's distinct strings, ``counts`` cells of each; ``None`` when it holds categories rather than prose.

    ``of_text``: the task is one of text, where few rows may be prose too.
    """
    cells = int(counts.sum())
    if len(strings) < _DISTINCT * cells or not (of_text or len(strings) > _FEWEST_LEVELS):
        return None
    tokens = token_counts(strings)
    return tokens if float((tokens * counts).sum()) >= _FEWEST_TOKENS * cells else None


def _arrow(strings: Strings) -> pa.Array:
    try:
        return pa.array(strings, type=pa.large_string())
    except UnicodeEncodeError:  # half of a surrogate pair
        return pa.array([text.encode("utf-8", "replace").decode() for text in strings], type=pa.large_string())


def _counted(counts: pa.Array) -> Whole:
    return np.asarray(counts.to_numpy(zero_copy_only=False), dtype=np.int64)
