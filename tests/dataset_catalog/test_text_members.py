"""The readers of the text datasets' own formats, on small members of our own making."""

import base64
import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from dataset_catalog import CatalogError, Loader, load_frame
from dataset_catalog.sources import read_packaged
from dataset_catalog.sources._unpacking import read_members


def packed(folder: Path, members: dict[str, bytes]) -> Path:
    path = folder / "archive.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def read(folder: Path, contents: dict[str, bytes], /, **loader: object) -> pd.DataFrame:
    return read_packaged(packed(folder, contents), Loader.model_validate({"package": "made", **loader}))


def rows(frame: pd.DataFrame) -> list[tuple]:
    return list(frame.itertuples(index=False, name=None))


def test_orange_tables_in_two_parts(tmp_path: Path) -> None:
    head = "Category\tText\nd\tstring\nclass\t\n"
    found = read(
        tmp_path,
        {"d/a-train.tab": f"{head}x\tone two\n\t\n".encode(), "d/a-test.tab": f'{head}y\t"He said ""no""."\n'.encode()},
        reader="orange",
        members=[{"names": ["d/a-train.tab"], "adds": {"split": "training"}}, {"names": ["d/a-test.tab"], "adds": {"split": "test"}}],
        needed=["Category"],
        columns={"text": "Text", "split": "split", "topic": "Category"},
    )
    assert list(found.columns) == ["text", "split", "topic"]
    assert rows(found) == [("one two", "training", "x"), ('He said "no".', "test", "y")]


def test_swallowed_messages_are_parted_again(tmp_path: Path) -> None:
    content = b',spam,text\n0,0,"one\nspam\ttwo, too\nham\t""three"""\n1,1,four\n'
    found = read(tmp_path, {"sms.csv": content}, reader="messages", member="sms.csv")
    assert rows(found) == [("ham", "one"), ("spam", "two, too"), ("ham", '"three"'), ("spam", "four")]


def test_questions_lose_their_repeats(tmp_path: Path) -> None:
    content = "DESC:def What is caf\xe9 ?\nNUM:date When ?\nDESC:def What is caf\xe9 ?\n\n".encode("latin-1")
    found = read(tmp_path, {"q.txt": content}, reader="questions", member="q.txt", encoding="latin-1")
    assert rows(found) == [("DESC", "What is café ?"), ("NUM", "When ?")]


def test_ratings_become_signs(tmp_path: Path) -> None:
    content = b'id\tsentiment\ttext\r\n1\t0.5\t"Good\r\n2\t0\tso so\r\n3\t-2.1\tbad\r\n'
    assert rows(read(tmp_path, {"r.txt": content}, reader="ratings", member="r.txt")) == [('"Good', "pos"), ("bad", "neg")]


def test_lines_of_two_members_keep_the_first_of_those_alike(tmp_path: Path) -> None:
    members = [{"names": [f"{side}.txt"], "adds": {"sentiment": side}} for side in ("pos", "neg")]
    content = {"neg.txt": "坏\n两可\n\n坏\n".encode(), "pos.txt": "好\n两可\n".encode()}
    found = read(tmp_path, content, reader="lines", members=members, distinct="text")
    assert rows(found) == [("好", "pos"), ("两可", "pos"), ("坏", "neg")]


def test_rows_and_columns_are_chosen_and_renamed(tmp_path: Path) -> None:
    content = bz2.compress(b"category,text,confidence\nfresh,good,1\nplot,a plot,1\nrotten,bad,\nrotten,good,1\n")
    loader: dict[str, object] = {"reader": "csv", "member": "c.csv.bz2", "columns": {"text": "text", "verdict": "category"}}
    chosen = read(tmp_path, {"c.csv.bz2": content}, **loader, keep={"category": ["fresh", "rotten"]}, needed=["confidence"])
    assert rows(chosen) == [("good", "fresh"), ("good", "rotten")]
    assert rows(read(tmp_path, {"c.csv.bz2": content}, **loader, distinct="text"))[-1] == ("bad", "rotten")


def mail(*lines: str) -> bytes:
    return json.dumps({"text": "\n".join(lines)}).encode()


