"""The journal's tables, in words that every database has; what only one has is in its dialect's module."""

from collections.abc import Callable, Mapping
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Index,
    MetaData,
    Table,
    Text,
    text,
)

METADATA: Final = MetaData()

# One row a name: schema, desk_id, tag, epoch; and for each account, until when everything on its key was seen.
facts: Final = Table(
    "fact", METADATA, Column("name", Text, primary_key=True), Column("value", Text, nullable=False)
)

events: Final = Table(
    "event",
    METADATA,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("intent", Text),
    Column("text", Text, nullable=False),
    Column("prev", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Index("event_of_intent", "intent", "seq"),
    Index("event_of_kind", "kind", "seq"),
)

intents: Final = Table(
    "intent",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("seq", BigInteger, ForeignKey("event.seq"), nullable=False, unique=True),
    Column("proposal_id", Text, nullable=False, unique=True),
    Column("client", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("request_digest", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("venue", Text, nullable=False),
    Column("key_id", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("underlying", Text, nullable=False),
    Column("market_id", Text, nullable=False),
    Column("side", Text),
    Column("effect", Text),
    Column("is_reduce_only", Boolean, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("client_order_id", Text, unique=True),
    Column("plan_text", Text, nullable=False),
    Column("plan_digest", Text, nullable=False),
    Column("preview_text", Text, nullable=False),
    Column("preview_digest", Text, nullable=False),
    Column("worst_notional", Text),
    Column("currency", Text, nullable=False),
    Column("distinct_from", Text),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("changed_ms", BigInteger, nullable=False),
    Column("policy_digest", Text),
    Column("claimed_ms", BigInteger),
    Column("latest_ms", BigInteger),
    Column("order_id", Text),
    Column("reason", Text, nullable=False),
    Column("resolved_by", Text),
    Column("note", Text),
)
# Every index that a claim changes is a page more to write before the send, so there are few.
Index("intent_in_state", intents.c.state)
Index("intent_about", intents.c.account, intents.c.underlying)
Index("intent_claimed", intents.c.claimed_ms)
Index("intent_fingerprint", intents.c.fingerprint)

# Two intents with one fingerprint live side by side only where the later one names another that it is not:
# what `repeats` decides is held by the database as well.
_IS_LIVE: Final = "state IN ('proposed', 'approved', 'dispatching', 'accepted', 'unknown')"
Index(
    "intent_live_once",
    intents.c.fingerprint,
    text("coalesce(distinct_from, '')"),
    unique=True,
    sqlite_where=text(_IS_LIVE),
    postgresql_where=text(_IS_LIVE),
)

# Every nonce that an approver ever signed. One that grants is spent by a claim; the others at once.
nonces: Final = Table(
    "nonce",
    METADATA,
    Column("nonce", Text, primary_key=True),
    Column("purpose", Text, nullable=False),
    Column("intent", Text, ForeignKey("intent.id")),
    Column("plan_digest", Text),
    Column("preview_digest", Text),
    Column("policy_digest", Text),
    Column("expires_ms", BigInteger),
    Column("spent_ms", BigInteger),
    Index("nonce_of_intent", "intent"),
)

# The desk's own halt has the empty name.
halts: Final = Table(
    "halt",
    METADATA,
    Column("account", Text, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("by", Text, nullable=False),
    Column("reason", Text, nullable=False),
)

# Orders that carry a desk's tag and that this journal did not make; each is told once.
strangers: Final = Table(
    "stranger",
    METADATA,
    Column("account", Text, primary_key=True),
    Column("client_order_id", Text, primary_key=True),
    Column("first_ms", BigInteger, nullable=False),
)


# Who has a say, and which configuration is in force (`register`); each row is what the events say, and no more.
approvers: Final = Table(
    "approver",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("public", Text, nullable=False, unique=True),
    Column("counter", BigInteger),
    Column("added_ms", BigInteger, nullable=False),
)

clients: Final = Table(
    "client",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("credential_sha256", Text, nullable=False, unique=True),
    Column("added_ms", BigInteger, nullable=False),
)

allowances: Final = Table(
    "allowance",
    METADATA,
    Column("client", Text, ForeignKey("client.name"), primary_key=True),
    Column("tool", Text, primary_key=True),
    Column("is_allowed", Boolean, nullable=False),
    Column("declaration", Text, nullable=False),
    Column("changed_ms", BigInteger, nullable=False),
)

# At most one row.
configurations: Final = Table(
    "configuration",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("text", Text, nullable=False),
    Column("accepted_ms", BigInteger, nullable=False),
)

# What the proposer of an intent wrote to the approver; untrusted.
remarks: Final = Table(
    "remark",
    METADATA,
    Column("intent", Text, ForeignKey("intent.id"), primary_key=True),
    Column("text", Text, nullable=False),
)

_SECOND: Final = (approvers, clients, allowances, configurations, remarks)


def state_fact(connection: Connection, name: str, value: str) -> None:
    """Say this under this name, whatever was said before."""
    if connection.execute(facts.update().where(facts.c.name == name).values(value=value)).rowcount == 0:
        connection.execute(facts.insert(), {"name": name, "value": value})


def _first(connection: Connection) -> None:
    METADATA.create_all(
        connection, tables=[table for table in METADATA.sorted_tables if table not in _SECOND]
    )


def _second(connection: Connection) -> None:
    METADATA.create_all(connection, tables=_SECOND)


SCHEMA: Final = 2
MIGRATIONS: Final[Mapping[int, Callable[[Connection], None]]] = {1: _first, 2: _second}
"""By the version that it leads to, what brings a journal there from the version before."""
