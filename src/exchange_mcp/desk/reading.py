"""What the journal can be asked. Every answer is one moment of it; nothing here writes."""

import json
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from threading import RLock
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, bindparam, literal_column, or_, select

from exchange_mcp.desk import chain
from exchange_mcp.desk.dialect import reading, translated
from exchange_mcp.desk.intents import LIVE, MAY_HAVE_PLACED, State
from exchange_mcp.desk.journal_errors import NoSuchIntentError
from exchange_mcp.desk.looks import Look, findings_from
from exchange_mcp.desk.records import Counted, Counters, Event, Halt, Head, Identity, Intent, Origin
from exchange_mcp.desk.schema import events, facts, halts, intents, remarks
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.decimals import add

DAY_MS: Final = 86_400_000
_MINUTE_MS: Final = 60_000
# Enough for a watch that looks at all of them, and a bound on what one question may cost.
_MOST_EVENTS: Final = 1000

# Claimed and then proved to have placed nothing: it gives its share of the limits back.
_RELEASED: Final = frozenset({State.REJECTED, State.NOT_SENT, State.ABSENT})
_IN_DOUBT: Final = frozenset({State.DISPATCHING, State.UNKNOWN})


def state_is_in(states: Sequence[State]) -> ColumnElement[bool]:
    """A condition on an intent's state, written into the statement so that it is compiled once."""
    return intents.c.state.in_([literal_column(f"'{state.value}'") for state in sorted(states)])


INTENT_BY_ID: Final = select(intents).where(intents.c.id == bindparam("key"))
INTENT_BY_PROPOSAL: Final = select(intents).where(intents.c.proposal_id == bindparam("key"))
_BY_CLIENT_ORDER_ID: Final = select(intents).where(intents.c.client_order_id == bindparam("key"))
_BY_FINGERPRINT: Final = (
    select(intents).where(intents.c.fingerprint == bindparam("key")).order_by(intents.c.seq)
)
_LIVE: Final = select(intents).where(state_is_in([*LIVE])).order_by(intents.c.seq)
_COUNTED: Final = select(
    intents.c.account,
    intents.c.state,
    intents.c.claimed_ms,
    intents.c.is_reduce_only,
    intents.c.worst_notional,
    intents.c.currency,
).where(
    intents.c.action == "place",
    or_(intents.c.claimed_ms > bindparam("after_ms"), state_is_in([*_IN_DOUBT])),
)
# A plan's text is read of those alone that can be of the same market: a venue's own id may be another market's as well.
_COUNTED_LIKE: Final = _COUNTED.add_columns(intents.c.plan_text).where(
    intents.c.underlying == bindparam("underlying")
)
HEAD: Final = select(events.c.seq, events.c.hash, events.c.at_ms).order_by(events.c.seq.desc()).limit(1)
_EVENTS: Final = (
    select(events).where(events.c.seq > bindparam("after")).order_by(events.c.seq).limit(bindparam("most"))
)
_PLANS: Final = (
    select(intents.c.seq, intents.c.plan_text)
    .where(intents.c.account == bindparam("account"), intents.c.seq > bindparam("after"))
    .order_by(intents.c.seq)
)
_EVENTS_OF_INTENT: Final = select(events).where(events.c.intent == bindparam("intent")).order_by(events.c.seq)
_LAST_OF_KIND: Final = (
    select(events).where(events.c.kind == bindparam("kind")).order_by(events.c.seq.desc()).limit(1)
)
_HALTS: Final = select(halts).order_by(halts.c.account)
_FACTS: Final = select(facts)
_REMARK: Final = select(remarks.c.text).where(remarks.c.intent == bindparam("intent"))
_SWEPT: Final = "swept "


def intent_from(row: Mapping[Any, Any]) -> Intent:
    """The record that a row of the table holds."""
    worst = row["worst_notional"]
    values: dict[str, Any] = dict(row)
    values |= {
        "origin": Origin(row["origin"]),
        "state": State(row["state"]),
        "worst_notional": None if worst is None else Decimal(worst),
    }
    return Intent(**values)


def head_of(connection: Connection) -> Head:
    """The last event, in the transaction that is under way."""
    row = connection.execute(HEAD).first()
    return Head(0, chain.GENESIS_PREV, 0) if row is None else Head(row.seq, row.hash, row.at_ms)


def halts_of(connection: Connection) -> tuple[Halt, ...]:
    """The halts in force, in the transaction that is under way."""
    rows = connection.execute(_HALTS).all()
    return tuple(Halt(AccountName(row.account) or None, row.at_ms, row.by, row.reason) for row in rows)


def facts_of(connection: Connection) -> dict[str, str]:
    """What the journal says of itself, in the transaction that is under way."""
    return {row.name: row.value for row in connection.execute(_FACTS).all()}


def swept_name(account: AccountName) -> str:
    """The name under which it is kept until when everything on this account's key was seen."""
    return f"{_SWEPT}{account}"