def test_mails_give_their_subject_and_first_text(tmp_path: Path) -> None:
    encoded = base64.b64encode("Grüße".encode("latin-1")).decode()
    found = read(
        tmp_path,
        {
            "data/ham/2.json": mail("Subject: plain", "", "héllo <b>world</b>"),
            "data/ham/1.json": mail("Content-Type: text/plain; charset=iso-8859-1", "Content-Transfer-Encoding: base64", "", encoded),
            "data/spam/1.json": mail(
                "Subject: parts",
                'Content-Type: multipart/mixed; boundary="b"',
                "",
                "--b",
                "Content-Type: image/png",
                "",
                "noise",
                "--b",
                "Content-Type: text/html; charset=no-such-set",
                "Content-Transfer-Encoding: quoted-printable",
                "",
                "<p>buy=20now",
                "--b--",
            ),
            "data/spam/index.txt": b"",
        },
        reader="mails",
        members=[{"names": [f"data/{kind}/*.json"], "adds": {"kind": kind}} for kind in ("ham", "spam")],
    )
    assert rows(found) == [("\nGrüße", "ham"), ("plain\nhéllo  world ", "ham"), ("parts\n buy now", "spam")]


def debian(folder: Path, members: dict[str, bytes]) -> Path:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(f"./{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    parts = {"debian-binary": b"2.0\n", "control.tar.xz": b"odd", "data.tar.xz": data.getvalue()}
    path = folder / "probe_1%3a1_all.deb"
    with path.open("wb") as stream:
        stream.write(b"!<arch>\n")
        for name, content in parts.items():
            stream.write(f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2))
    return path


def test_glosses_are_named_by_the_manual_page(tmp_path: Path) -> None:
    manual = gzip.compress(b"\\fBFile Number\\fP\n00\tadj.all\tall adjective clusters\n03\tnoun.Tops  \tbeginners\n")
    path = debian(
        tmp_path,
        {
            "usr/share/man/man5/lexnames.5WN.gz": manual,
            "usr/share/wordnet/data.noun": b"  1 a licence | of sorts\n00001740 03 n 01 entity 0 000 | that which is  \n",
            "usr/share/wordnet/data.adj": b"00001740 00 a 01 able 0 000 | having | means\n",
        },
    )
    names = ["usr/share/man/man5/lexnames.5WN.gz", "usr/share/wordnet/data.*"]
    found = read_packaged(path, Loader.model_validate({"package": "made", "reader": "glosses", "members": [{"names": names}]}))
    assert rows(found) == [("having | means", "adj.all"), ("that which is", "noun.Tops")]


def test_package_lists_give_first_lines_and_sections(tmp_path: Path) -> None:
    content = (
        "Package: a\nDescription: does: things\n  Description: no\nSection: misc\n\nPackage: b\nSection: libs\nDescription: ünï\n".encode()
    )
    loader: dict[str, object] = {"reader": "packages", "member": "dumpavail", "columns": {"text": "Description", "section": "Section"}}
    assert rows(read(tmp_path, {"dumpavail": content}, **loader)) == [("does: things", "misc"), ("ünï", "libs")]


def test_members_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    path = packed(tmp_path, {"b/2.txt": b"2", "a/1.txt": b"1", "b/1.csv": b"no"})
    assert list(read_members(path, ["b/*.txt", "a/*"])) == ["a/1.txt", "b/2.txt"]
    with pytest.raises(CatalogError, match=r"no member 'c/\*'"):
        read_members(path, ["a/*", "c/*"])


@pytest.mark.parametrize("content", [b"", b"!<arch>\ncut", b"\x1f\x8b\x08nothing", lzma.compress(b"no tar"), b"PK\x03\x04rest"])
def test_a_damaged_archive_is_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "archive").write_bytes(content)
    with pytest.raises(CatalogError, match="the archive is damaged") as caught:
        read_members(tmp_path / "archive", ["*"])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("pack", [packed, debian])
def test_members_beyond_all_memory_are_one_line(pack: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pack(tmp_path, {"a.csv": b"a\n" + b"1\n" * 50_000})
    monkeypatch.setattr("dataset_catalog.reading._room.room", lambda: 10_000)
    with pytest.raises(CatalogError, match=r"a\.csv: unpacks to more than .* does not fit into memory"):
        read_members(path, ["a.csv"])


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress])
def test_what_members_unpack_to_is_bounded_too(compress: Callable[..., bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = compress(b"a\n" + b"1\n" * 50_000)
    monkeypatch.setattr("dataset_catalog.reading._room.room", lambda: 10_000)
    with pytest.raises(CatalogError, match=r"a\.csv: unpacks to more than"):
        read(tmp_path, {"a.csv": content}, reader="csv", member="a.csv")


def test_a_pickle_is_not_read_out_of_what_no_hash_pins(tmp_path: Path) -> None:
    packed(tmp_path, {"dumpavail": b"never read"}).rename(tmp_path / "debian-packages.zip")
    loader = Loader(package="debian-packages", member="dumpavail", reader="r_frame")
    with pytest.raises(CatalogError, match="debian-packages is not pinned by a SHA-256"):
        load_frame("packaged", loader, cache=tmp_path, offline=True)
