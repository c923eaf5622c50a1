"""Who may approve, who may propose and what, and which configuration is accepted: rows, and the events that made them.

Each function is a part of one transaction: a row and its event together. `story` says what the events alone make of
it; at opening the rows have to be just that (`check_register`), so that nobody becomes an approver by writing a row.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

from sqlalchemy import Connection, Table, bindparam, func, select

from exchange_mcp.desk.entry import Entry
from exchange_mcp.desk.journal_errors import ConflictError
from exchange_mcp.desk.records import Event, Signed
from exchange_mcp.desk.schema import allowances, approvers, clients, configurations, events
from exchange_mcp.desk.statements import Purpose, sha256_of

NAME: Final = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
_HEX: Final = re.compile(r"^[0-9a-f]{64}$")
_LONGEST_PUBLIC: Final = 4096

ADDED, REMOVED, COUNTED = "approver_added", "approver_removed", "approver_counted"
CLIENT_ADDED, CLIENT_REMOVED, TOOL_ALLOWED = "client_added", "client_removed", "tool_allowed"
ACCEPTED = "configuration_accepted"
KINDS: Final = frozenset({ADDED, REMOVED, COUNTED, CLIENT_ADDED, CLIENT_REMOVED, TOOL_ALLOWED, ACCEPTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Approver:
    """Somebody whose signature counts.

    Attributes:
        kind: of key, one of `approvers.KINDS`. public: its public key as that kind writes it.
        counter: the last one that a passkey told; None of other kinds, and before the first.
    """

    name: str
    kind: str
    public: str
    counter: int | None = None
    added_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Somebody who may propose; of its credential only SHA-256 is kept, in hex."""

    name: str
    credential_sha256: str
    added_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What was said of one tool for one client. `declaration` is the tool's canonical JSON as it was then."""

    client: str
    tool: str
    is_allowed: bool
    declaration: str
    changed_ms: int = 0

    @property
    def digest(self) -> str:
        """Of the declaration, in hex."""
        return sha256_of(self.declaration)


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedConfiguration:
    """`desk.toml` as it was accepted last; `digest` is SHA-256 of its bytes in hex."""

    digest: str
    text: str
    accepted_ms: int = 0


_EVER: Final = select(func.count()).select_from(events).where(events.c.kind == ADDED)
_ALL_APPROVERS: Final = select(approvers).order_by(approvers.c.added_ms, approvers.c.name)
_ALL_CLIENTS: Final = select(clients).order_by(clients.c.added_ms, clients.c.name)
_ALL_ALLOWANCES: Final = select(allowances).order_by(allowances.c.client, allowances.c.tool)
_CONFIGURATION: Final = select(configurations)
_ALLOWANCE_KEY: Final = (
    allowances.c.client == bindparam("of_client"),
    allowances.c.tool == bindparam("of_tool"),
)


def approvers_of(connection: Connection) -> tuple[Approver, ...]:
    """Everybody who may approve, in the order of their enrolment."""
    return tuple(Approver(**row) for row in connection.execute(_ALL_APPROVERS).mappings())


def clients_of(connection: Connection) -> tuple[Client, ...]:
    """Everybody who may propose."""
    return tuple(Client(**row) for row in connection.execute(_ALL_CLIENTS).mappings())


def allowances_of(connection: Connection) -> tuple[Allowance, ...]:
    """Whatever was said of a tool for a client."""
    return tuple(Allowance(**row) for row in connection.execute(_ALL_ALLOWANCES).mappings())


def configuration_of(connection: Connection) -> AcceptedConfiguration | None:
    """The configuration that was accepted last."""
    row = connection.execute(_CONFIGURATION).mappings().first()
    if row is None:
        return None
    return AcceptedConfiguration(digest=row["digest"], text=row["text"], accepted_ms=row["accepted_ms"])


def had_approver(connection: Connection) -> bool:
    """Whether this journal ever had one, be it removed since."""
    return bool(connection.execute(_EVER).scalar_one())


def add_approver(entry: Entry, approver: Approver, signed: Signed | None) -> Event:
    """Enrol an approver.

    Raises:
        ConflictError: the name or the key is enrolled already, or is none.
    """
    _check_name(approver.name)
    if not approver.public or len(approver.public) > _LONGEST_PUBLIC:
        raise ConflictError(f"approver {approver.name} has no public key")
    for other in approvers_of(entry.connection):
        if other.name == approver.name:
            raise ConflictError(f"there is an approver {approver.name} already; remove that one first")
        if other.public == approver.public:
            # Two names with one key would be one person twice.
            raise ConflictError(f"this key is enrolled already, as {other.name}")
    told = {"name": approver.name, "kind": approver.kind, "public": approver.public}
    event = _told(entry, ADDED, told, signed, Purpose.ADD_APPROVER)
    _insert(entry, approvers, {**told, "counter": None, "added_ms": entry.now_ms})
    return event


