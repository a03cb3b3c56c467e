"""Bytes to text: which encoding it is, or that it is no text at all."""

from __future__ import annotations

import codecs
from pathlib import Path

from dataset_catalog._errors import CatalogError

_KNOWN = {
    b"%PDF": "a PDF document",
    b"SQLite format 3": "an SQLite database",
    b"\x89HDF": "an HDF5 file",
    b"\x93NUMPY": "a NumPy array",
    b"RDX": "R's workspace",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\x7fELF": "a program",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"FEA1": "a Feather file of the first version",
}
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 65536


def text_of(content: bytes, path: Path, notes: list[str]) -> str:
    """Return ``content`` as text: by its mark, else UTF-16 by its zero bytes, else UTF-8, else Windows-1252 or Latin-1, which is noted.

    Raises :class:`CatalogError` for binary data, by name where its first bytes tell.
    """
    for magic, what in _KNOWN.items():
        if content.startswith(magic):
            raise CatalogError(f"{path}: this is {what}; save the table as CSV or Parquet")
    if content[257:262] == b"ustar":
        raise CatalogError(f"{path}: this is a tar archive; unpack it, and name the table")
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), None) or _without_mark(content[:_SAMPLE])
    if encoding is not None:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            raise CatalogError(
                f"{path}: starts like {encoding.upper()[:6]} text but is not; save the table as UTF-8 CSV or Parquet"
            ) from None
    sample = content[:_SAMPLE]
    control = sum(byte < 9 or 13 < byte < 32 for byte in sample)
    if b"\x00" in content or control > len(sample) // 100:
        raise CatalogError(f"{path}: holds binary data, not a table; CSV, Parquet, ARFF, JSON lines and spreadsheets can be read")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _eight_bits(content, notes)


def _without_mark(sample: bytes) -> str | None:
    """Recognise UTF-16 without a mark: nearly every second byte of Western text is zero."""
    if len(sample) < 4:
        return None
    pairs = len(sample) // 2
    odd, even = sample[1 : 2 * pairs : 2].count(0), sample[0 : 2 * pairs : 2].count(0)
    if odd > 0.7 * pairs and even == 0:
        return "utf-16-le"
    if even > 0.7 * pairs and odd == 0:
        return "utf-16-be"
    return None


def _eight_bits(content: bytes, notes: list[str]) -> str:
    """In Latin-1 the bytes from 80 to 9F are control characters, which nobody writes: where they occur it is Windows-1252."""
    if any(0x80 <= byte <= 0x9F for byte in set(content)):
        try:
            text = content.decode("cp1252")
        except UnicodeDecodeError:
            pass
        else:
            notes.append("the text is not UTF-8: it was read as Windows-1252")
            return text
    notes.append("the text is not UTF-8: it was read as Latin-1")
    return content.decode("latin-1")