def counted_of(connection: Connection, now_ms: int, intent: Intent) -> Counted:
    """What policy counts of all that covers one intent, in the transaction that is under way."""
    since = {"after_ms": now_ms - DAY_MS}
    rows = connection.execute(_COUNTED, since).all()
    like = connection.execute(_COUNTED_LIKE, {**since, "underlying": intent.underlying}).all()
    symbol = _symbol(intent.plan_text)
    return Counted(
        account=_counted([row for row in rows if row.account == intent.account], now_ms),
        desk=_counted(rows, now_ms),
        market=_counted([row for row in like if _symbol(row.plan_text) == symbol], now_ms),
    )


def _symbol(plan_text: str) -> str:
    return json.loads(plan_text)["market"]["symbol"]


def _counted(rows: Sequence[Row[*tuple[Any, ...]]], now_ms: int) -> Counters:
    notional: dict[str, Decimal] = {}
    last_minute = last_day = in_flight = unknown = 0
    for row in rows:
        is_recent = row.claimed_ms > now_ms - DAY_MS
        last_day += is_recent
        last_minute += row.claimed_ms > now_ms - _MINUTE_MS
        in_flight += row.state == State.DISPATCHING
        unknown += row.state == State.UNKNOWN
        is_open = row.state in _IN_DOUBT
        is_counted = is_open or (is_recent and row.state not in _RELEASED)
        if row.worst_notional is not None and is_counted and not row.is_reduce_only:
            so_far = notional.get(row.currency, Decimal(0))
            notional[row.currency] = add(so_far, Decimal(row.worst_notional))
    return Counters(
        notional_24h=notional,
        orders_last_minute=last_minute,
        orders_24h=last_day,
        in_flight=in_flight,
        unknown=unknown,
    )


