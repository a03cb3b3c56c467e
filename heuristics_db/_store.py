"""The store: heuristics versions, their validations, and the channels that point at them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, func, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from heuristics_db._canonical import canonical_json, content_hash, read_document
from heuristics_db._channels import channel_head, channel_stack, channels, retired
from heuristics_db._diff import diff_documents
from heuristics_db._document import HeuristicsDocument
from heuristics_db._errors import ConflictError, HeuristicsError
from heuristics_db._gate import CHANNELS, GATES, Check, GateRules, GateVerdict, decide
from heuristics_db._history import append, history_entries, now, plain
from heuristics_db._invariants import broken_invariants, check_invariants
from heuristics_db._opening import open_engine, reading, unreachable, writing
from heuristics_db._records import Action, Difference, HistoryEntry, Version
from heuristics_db._summary import ValidationSummary
from heuristics_db._tables import EVENTS, VALIDATIONS, VERSIONS

NOTHING = "nothing"
"""Given as ``expected``: the channel must not point at any version yet."""


class HeuristicsStore:
    """The versioned heuristics database at ``url`` (``sqlite:///PATH`` or ``postgresql://USER@HOST/NAME``).

    Versions are immutable and named by their content; validations, channel moves and retirements are rows of a history that is only ever
    appended to. Safe to use from several threads and processes at once. Wherever a ``ref`` is asked for, a full hash, a unique prefix of
    at least four digits, or the name of a channel will do.

    Args:
        url: where the database is; it is created when absent, and brought to the newest schema.
        held_out_fingerprints: datasets that no version may have been mined from; checked on every write and read.

    Raises:
        HeuristicsError: the database can't be used; also from every method, with one clear line.

    """

    def __init__(self, url: str, *, held_out_fingerprints: Collection[str] = ()) -> None:
        self._held_out = frozenset(held_out_fingerprints)
        self._engine = open_engine(url)
        self._address = make_url(url)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Give back the connections. The store may be used again afterwards; it then connects anew."""
        self._engine.dispose()

    # Versions

    def add(self, document: HeuristicsDocument, *, note: str = "", by: str = "") -> Version:
        """Store ``document`` as a candidate and return its version. Adding the same content again changes nothing.

        Raises:
            InvariantError: the document breaks an invariant; nothing was written.

        """
        return self._add(document, note=note, by=by, action="added")

    def get(self, ref: str) -> HeuristicsDocument:
        """Return the document of a version, its content and its invariants checked anew.

        Raises:
            HeuristicsError: there is no such version, or what is stored is not what was written.
            InvariantError: the document breaks an invariant.

        """
        with self._read() as connection:
            version = self._resolve(connection, ref)
            document = self._document(connection, version)
        check_invariants(document, held_out_fingerprints=self._held_out)
        return document

    def version(self, ref: str) -> Version:
        """Return what is known of one version."""
        with self._read() as connection:
            wanted = self._resolve(connection, ref)
            return next(each for each in self._versions(connection) if each.id == wanted)

    def versions(self) -> list[Version]:
        """Return all versions, newest first."""
        with self._read() as connection:
            return self._versions(connection)

    def diff(self, before: str, after: str) -> list[Difference]:
        """Return where two versions differ, ordered by path; empty when they are the same."""
        return diff_documents(self.get(before), self.get(after))

    def verify(self) -> dict[str, list[str]]:
        """Read every version again and return, per version id, what is wrong with it: its content, its invariants (empty lists: all well)."""
        found: dict[str, list[str]] = {}
        with self._read() as connection:
            for version in connection.execute(select(VERSIONS.c.id).order_by(VERSIONS.c.id)).scalars():
                try:
                    document = self._document(connection, version)
                except HeuristicsError as error:
                    found[version] = [str(error)]
                else:
                    found[version] = broken_invariants(document, held_out_fingerprints=self._held_out)
        return found

    # Validations

    def record_validation(self, ref: str, summary: ValidationSummary, *, by: str = "") -> str:
        """Keep what a validation found, and return the record's id. Recording the same summary again changes nothing.

        Raises:
            HeuristicsError: the summary is of another version.

        """
        return self._record(ref, summary, by=by, imported=False)

    def validations(self, ref: str | None = None) -> list[ValidationSummary]:
        """Return the recorded validations of one version, or of all, oldest first."""
        with self._read() as connection:
            wanted = None if ref is None else self._resolve(connection, ref)
            return [summary for version, summary, _ in self._summaries(connection) if wanted in (None, version)]

    def looks(self, fingerprints: Collection[str]) -> int:
        """Return how many recorded validations, of whatever version, looked at any of these held-out datasets."""
        with self._read() as connection:
            return self._looks(connection, frozenset(fingerprints))

    # Channels

    def channels(self) -> dict[str, str | None]:
        """Return the version id that each channel points at, ``None`` where it points at nothing yet."""
        with self._read() as connection:
            heads = channels(connection)
        return {name: heads.get(name) for name in CHANNELS}

    def check_gate(self, ref: str, channel: str, *, gate: GateRules | None = None) -> GateVerdict:
        """Ask the gate of ``channel`` about a version, and write nothing. The newest validation counts."""
        rules = self._rules(channel, gate)
        with self._read() as connection:
            return self._verdict(connection, self._resolve(connection, ref), rules)

    def promote(
        self, ref: str, channel: str, *, by: str, gate: GateRules | None = None, expected: str | None = None, note: str = ""
    ) -> GateVerdict:
        """Point ``channel`` at a version when the gate lets it through; return the verdict either way.

        A refusal is written to the history too. Promoting what the channel already points at moves nothing.

        Args:
            ref: the version.
            channel: ``staging`` or ``production``.
            by: who promotes.
            gate: the channel's rules, when not those of `GATES`.
            expected: the version that the channel must point at now (`NOTHING` for none), as the caller last saw it.
            note: why, for the history.

        Raises:
            ConflictError: the channel was moved by somebody else since it was read; nothing was written.
            HeuristicsError: no such version or channel, or the version is retired.

        """
        rules = self._rules(channel, gate)
        with self._read() as connection:
            version = self._resolve(connection, ref)
            if version in retired(connection):
                raise HeuristicsError(f"version {version[:12]} is retired and can't be promoted")
            head = channel_head(connection, channel)
            self._expect(connection, channel, head.version, expected)
            verdict = self._verdict(connection, version, rules)
        if verdict.passed and head.version == version:
            return verdict
        detail = {"verdict": verdict.model_dump(mode="json"), "rules": rules.model_dump(mode="json")}
        with self._write() as connection:
            if not verdict.passed:
                append(connection, "refused", version, channel=channel, by=by, note=note, detail=detail)
                return verdict
            now = channel_head(connection, channel)
            if now.move != head.move:
                raise _moved(channel, now.version)
            if version in retired(connection):
                raise ConflictError(f"version {version[:12]} was retired by somebody else in the meantime: nothing was promoted")
            append(
                connection,
                "promoted",
                version,
                channel=channel,
                move=head.move + 1,
                previous=head.version,
                by=by,
                note=note,
                detail=detail,
            )
        return verdict

    def rollback(self, channel: str, *, by: str = "", note: str = "", expected: str | None = None) -> Version:
        """Point ``channel`` back at the version that stood there before, past retired ones, and return that version.

        Rolling back twice goes two promotions back.

        Raises:
            ConflictError: the channel does not point at ``expected``.
            HeuristicsError: there is nothing to go back to.

        """
        self._rules(channel, None)
        with self._write() as connection:
            head = channel_head(connection, channel)
            self._expect(connection, channel, head.version, expected)
            gone = retired(connection)
            earlier = [each for each in channel_stack(connection, channel)[:-1] if each not in gone and each != head.version]
            if not earlier:
                raise HeuristicsError(f"{channel} has no earlier version to go back to: promote one (lode db promote)")
            append(connection, "rolled_back", earlier[-1], channel=channel, move=head.move + 1, previous=head.version, by=by, note=note)
        return self.version(earlier[-1])

    def retire(self, ref: str, *, by: str = "", note: str = "") -> Version:
        """Withdraw a version for good; it stays readable. A version that a channel points at can't be retired."""
        with self._write() as connection:
            version = self._resolve(connection, ref)
            holding = [name for name, held in channels(connection).items() if held == version]
            if holding:
                raise HeuristicsError(f"{holding[0]} points at version {version[:12]}: promote another or roll back before retiring it")
            if version not in retired(connection):
                append(connection, "retired", version, by=by, note=note)
        return self.version(version)

    def history(self, ref: str | None = None) -> list[HistoryEntry]:
        """Return the history, oldest first: all of it, a channel's when ``ref`` names one, else a version's."""
        with self._read() as connection:
            entries = history_entries(connection)
            if ref is None:
                return entries
            if ref in CHANNELS:
                return [each for each in entries if each.channel == ref]
            version = self._resolve(connection, ref)
        return [each for each in entries if version in (each.version, each.previous)]

    # Within

    def _add(self, document: HeuristicsDocument, *, note: str, by: str, action: Action) -> Version:
        check_invariants(document, held_out_fingerprints=self._held_out)
        version, data = content_hash(document), canonical_json(document).decode()
        with self._write() as connection:
            if connection.execute(select(VERSIONS.c.id).where(VERSIONS.c.id == version)).first() is None:
                connection.execute(
                    VERSIONS.insert().values(
                        id=version, schema_version=document.schema_version, document=data, note=plain(note, "note"), created_at=now()
                    )
                )
                append(connection, action, version, by=by, note=note)
        return self.version(version)

    def _record(self, ref: str, summary: ValidationSummary, *, by: str, imported: bool) -> str:
        record, data = content_hash(summary), canonical_json(summary).decode()
        with self._write() as connection:
            version = self._resolve(connection, ref)
            if summary.version != version:
                raise HeuristicsError(f"the validation is of version {summary.version[:12]}, not of {version[:12]}")
            if connection.execute(select(VALIDATIONS.c.id).where(VALIDATIONS.c.id == record)).first() is None:
                connection.execute(
                    VALIDATIONS.insert().values(
                        id=record,
                        version=version,
                        suite_hash=summary.suite_hash,
                        summary=data,
                        imported=int(imported),
                        created_at=now(),
                    )
                )
                detail = {"validation": record, "suite": summary.suite, "imported": imported}
                append(connection, "validated", version, by=by, detail=detail)
        return record

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        try:
            with reading(self._engine) as connection:
                yield connection
        except DBAPIError as error:
            raise unreachable(self._address, error) from error

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        try:
            with writing(self._engine) as connection:
                yield connection
        except DBAPIError as error:
            raise unreachable(self._address, error) from error

    def _resolve(self, connection: Connection, ref: str) -> str:
        """Return the full id that ``ref`` stands for."""
        if ref in CHANNELS:
            held = channel_head(connection, ref).version
            if held is None:
                raise HeuristicsError(f"{ref} points at no version yet: promote one (lode db promote VERSION --channel {ref})")
            return held
        prefix = ref.strip().lower()
        if not re.fullmatch(r"[0-9a-f]{4,64}", prefix):
            raise HeuristicsError(f"{ref!r} names no version: give a hash, at least 4 digits of one, or a channel ({', '.join(CHANNELS)})")
        found = (
            connection.execute(select(VERSIONS.c.id).where(VERSIONS.c.id.startswith(prefix)).order_by(VERSIONS.c.id).limit(3))
            .scalars()
            .all()
        )
        if not found:
            raise HeuristicsError(f"no heuristics version {ref} in the database: lode db list shows those that are there")
        if len(found) > 1:
            raise HeuristicsError(
                f"{ref} stands for more than one version, {found[0][:12]} and {found[1][:12]} among them: give more digits"
            )
        return str(found[0])

    def _document(self, connection: Connection, version: str) -> HeuristicsDocument:
        data = connection.execute(select(VERSIONS.c.document).where(VERSIONS.c.id == version)).scalar_one()
        document = read_document(data, where=f"version {version[:12]}")
        if content_hash(document) != version:
            raise HeuristicsError(f"version {version[:12]} was altered in the database: its content no longer has that hash")
        return document

    def _versions(self, connection: Connection) -> list[Version]:
        counts = dict(connection.execute(select(VALIDATIONS.c.version, func.count()).group_by(VALIDATIONS.c.version)).tuples().all())
        gone, heads = retired(connection), channels(connection)
        order = (
            select(VERSIONS.c.id, VERSIONS.c.created_at, VERSIONS.c.note)
            .join(EVENTS, EVENTS.c.version == VERSIONS.c.id)
            .where(EVENTS.c.action.in_(("added", "imported")))
            .order_by(EVENTS.c.sequence.desc())
        )
        return [
            Version(
                id=row.id,
                state="retired" if row.id in gone else "validated" if counts.get(row.id) else "candidate",
                created_at=row.created_at,
                note=row.note,
                channels=tuple(name for name in CHANNELS if heads.get(name) == row.id),
                validations=counts.get(row.id, 0),
            )
            for row in connection.execute(order)
        ]

    def _summaries(self, connection: Connection) -> Iterator[tuple[str, ValidationSummary, bool]]:
        order = select(VALIDATIONS.c.version, VALIDATIONS.c.summary, VALIDATIONS.c.imported).order_by(
            VALIDATIONS.c.created_at, VALIDATIONS.c.id
        )
        for row in connection.execute(order):
            yield row.version, ValidationSummary.model_validate_json(row.summary), bool(row.imported)

    def _looks(self, connection: Connection, fingerprints: frozenset[str]) -> int:
        return sum(any(each.fingerprint in fingerprints for each in summary.datasets) for _, summary, _ in self._summaries(connection))

    def _verdict(self, connection: Connection, version: str, rules: GateRules) -> GateVerdict:
        document = self._document(connection, version)
        check_invariants(document, held_out_fingerprints=self._held_out)
        mine = [summary for held, summary, _ in self._summaries(connection) if held == version]
        if not mine:
            check = Check(
                name="validated", passed=False, detail=f"no validation is recorded: lode validate SUITE.yaml --version {version[:12]}"
            )
            return GateVerdict(channel=rules.channel, version=version, passed=False, checks=(check,))
        looked = self._looks(connection, frozenset(each.fingerprint for each in mine[-1].datasets))
        return decide(mine[-1], rules, document, looks=looked)

    def _rules(self, channel: str, gate: GateRules | None) -> GateRules:
        if channel not in CHANNELS:
            raise HeuristicsError(f"no channel {channel!r}: choose {' or '.join(CHANNELS)}")
        rules = GATES[channel] if gate is None else gate
        if rules.channel != channel:
            raise HeuristicsError(f"the gate's rules are for {rules.channel}, not for {channel}")
        return rules

    def _expect(self, connection: Connection, channel: str, held: str | None, expected: str | None) -> None:
        if expected is None:
            return
        wanted = None if expected == NOTHING else self._resolve(connection, expected)
        if held != wanted:
            raise _moved(channel, held)


def _moved(channel: str, held: str | None) -> ConflictError:
    now = f"points at {held[:12]} now" if held else "points at nothing now"
    return ConflictError(f"somebody else moved {channel} first, it {now}: look again (lode db list) and repeat")
