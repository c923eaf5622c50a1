"""Halts and the orders that lead to one, as parts of one transaction."""

from dataclasses import asdict
from typing import Final

from sqlalchemy import bindparam, select

from exchange_mcp.desk.entry import Entry, legible
from exchange_mcp.desk.journal_errors import ConflictError
from exchange_mcp.desk.records import LONGEST_REASON, Event, Signed
from exchange_mcp.desk.schema import halts, intents, strangers
from exchange_mcp.model.accounts import AccountName

_ORDER_KNOWN: Final = select(intents.c.id).where(intents.c.client_order_id == bindparam("key"))
_HALT_OF: Final = halts.select().where(halts.c.account == bindparam("key"))
_HALT: Final = halts.insert()
_AGAIN: Final = (
    halts.update()
    .where(halts.c.account == bindparam("key"))
    .values(by=bindparam("new_by"), reason=bindparam("new_reason"))
)

_RESUME: Final = halts.delete().where(halts.c.account == bindparam("key"))
_STRANGER: Final = strangers.select().where(
    strangers.c.account == bindparam("of"), strangers.c.client_order_id == bindparam("key")
)
_SEEN: Final = strangers.insert()


def halt(entry: Entry, account: AccountName | None, *, by: str, reason: str) -> Event:
    """Put a halt in force, of the desk where `account` is None; one that is, is for this reason as well.

    Whoever lifts it is told all of them, the newest first: what the desk itself found while it was halted by hand too.
    """
    new = {"by": legible(by), "reason": legible(reason)[:LONGEST_REASON]}
    held = entry.connection.execute(_HALT_OF, {"key": account or ""}).first()
    if held is None:
        entry.connection.execute(_HALT, {"account": account or "", "at_ms": entry.now_ms, **new})
    elif new["reason"] not in held.reason:
        before = f"{new['reason']}; and before that, by {held.by}: {held.reason}"
        again = {"key": account or "", "new_by": new["by"], "new_reason": before[:LONGEST_REASON]}
        entry.connection.execute(_AGAIN, again)
    return entry.append("halted", None, {"account": account, "by": by, "reason": reason})


def lift(entry: Entry, account: AccountName | None, signed: Signed, *, reason: str) -> Event:
    """Lift one halt, if it still stands for what whoever signed was told, and for nothing else."""
    what = "the desk" if account is None else account
    held = entry.connection.execute(_HALT_OF, {"key": account or ""}).first()
    if held is None:
        raise ConflictError(f"{what} is not halted")
    if held.reason != reason:
        raise ConflictError(f"{what} is halted for something else than was looked at: {held.reason}")
    entry.connection.execute(_RESUME, {"key": account or ""})
    entry.sign(signed.nonce, "resume", spent_ms=entry.now_ms)
    return entry.append("resumed", None, {"account": account, "signed": asdict(signed)})


def see_stranger(entry: Entry, account: AccountName, client_order_id: str, detail: str) -> bool:
    """Halt the account for an order that this journal neither made nor saw before; whether it is one."""
    key = {"of": account, "key": client_order_id}
    if (
        entry.connection.execute(_ORDER_KNOWN, {"key": client_order_id}).first() is not None
        or entry.connection.execute(_STRANGER, key).first() is not None
    ):
        return False
    seen = {"account": account, "client_order_id": client_order_id}
    entry.connection.execute(_SEEN, {**seen, "first_ms": entry.now_ms})
    entry.append("stranger", None, {**seen, "detail": detail})
    halt(entry, account, by="desk", reason=f"order {client_order_id} is not of this journal: {detail}")
    return True
