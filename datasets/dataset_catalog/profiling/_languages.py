"""Which languages texts are written in."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable
from typing import Any

_CELLS = 300
_CHARACTERS = 1000
_SURE = 0.5
_SHARE = 0.1
_NO_LANGUAGE = "zxx"


def languages(texts: Iterable[str]) -> tuple[str, ...] | None:
    """Return the ISO 639 codes of the languages of a tenth or more of ``texts``, the most frequent first; ``None`` when none can be told.

    The first 300 texts are looked at, 1,000 characters of each, one by one by py3langid's bundled model (Lui and Baldwin, 2012); those that
    it is not sure of are left out.
    """
    told: Counter[str] = Counter()
    for _, text in zip(range(_CELLS), texts, strict=False):
        language, confidence = _identifier().classify(text[:_CHARACTERS].encode("utf-8", "replace").decode())
        if language != _NO_LANGUAGE and confidence >= _SURE:
            told[language] += 1
    frequent = [(-count, language) for language, count in told.items() if count >= _SHARE * told.total()]
    return tuple(language for _, language in sorted(frequent)) or None


@functools.cache
def _identifier() -> Any:
    """Take half a second, so only when there is text."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
