"""What the store answers with: versions, history and differences."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AwareDatetime, Field

from heuristics_db._spaces import Frozen

State = Literal["candidate", "validated", "retired"]
Action = Literal["added", "imported", "looked", "validated", "refused", "promoted", "rolled_back", "retired", "collected"]


class Version(Frozen):
    """A stored heuristics version. ``id`` is the document's content hash; ``channels`` are those that point at it now.

    A version is a ``candidate`` until a validation of it is recorded, then ``validated`` (what the validation is good for, the gate
    says), and ``retired`` once somebody withdrew it.
    """

    id: str
    state: State
    created_at: AwareDatetime
    note: str = ""
    channels: tuple[str, ...] = ()
    validations: int = 0

    @property
    def short(self) -> str:
        """The first 12 digits of the id: enough to name it anywhere."""
        return self.id[:12]


class HistoryEntry(Frozen):
    """One row of the append-only history, in the order of ``sequence``. ``previous`` is what the channel pointed at before.

    ``hash`` covers the row and the hash of the row before.
    """

    sequence: int
    at: AwareDatetime
    action: Action
    version: str
    channel: str | None = None
    previous: str | None = None
    by: str = ""
    note: str = ""
    detail: dict[str, Any] = Field(default_factory=dict)
    hash: str = ""

    @property
    def overridden(self) -> bool:
        """Say whether this promotion was made against the gate."""
        return "overridden" in self.detail


class HistoryAudit(Frozen):
    """What `HeuristicsStore.audit` found: how many rows the history has, the hash of the last one, and one line a fault."""

    rows: int
    head: str
    faults: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Say whether nothing is wrong."""
        return not self.faults


class Difference(Frozen):
    """One place where two documents differ; ``before`` and ``after`` are JSON values."""

    path: str
    kind: Literal["added", "removed", "changed"]
    before: Any = None
    after: Any = None