def remove_approver(entry: Entry, name: str, signed: Signed) -> Event:
    """End an enrolment.

    Raises:
        ConflictError: there is none of this name, or it is the last one: nobody could enrol another.
    """
    known = {approver.name for approver in approvers_of(entry.connection)}
    if name not in known:
        raise ConflictError(f"there is no approver {name[:64]}")
    if len(known) == 1:
        raise ConflictError(f"{name} is the last approver; enrol another one first")
    event = _told(entry, REMOVED, {"name": name}, signed, Purpose.REMOVE_APPROVER)
    entry.connection.execute(approvers.delete().where(approvers.c.name == name))
    return event


def count_approver(entry: Entry, name: str, counter: int) -> Event:
    """Keep the counter that a passkey told; the next one has to be larger.

    Raises:
        ConflictError: it is not larger than the one before, or there is no such approver.
    """
    known = {approver.name: approver for approver in approvers_of(entry.connection)}
    if name not in known:
        raise ConflictError(f"there is no approver {name[:64]}")
    before = known[name].counter
    if before is not None and counter <= before:
        raise ConflictError(f"the passkey of {name} counts backwards: it may have been copied")
    event = entry.append(COUNTED, None, {"name": name, "counter": counter})
    entry.connection.execute(approvers.update().where(approvers.c.name == name).values(counter=counter))
    return event


def add_client(entry: Entry, client: Client, signed: Signed | None) -> Event:
    """Register a client.

    Raises:
        ConflictError: the name or the credential is registered already, or is none.
    """
    _check_name(client.name)
    if not _HEX.fullmatch(client.credential_sha256):
        raise ConflictError("a client's credential is given by its SHA-256, in hex")
    for other in clients_of(entry.connection):
        if other.name == client.name:
            raise ConflictError(f"there is a client {client.name} already; remove that one first")
        if other.credential_sha256 == client.credential_sha256:
            raise ConflictError(f"client {other.name} has this credential already")
    told = {"name": client.name, "credential_sha256": client.credential_sha256}
    event = _told(entry, CLIENT_ADDED, told, signed, Purpose.ADD_CLIENT)
    _insert(entry, clients, {**told, "added_ms": entry.now_ms})
    return event


def remove_client(entry: Entry, name: str, signed: Signed) -> Event:
    """Take a client off the register, and what it was allowed with it.

    Raises:
        ConflictError: there is none of this name.
    """
    _check_client(entry, name)
    event = _told(entry, CLIENT_REMOVED, {"name": name}, signed, Purpose.REMOVE_CLIENT)
    entry.connection.execute(allowances.delete().where(allowances.c.client == name))
    entry.connection.execute(clients.delete().where(clients.c.name == name))
    return event


def allow_tool(entry: Entry, allowance: Allowance, signed: Signed | None) -> Event:
    """Say that a client may, or may not, use a tool as it is declared now.

    Raises:
        ConflictError: there is no such client.
    """
    _check_client(entry, allowance.client)
    told = {
        "client": allowance.client,
        "tool": allowance.tool,
        "is_allowed": allowance.is_allowed,
        "declaration": allowance.declaration,
    }
    event = _told(entry, TOOL_ALLOWED, told, signed, Purpose.ALLOW_TOOL)
    key = {"of_client": allowance.client, "of_tool": allowance.tool}
    entry.connection.execute(allowances.delete().where(*_ALLOWANCE_KEY), key)
    _insert(entry, allowances, {**told, "changed_ms": entry.now_ms})
    return event


def accept_configuration(entry: Entry, configuration: AcceptedConfiguration, signed: Signed | None) -> Event:
    """Put a configuration in force.

    Raises:
        ConflictError: the digest is none.
    """
    if not _HEX.fullmatch(configuration.digest):
        raise ConflictError("a configuration is named by its SHA-256, in hex")
    told = {"digest": configuration.digest, "text": configuration.text}
    event = _told(entry, ACCEPTED, told, signed, Purpose.ACCEPT_CONFIGURATION)
    entry.connection.execute(configurations.delete())
    _insert(entry, configurations, {**told, "accepted_ms": entry.now_ms})
    return event


def _told(
    entry: Entry, kind: str, told: Mapping[str, object], signed: Signed | None, purpose: Purpose
) -> Event:
    if signed is not None:
        entry.sign(signed.nonce, purpose, spent_ms=entry.now_ms)
    return entry.append(kind, None, {**told, "signed": None if signed is None else asdict(signed)})


def _insert(entry: Entry, table: Table, row: Mapping[str, object]) -> None:
    entry.connection.execute(table.insert(), dict(row))


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise ConflictError("a name has 1 to 64 letters, digits, and _ . - after the first")


def _check_client(entry: Entry, name: str) -> None:
    if name not in {client.name for client in clients_of(entry.connection)}:
        raise ConflictError(f"there is no client {name[:64]}")
