"""The store: heuristics versions, their validations, and the channels that point at them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, or_, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from heuristics_db import _moves
from heuristics_db._adding import add_content, record
from heuristics_db._asking import ask
from heuristics_db._audit import audit
from heuristics_db._canonical import canonical_json
from heuristics_db._channels import CHANNELS, channel_head, channels, check_channel, is_retired
from heuristics_db._collecting import collect, collectable
from heuristics_db._diff import diff_documents
from heuristics_db._document import HeuristicsDocument
from heuristics_db._errors import HeuristicsError
from heuristics_db._gate import GateVerdict
from heuristics_db._history import history_entries
from heuristics_db._invariants import broken_invariants, check_invariants
from heuristics_db._looks import begin_look, count_looks
from heuristics_db._moves import earlier_versions, expect, roll_back
from heuristics_db._opening import open_engine, reading, unreachable, writing
from heuristics_db._policy import DEFAULT_POLICY, GatePolicy, GateRules
from heuristics_db._queries import (
    resolve,
    stored_content,
    stored_document,
    stored_records,
    stored_summaries,
    stored_version,
    stored_versions,
)
from heuristics_db._records import Action, Difference, HistoryAudit, HistoryEntry, Version
from heuristics_db._releases import read_release, write_release
from heuristics_db._summary import ValidationSummary
from heuristics_db._tables import EVENTS, VERSIONS


class HeuristicsStore:
    """The versioned heuristics database at ``url`` (``sqlite:///PATH`` or ``postgresql://USER@HOST/NAME``).

    Versions are immutable and named by their content; validations, channel moves and retirements are rows of a history that is only ever
    appended to. Safe to use from several threads and processes at once. Wherever a ``ref`` is asked for, a full hash, a unique prefix of
    at least four digits, or the name of a channel will do.

    Args:
        url: where the database is; it is created when absent, and brought to the newest schema.
        held_out_fingerprints: datasets that no version may have been mined from; checked on every write and read.
        policy: what the gate of each channel asks for.

    Raises:
        HeuristicsError: the database can't be used; also from every method, with one clear line.

    """

    def __init__(self, url: str, *, held_out_fingerprints: Collection[str] = (), policy: GatePolicy = DEFAULT_POLICY) -> None:
        self._held_out = frozenset(held_out_fingerprints)
        self._policy = policy
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
        return self._add(document, canonical_json(document).decode(), note=note, by=by, action="added")

    def get(self, ref: str) -> HeuristicsDocument:
        """Return the document of a version, its content and its invariants checked anew.

        Raises:
            HeuristicsError: there is no such version, or what is stored is not what was written.
            InvariantError: the document breaks an invariant.

        """
        with self._read() as connection:
            version = resolve(connection, ref)
            document = stored_document(connection, version)
        check_invariants(document, held_out_fingerprints=self._held_out)
        return document

    def version(self, ref: str) -> Version:
        """Return what is known of one version."""
        with self._read() as connection:
            return stored_version(connection, resolve(connection, ref))

    def versions(self, *, limit: int | None = None) -> list[Version]:
        """Return all versions, or the ``limit`` newest, newest first; those whose documents were collected are left out."""
        with self._read() as connection:
            return stored_versions(connection, limit=limit)

    def diff(self, before: str, after: str) -> list[Difference]:
        """Return where two versions differ, ordered by path; empty when they are the same."""
        return diff_documents(self.get(before), self.get(after))

    def verify(self) -> dict[str, list[str]]:
        """Read every version again and return, per version id, what is wrong with it (an empty list: all is well)."""
        found: dict[str, list[str]] = {}
        with self._read() as connection:
            collected = select(EVENTS.c.version).where(EVENTS.c.action == "collected")
            kept = or_(VERSIONS.c.document != "", VERSIONS.c.id.not_in(collected))
            for version in connection.execute(select(VERSIONS.c.id).where(kept).order_by(VERSIONS.c.id)).scalars():
                try:
                    document = stored_document(connection, version)
                except HeuristicsError as error:
                    found[version] = [str(error)]
                else:
                    found[version] = broken_invariants(document, held_out_fingerprints=self._held_out)
        return found

    def audit(self, *, known_head: str | None = None) -> HistoryAudit:
        """Check the history's chain, and the rows of versions and validations against it.

        A row, a validation or a version that was changed or is missing is a fault. Documents themselves are read by `verify`.

        Args:
            known_head: the hash of a row that was noted elsewhere (`HistoryEntry.hash`); a fault when the history no longer has it.

        """
        with self._read() as connection:
            return audit(connection, known_head=known_head)

    # Validations

    def begin_look(self, ref: str, *, suite: str, suite_hash: str, fingerprints: Collection[str], by: str = "") -> int:
        """Write down that a validation of ``ref`` is about to look at held-out datasets, and return the look's number.

        To be called before the first search: a run that ends early has been seen too, and counts.

        Raises:
            HeuristicsError: no such version, or no dataset to look at.

        """
        with self._write() as connection:
            version = resolve(connection, ref)
            return begin_look(connection, version, suite=suite, suite_hash=suite_hash, fingerprints=fingerprints, by=by)

    def record_validation(self, ref: str, summary: ValidationSummary, *, look: int | None = None, by: str = "") -> str:
        """Keep what a validation found, and return the record's id. Recording the same summary again changes nothing.

        ``look`` is what `begin_look` returned; without one the validation counts as a look of its own.

        Raises:
            HeuristicsError: the summary is of another version, or the look was not this validation's.

        """
        return self._record(ref, summary, canonical_json(summary).decode(), look=look, by=by, imported=False)

    def validations(self, ref: str | None = None) -> list[ValidationSummary]:
        """Return the recorded validations of one version, or of all, oldest first."""
        with self._read() as connection:
            wanted = None if ref is None else resolve(connection, ref)
            return [each for _, each in stored_summaries(connection) if wanted in (None, each.version)]

    def looks(self, fingerprints: Collection[str]) -> int:
        """Return how many runs of validations, of whatever version, looked at any of these held-out datasets, ended or not."""
        with self._read() as connection:
            return count_looks(connection, fingerprints)

    # Releases

    def export_release(self, ref: str) -> bytes:
        """Return a version and its validations as the content of one JSON file, the same bytes each time."""
        with self._read() as connection:
            version = resolve(connection, ref)
            document, content = stored_document(connection, version), stored_content(connection, version)
            note = stored_version(connection, version).note
            records = stored_records(connection, version)
        check_invariants(document, held_out_fingerprints=self._held_out)
        return write_release(version=version, note=note, content=content, records=records)

    def check_release(self, data: bytes, *, where: str = "the file") -> str:
        """Return the version id that `import_release` would store, checked as it would be, and write nothing."""
        release = read_release(data, where=where)
        check_invariants(release.document, held_out_fingerprints=self._held_out)
        return release.version

    def import_release(self, data: bytes, *, by: str = "", trust_validations: bool = False, where: str = "the file") -> Version:
        """Store the version that a file holds (an exported one, or a bare heuristics document).

        Args:
            data: the file's content.
            by: who imports.
            trust_validations: also take over the validations in the file, as if they had been run here. A gate believes them.
            where: the file's name, for error messages.

        Raises:
            HeuristicsError: the content is not a version, or not what it says it is.
            InvariantError: the document breaks an invariant.

        """
        release = read_release(data, where=where)
        version = self._add(release.document, release.content, note=release.note, by=by, action="imported")
        if trust_validations:
            for summary, content in zip(release.validations, release.records, strict=True):
                self._record(version.id, summary, content, look=None, by=by, imported=True)
        return self.version(version.id)

    # Channels

    def channels(self) -> dict[str, str | None]:
        """Return the version id that each channel points at, ``None`` where it points at nothing yet."""
        with self._read() as connection:
            heads = channels(connection)
        return dict.fromkeys(CHANNELS) | heads

    def check_gate(self, ref: str, channel: str, *, gate: GateRules | None = None) -> GateVerdict:
        """Ask the gate of ``channel`` about a version, and write nothing.

        The newest validation counts: of those on a suite that the version in the channel was validated on too, where there are such.
        """
        rules = self._rules(channel, gate)
        with self._read() as connection:
            return ask(connection, resolve(connection, ref), rules, self._held_out)

    def promote(
        self,
        ref: str,
        channel: str,
        *,
        by: str,
        gate: GateRules | None = None,
        expected: str | None = None,
        note: str = "",
        override: str | None = None,
    ) -> GateVerdict:
        """Point ``channel`` at a version when the gate lets it through; return the verdict either way.

        A refusal is written to the history too. Promoting what the channel already points at moves nothing.

        Args:
            ref: the version.
            channel: ``staging``, ``production`` or any other name.
            by: who promotes.
            gate: the channel's rules, when not those of the policy.
            expected: the version that the channel must point at now (`NOTHING` for none), as the caller last saw it.
            note: why, for the history.
            override: a reason to promote the version though the gate refuses it; the history keeps both. Never for a retired version.

        Raises:
            ConflictError: the channel was moved by somebody else since it was read; nothing was written.
            HeuristicsError: no such version, no name for a channel, or the version is retired.

        """
        rules = self._rules(channel, gate)
        if override is not None and not override.strip():
            raise HeuristicsError("an override needs a reason: the history keeps it")
        with self._read() as connection:
            version = resolve(connection, ref)
            if is_retired(connection, version):
                raise HeuristicsError(f"version {version[:12]} is retired and can't be promoted")
            head = channel_head(connection, channel)
            expect(connection, channel, head, expected)
            verdict = ask(connection, version, rules, self._held_out)
        if head.version == version and (verdict.passed or override is not None):
            return verdict
        with self._write() as connection:
            _moves.promote(connection, verdict, rules, head, by=by, note=note, override=override)
        return verdict

    def rollback(self, channel: str, *, steps: int = 1, by: str = "", note: str = "", expected: str | None = None) -> Version:
        """Point ``channel`` back at the version that stood there so many ``steps`` before, and return that version.

        Retired versions are no step. Each step is a row of the history; rolling back twice is the same as two steps.

        Raises:
            ConflictError: the channel does not point at ``expected``.
            HeuristicsError: there are not as many versions to go back to.

        """
        check_channel(channel)
        with self._write() as connection:
            expect(connection, channel, channel_head(connection, channel), expected)
            return stored_version(connection, roll_back(connection, channel, steps, by=by, note=note))

    def rollback_target(self, channel: str, *, steps: int = 1) -> Version:
        """Return the version that `rollback` would go to, and write nothing."""
        check_channel(channel)
        with self._read() as connection:
            return stored_version(connection, earlier_versions(connection, channel, steps)[-1])

    def retire(self, ref: str, *, by: str = "", note: str = "") -> Version:
        """Withdraw a version for good; it stays readable. A version that a channel points at can't be retired."""
        with self._write() as connection:
            version = resolve(connection, ref)
            _moves.retire(connection, version, by=by, note=note)
        return self.version(version)

    def gc(self, *, by: str = "", note: str = "", dry_run: bool = False) -> list[str]:
        """Let go of the documents of retired versions, and return their ids; their history and validations stay.

        Never of a version that a channel points at or ever pointed at: the history must be able to show what stood there.
        """
        if dry_run:
            with self._read() as connection:
                return collectable(connection)
        with self._write() as connection:
            return collect(connection, by=by, note=note)

    def history(self, ref: str | None = None, *, limit: int | None = None) -> list[HistoryEntry]:
        """Return the history, oldest first: all of it, a channel's when ``ref`` names one, else a version's; the ``limit`` newest rows."""
        with self._read() as connection:
            if ref is None:
                return history_entries(connection, limit=limit)
            if ref in CHANNELS or ref in channels(connection):
                return history_entries(connection, EVENTS.c.channel == ref, limit=limit)
            version = resolve(connection, ref)
            return history_entries(connection, or_(EVENTS.c.version == version, EVENTS.c.previous == version), limit=limit)

    # Within

    def _add(self, document: HeuristicsDocument, content: str, *, note: str, by: str, action: Action) -> Version:
        check_invariants(document, held_out_fingerprints=self._held_out)
        with self._write() as connection:
            return stored_version(connection, add_content(connection, content, document.schema_version, note=note, by=by, action=action))

    def _record(self, ref: str, summary: ValidationSummary, content: str, *, look: int | None, by: str, imported: bool) -> str:
        with self._write() as connection:
            return record(connection, resolve(connection, ref), summary, content, look=look, by=by, imported=imported)

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

    def _rules(self, channel: str, gate: GateRules | None) -> GateRules:
        rules = self._policy.rules(check_channel(channel)) if gate is None else gate
        if rules.channel != channel:
            raise HeuristicsError(f"the gate's rules are for {rules.channel}, not for {channel}")
        return rules
