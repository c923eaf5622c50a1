"""Whether the register's rows are just what its events made: a row that no event made gives nobody a say."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, literal_column, select

from exchange_mcp.desk import chain, register
from exchange_mcp.desk.journal_errors import CorruptJournalError
from exchange_mcp.desk.schema import allowances, approvers, clients, configurations, events, nonces

_EVENTS: Final = (
    select(events)
    .where(events.c.kind.in_([literal_column(f"'{kind}'") for kind in sorted(register.KINDS)]))
    .order_by(events.c.seq)
)
_SIGNATURES: Final = select(nonces.c.nonce).where(nonces.c.spent_ms.is_not(None))
_COUNTING: Final = frozenset({register.COUNTED})

Rows = dict[tuple[str, ...], dict[str, Any]]


def _rows() -> Rows:
    return {}


@dataclass(slots=True)
class _Story:
    """The register as the events alone make it: rows by table and key."""

    approvers: Rows = field(default_factory=_rows)
    clients: Rows = field(default_factory=_rows)
    allowances: Rows = field(default_factory=_rows)
    configuration: Rows = field(default_factory=_rows)
    enrolling: int | None = None
    has_begun: bool = False

    def tell(self, seq: int, at_ms: int, kind: str, body: Mapping[str, Any]) -> None:
        """Take one event.

        Raises:
            KeyError: it is about somebody who is not there, or lacks a part.
            ValueError: nobody signed it, and it is not of the first enrolment.
        """
        if kind not in _COUNTING and body["signed"] is None and not self._is_first(seq, kind):
            raise ValueError("nobody signed it")
        own = {name: value for name, value in body.items() if name != "signed"}
        if kind == register.ADDED:
            self.has_begun = True
            self.approvers[(body["name"],)] = {**own, "counter": None, "added_ms": at_ms}
        elif kind == register.REMOVED:
            del self.approvers[(body["name"],)]
        elif kind == register.COUNTED:
            self.approvers[(body["name"],)]["counter"] = body["counter"]
        elif kind == register.CLIENT_ADDED:
            self.clients[(body["name"],)] = {**own, "added_ms": at_ms}
        elif kind == register.CLIENT_REMOVED:
            del self.clients[(body["name"],)]
            self.allowances = {key: row for key, row in self.allowances.items() if key[0] != body["name"]}
        elif kind == register.TOOL_ALLOWED:
            self.allowances[(body["client"], body["tool"])] = {**own, "changed_ms": at_ms}
        else:
            self.configuration = {("",): {**own, "accepted_ms": at_ms}}

    def _is_first(self, seq: int, kind: str) -> bool:
        """Whether it is of the one act that needs no signature: the first approver, and what follows at once."""
        is_first = kind == register.ADDED if not self.has_begun else seq == self.enrolling
        if is_first:
            self.enrolling = seq + 1
        return is_first and not (self.has_begun and kind == register.ADDED)


def check_register(connection: Connection) -> None:
    """See that the register's rows are what its events made, in the transaction under way.

    Raises:
        CorruptJournalError: a row is there, or missing, or other than its events say; or an event itself is not as
            its hash, or was signed by nobody.
    """
    story = _Story()
    used = frozenset(connection.execute(_SIGNATURES).scalars())
    for event in connection.execute(_EVENTS).all():
        try:
            if chain.event_hash(event.text, event.prev) != event.hash:
                raise ValueError("its hash is of another text")  # noqa: TRY301 - one way out for all that can be wrong
            value = json.loads(event.text)
            signed = value["body"].get("signed")
            if signed is not None and signed["nonce"] not in used:
                raise ValueError("its signature is not held as used")  # noqa: TRY301 - as above
            story.tell(event.seq, value["at_ms"], value["kind"], value["body"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CorruptJournalError(
                f"the register cannot be told from event {event.seq}: {type(error).__name__} {error}"
            ) from None
    for what, table, key, told in (
        ("approver", approvers, ("name",), story.approvers),
        ("client", clients, ("name",), story.clients),
        ("allowance", allowances, ("client", "tool"), story.allowances),
        ("accepted configuration", configurations, (), story.configuration),
    ):
        rows = connection.execute(select(table)).mappings().all()
        held = {tuple(str(row[name]) for name in key) or ("",): dict(row) for row in rows}
        different = sorted(name for name in held.keys() | told.keys() if held.get(name) != told.get(name))
        if different or len(held) != len(rows):
            named = " ".join(different[0]).strip() if different else ""
            raise CorruptJournalError(
                f"{f'{what} {named}'.strip()[:200]} stands otherwise than the event log says; no approval counts on it"
            )
