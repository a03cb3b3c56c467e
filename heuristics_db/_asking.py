"""Asking the gate about a stored version: which of its validations counts, what stands in the channel, how often it was looked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import Connection

from heuristics_db._channels import channel_head
from heuristics_db._gate import Check, GateVerdict, Incumbent, decide, decisive
from heuristics_db._invariants import check_invariants
from heuristics_db._looks import count_looks
from heuristics_db._policy import GateRules
from heuristics_db._queries import stored_document, stored_summaries
from heuristics_db._summary import ValidationSummary


def ask(connection: Connection, version: str, rules: GateRules, held_out: Collection[str]) -> GateVerdict:
    """Return what the gate says of ``version``, by its newest validation that can be set against the version in the channel.

    Raises:
        HeuristicsError: the version or a validation is no longer what was written.
        InvariantError: the document breaks an invariant.

    """
    document = stored_document(connection, version)
    check_invariants(document, held_out_fingerprints=held_out)
    mine = [each for _, each in stored_summaries(connection, version)]
    if not mine:
        detail = f"no validation is recorded: lode validate SUITE.yaml --version {version[:12]}"
        check = Check(name="validated", passed=False, detail=detail)
        return GateVerdict(channel=rules.channel, version=version, passed=False, checks=(check,))
    standing = channel_head(connection, rules.channel).version
    theirs: dict[str, ValidationSummary] = {}
    if standing not in (None, version):
        theirs = {each.suite_hash: each for _, each in stored_summaries(connection, standing)}
    summary = _choose(mine, theirs, rules)
    incumbent = None if standing in (None, version) else Incumbent(standing, theirs.get(summary.suite_hash))
    names = decisive(summary, rules)
    looked = count_looks(connection, [each.fingerprint for each in summary.datasets if each.name in names])
    return decide(summary, rules, document, looks=looked, version=version, incumbent=incumbent)


def _choose(mine: Sequence[ValidationSummary], theirs: Mapping[str, ValidationSummary], rules: GateRules) -> ValidationSummary:
    """Return the newest validation; before others one with the reserved datasets, then one on a suite that both versions stood."""

    def fits(summary: ValidationSummary) -> tuple[bool, bool]:
        return sum(each.reserved for each in summary.datasets) >= rules.reserved, summary.suite_hash in theirs

    return max(reversed(mine), key=fits)
