"""One transaction under way: what is written in it, always with its event, and only from the state that was read."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Connection, bindparam

from exchange_mcp.desk import chain
from exchange_mcp.desk.intents import Cause, State, UnlistedTransitionError, checked
from exchange_mcp.desk.journal_errors import ConflictError, NoSuchIntentError, StateChangedError
from exchange_mcp.desk.reading import INTENT_BY_ID, intent_from
from exchange_mcp.desk.records import Event, Head, Intent
from exchange_mcp.desk.schema import events, intents, nonces
from exchange_mcp.model.decimals import text

_APPEND: Final = events.insert()
_INSERT: Final = intents.insert()
_CHANGE: Final = intents.update().where(
    intents.c.id == bindparam("of"), intents.c.state == bindparam("from_state")
)
_SIGN: Final = nonces.insert()
_SPEND: Final = nonces.update().where(nonces.c.nonce == bindparam("key"), nonces.c.spent_ms.is_(None))
_NONCE: Final = nonces.select().where(nonces.c.nonce == bindparam("key"))


def legible(words: str) -> str:
    """The words as every database takes them: half a character, as a terminal or a venue may give, by its escape."""
    return words.encode("utf-8", "backslashreplace").decode()


def _kept(value: object) -> object:
    match value:
        case Decimal():
            return text(value)
        case str():
            return legible(value)
        case _:
            return value


class Entry:
    """What one transaction may do. `now_ms` is its time, not before the last event's."""

    def __init__(self, connection: Connection, head: Head, now_ms: int) -> None:
        self.connection = connection
        self.head = head
        self.now_ms = now_ms

    def append(self, kind: str, intent: str | None, body: Mapping[str, object]) -> Event:
        """Add the next event to the chain."""
        seq = self.head.seq + 1
        written = chain.event_text(seq, self.now_ms, kind, intent, body)
        hash_ = chain.event_hash(written, self.head.hash)
        event = Event(seq, self.now_ms, kind, intent, written, self.head.hash, hash_)
        self.connection.execute(
            _APPEND,
            {
                "seq": seq,
                "at_ms": event.at_ms,
                "kind": kind,
                "intent": intent,
                "text": written,
                "prev": event.prev,
                "hash": hash_,
            },
        )
        self.head = Head(seq, hash_, self.now_ms)
        return event

    def intent(self, intent_id: str) -> Intent:
        """The intent as it stands in this transaction.

        Raises:
            NoSuchIntentError: there is none.
        """
        row = self.connection.execute(INTENT_BY_ID, {"key": intent_id}).mappings().first()
        if row is None:
            raise NoSuchIntentError(f"no intent {intent_id}")
        return intent_from(row)

    def add(self, row: Mapping[str, object]) -> Intent:
        """Record a new intent; its event was appended before."""
        self.connection.execute(_INSERT, row)
        return intent_from(row)

    def move(
        self,
        intent: Intent,
        cause: Cause,
        end: State,
        body: Mapping[str, object],
        **columns: Any,  # noqa: ANN401 - a column's value is what the record's field is
    ) -> Intent:
        """Bring an intent into its next state: the event, then a change that counts only from the state read.

        Raises:
            StateChangedError: the table of intents has no such way from where it stands, or it moved meanwhile.
        """
        try:
            checked(intent.action, cause, intent.state, end)
        except UnlistedTransitionError as error:
            raise StateChangedError(f"intent {intent.id}: {error}") from None
        self.append(cause, intent.id, {"from": intent.state, "to": end, **body})
        return self.change(intent, state=end, changed_ms=self.now_ms, **columns)

    def change(self, intent: Intent, **columns: Any) -> Intent:  # noqa: ANN401 - as above
        """Write columns of an intent, if it is still in the state that was read.

        Raises:
            StateChangedError: it is not.
        """
        kept = {name: _kept(value) for name, value in columns.items()}
        done = self.connection.execute(_CHANGE, {"of": intent.id, "from_state": intent.state, **kept})
        if done.rowcount != 1:
            raise StateChangedError(f"intent {intent.id} is no longer {intent.state}")
        return replace(intent, **columns)

    def sign(self, nonce: str, purpose: str, **columns: Any) -> None:  # noqa: ANN401 - as above
        """Take a nonce, for ever.

        Raises:
            ConflictError: it was taken before, for whatever purpose.
        """
        if self.connection.execute(_NONCE, {"key": nonce}).first() is not None:
            raise ConflictError("this signature was used before")
        empty = dict.fromkeys(
            ("intent", "plan_digest", "preview_digest", "policy_digest", "expires_ms", "spent_ms")
        )
        self.connection.execute(_SIGN, {"nonce": nonce, "purpose": purpose, **empty, **columns})

    def nonce(self, nonce: str) -> Mapping[Any, Any] | None:
        """What is recorded of a nonce."""
        return self.connection.execute(_NONCE, {"key": nonce}).mappings().first()

    def spend(self, nonce: str) -> None:
        """Use up a nonce.

        Raises:
            ConflictError: it is used up already.
        """
        if self.connection.execute(_SPEND, {"key": nonce, "spent_ms": self.now_ms}).rowcount != 1:
            raise ConflictError("this grant was spent before")
