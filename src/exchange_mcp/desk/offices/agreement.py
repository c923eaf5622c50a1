"""Whether serve and the desk mean the same account by one name. Pure; asked at the handshake and of every proposal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from exchange_mcp.link.messages import AccountAgreement, AccountIdentity, Agreed
from exchange_mcp.model.accounts import Account, AccountName, Environment
from exchange_mcp.model.coverage import Sources
from exchange_mcp.model.orders import OpenOrder


class OpenOrders(Protocol):
    """What `halt --cancel-open` reads of an account; a `ReadVenue` has it."""

    def open_orders(self, symbol: str | None) -> Sources[OpenOrder]:
        """Every resting order, conditional ones included."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldAccount:
    """One account as the desk holds it.

    Attributes:
        account_id: the venue's own id of it as far as known now, without asking.
        key: what its key was found to be able to do, in words.
        accept_unmatched: why a live account that cannot be compared with serve's is traded; None: it is not.
    """

    account: Account
    reading: OpenOrders
    account_id: Callable[[], str | None]
    key: Callable[[], str]
    accept_unmatched: str | None = None


MAY_WRITE: frozenset[Agreed] = frozenset({"agreed", "accepted", "unverifiable"})


def agreement(said: AccountIdentity, held: Mapping[AccountName, HeldAccount]) -> AccountAgreement:
    """Whether both sides mean the same account, and why not, in one sentence."""
    own = held.get(AccountName(said.name))
    if own is None:
        return _told(said, "not_held", f"The desk holds no account {said.name[:64]!r}.")
    difference = _difference(said, own.account)
    return _compared(said, own) if difference is None else _told(said, "mismatch", difference)


def _difference(said: AccountIdentity, account: Account) -> str | None:
    for what, theirs, ours in (
        ("venue", said.venue, account.venue),
        ("environment", said.environment.value, account.environment.value),
    ):
        if theirs != ours:
            return f"Its {what} is {ours} at the desk and {theirs[:64]} at serve."
    extra = [kind.value for kind in said.market_types if kind not in account.market_types]
    if extra or not said.market_types:
        return f"The desk does not trade {', '.join(extra) or 'no market type'} on it."
    return None


def _compared(said: AccountIdentity, own: HeldAccount) -> AccountAgreement:
    """By the venue's own account id."""
    ours_id = own.account_id()
    if said.account_id is not None and ours_id is not None:
        if said.account_id == ours_id:
            return _told(said, "agreed", "The venue's own account id is the same on both sides.")
        return _told(said, "mismatch", "The venue's own account id is another one at the desk than at serve.")
    if own.account.environment is not Environment.LIVE:
        return _told(said, "unverifiable", "The venue's account id is not known; it is not real money.")
    if own.accept_unmatched is not None:
        return _told(
            said, "accepted", f"It cannot be compared; the operator accepts it: {own.accept_unmatched}"
        )
    return _told(
        said,
        "mismatch",
        "The venue's own account id is not known on both sides, so it cannot be compared; the operator can accept that"
        " with accept_unmatched in desk.toml.",
    )


def _told(said: AccountIdentity, agreed: Agreed, reason: str) -> AccountAgreement:
    return AccountAgreement(name=said.name, agreed=agreed, reason=reason)