class JournalReads:
    """The questions, over one connection. Safe to ask from several threads; each waits for the other.

    Every method raises `JournalError` where the journal cannot be read.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock: Final = RLock()

    def close(self) -> None:
        """Give the journal back."""
        with self._lock:
            self._connection.close()

    def intent(self, intent_id: str) -> Intent:
        """The intent with this id.

        Raises:
            NoSuchIntentError: there is none.
        """
        found = self._one(INTENT_BY_ID, intent_id)
        if found is None:
            raise NoSuchIntentError(f"no intent {intent_id}")
        return found

    def intent_of_proposal(self, proposal_id: str) -> Intent | None:
        """The intent that this proposal became."""
        return self._one(INTENT_BY_PROPOSAL, proposal_id)

    def intent_of_order(self, client_order_id: str) -> Intent | None:
        """The intent whose order carries this client order id of ours."""
        return self._one(_BY_CLIENT_ORDER_ID, client_order_id)

    def with_fingerprint(self, fingerprint: str) -> tuple[Intent, ...]:
        """Every intent that asked for the same, oldest first."""
        return self._many(_BY_FINGERPRINT, {"key": fingerprint})

    def live(self) -> tuple[Intent, ...]:
        """Every intent that is undecided, on its way, or unknown; oldest first."""
        return self._many(_LIVE, {})

    def in_states(
        self, *states: State, account: AccountName | None = None, since_ms: int = 0
    ) -> tuple[Intent, ...]:
        """The intents that are in one of these states and came into it at `since_ms` or later; oldest first."""
        query = select(intents).where(state_is_in(states), intents.c.changed_ms >= since_ms)
        if account is not None:
            query = query.where(intents.c.account == account)
        return self._many(query.order_by(intents.c.seq), {})

    def unknown(self, account: AccountName | None = None) -> tuple[Intent, ...]:
        """The intents whose outcome is not known, oldest first."""
        return self.in_states(State.UNKNOWN, account=account)

    def recent(self, count: int = 50) -> tuple[Intent, ...]:
        """The latest intents, newest first."""
        return self._many(select(intents).order_by(intents.c.seq.desc()).limit(count), {})

    def listed(
        self, *, states: Collection[State] | None = None, account: AccountName | None = None, most: int = 50
    ) -> tuple[Intent, ...]:
        """The latest intents in one of these states and of this account, where one is named; newest first."""
        query = select(intents).order_by(intents.c.seq.desc()).limit(most)
        if states is not None:
            query = query.where(state_is_in(sorted(states)))
        if account is not None:
            query = query.where(intents.c.account == account)
        return self._many(query, {})

    def like(self, intent: Intent, since_ms: int, most: int = 5) -> tuple[Intent, ...]:
        """Other orders on the same account, asset and side: under way, or with something placed since; newest first."""
        query = (
            select(intents)
            .where(
                intents.c.account == intent.account,
                intents.c.underlying == intent.underlying,
                intents.c.side == intent.side,
                intents.c.action == "place",
                intents.c.id != intent.id,
                or_(
                    state_is_in(sorted(LIVE)),
                    and_(state_is_in(sorted(MAY_HAVE_PLACED)), intents.c.changed_ms >= since_ms),
                ),
            )
            .order_by(intents.c.seq.desc())
            .limit(most)
        )
        return self._many(query, {}) if intent.action == "place" else ()

    def counters(self, account: AccountName | None, now_ms: int) -> Counters:
        """What policy counts of one account, or of the whole desk."""
        with self._reading():
            rows = self._connection.execute(_COUNTED, {"after_ms": now_ms - DAY_MS}).all()
        return _counted([row for row in rows if account in {None, row.account}], now_ms)

    def counted(self, intent: Intent, now_ms: int) -> Counted:
        """What policy counts of all that covers one intent."""
        with self._reading():
            return counted_of(self._connection, now_ms, intent)

    def halts(self) -> tuple[Halt, ...]:
        """The halts in force."""
        with self._reading():
            return halts_of(self._connection)

    def halt_of(self, account: AccountName) -> Halt | None:
        """What stops this account: its own halt, or the desk's."""
        return next((halt for halt in self.halts() if halt.account in {None, account}), None)

    def head(self) -> Head:
        """The last event."""
        with self._reading():
            return head_of(self._connection)

    def events(self, after: int = 0, most: int = _MOST_EVENTS) -> tuple[Event, ...]:
        """Events with a greater number than `after`, oldest first, at most so many."""
        with self._reading():
            rows = self._connection.execute(_EVENTS, {"after": after, "most": most}).mappings().all()
        return tuple(Event(**row) for row in rows)

    def events_of(self, intent_id: str) -> tuple[Event, ...]:
        """Everything that was recorded of one intent, oldest first."""
        with self._reading():
            rows = self._connection.execute(_EVENTS_OF_INTENT, {"intent": intent_id}).mappings().all()
        return tuple(Event(**row) for row in rows)

    def last_event(self, kind: str) -> Event | None:
        """The latest event of this kind."""
        with self._reading():
            row = self._connection.execute(_LAST_OF_KIND, {"kind": kind}).mappings().first()
        return None if row is None else Event(**row)

    def permitted(self, intent_id: str) -> Mapping[str, Any]:
        """What the limits said when they let this proposal through; empty where they have not."""
        return self._decided(intent_id, "permitted")

    def denied(self, intent_id: str) -> Mapping[str, Any]:
        """What the limits said when they denied this proposal; empty where they have not."""
        return self._decided(intent_id, "denied")

    def _decided(self, intent_id: str, kind: str) -> Mapping[str, Any]:
        event = next((e for e in reversed(self.events_of(intent_id)) if e.kind == kind), None)
        return {} if event is None else json.loads(event.text)["body"]["decision"]

    def first_preview(self, intent_id: str) -> Mapping[str, Any]:
        """The preview as it was when the intent was proposed."""
        return json.loads(self.events_of(intent_id)[0].text)["body"]["preview"]

    def remark(self, intent_id: str) -> str | None:
        """What the proposer of an intent wrote to the approver; untrusted."""
        with self._reading():
            return self._connection.execute(_REMARK, {"intent": intent_id}).scalar()

    def looks(self, intent_id: str) -> tuple[Look, ...]:
        """What was found each time this intent's order was looked for, oldest first."""
        return tuple(
            Look(event.at_ms, findings_from(json.loads(event.text)["body"]["findings"]))
            for event in self.events_of(intent_id)
            if event.kind == "findings"
        )

    def identity(self) -> Identity:
        """Whose journal it is."""
        with self._reading():
            known = facts_of(self._connection)
        return Identity(known["desk_id"], known["tag"], int(known["epoch"]))

    def symbols(self, account: AccountName, after: int = 0) -> tuple[frozenset[str], int]:
        """The unified symbols of this account's intents with a greater number than `after`, and the last number."""
        with self._reading():
            rows = self._connection.execute(_PLANS, {"account": account, "after": after}).all()
        named = frozenset[str](json.loads(row.plan_text)["market"]["symbol"] for row in rows)
        return named, rows[-1].seq if rows else after

    def swept_ms(self, account: AccountName) -> int | None:
        """Until when, in venue time, every order on this account's key was seen; None where none ever was."""
        with self._reading():
            known = facts_of(self._connection).get(swept_name(account))
        return None if known is None else int(known)

    def export(self) -> Iterator[str]:
        """The whole log as lines of JSON without their line ends: an event a line, then one that closes it."""
        last, count = chain.GENESIS_PREV, 0
        while batch := self.events(count):
            yield from (chain.exported(event.text, event.hash) for event in batch)
            last, count = batch[-1].hash, batch[-1].seq
        yield chain.export_end(count, last)

    def _one(self, query: Select[Any], key: str) -> Intent | None:
        with self._reading():
            row = self._connection.execute(query, {"key": key}).mappings().first()
        return None if row is None else intent_from(row)

    def _many(self, query: Select[Any], values: Mapping[str, object]) -> tuple[Intent, ...]:
        with self._reading():
            rows = self._connection.execute(query, values).mappings().all()
        return tuple(intent_from(row) for row in rows)

    @contextmanager
    def _reading(self) -> Generator[None]:
        with self._lock, translated(), reading(self._connection):
            yield
