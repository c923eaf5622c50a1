"""What an API key may do, as its venue tells it, and what that means for those who would use it. Pure.

Unknown is a word of its own here: what a venue did not say, or said in words that nobody has read yet, is never
taken for a denial.
"""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from exchange_mcp.model.frozen import Record
from exchange_mcp.model.instants import Instant
from exchange_mcp.model.venue_text import VenueText

MOST_FLAGS: Final = 48
MOST_REASONS: Final = 24


class Permission(StrEnum):
    """Whether a key may do something. Only a venue that says no in words that we know makes it denied."""

    GRANTED = "granted"
    DENIED = "denied"
    UNKNOWN = "unknown"


class Ability(StrEnum):
    """What a key may be able to do; each is one permission of a `KeyScope`."""

    READ = "read"
    TRADE = "trade"
    WITHDRAW = "withdraw"
    TRANSFER = "transfer"


class KeyScope(Record):
    """What one key may do, and since when that is known.

    Attributes:
        read: see balances, orders and positions.
        trade: place, change or cancel orders, borrow or convert.
        withdraw: send money out of the account to somebody else, or say where it may be sent.
        transfer: move money between wallets, portfolios, products or sub-accounts of the venue, where a permission
            decides it; what every key that can read may do is not counted.
        ip_restricted: whether it works from listed addresses only; None where the venue does not tell.
        expires: when it, or what it may do, ends; None if it does not end, or the venue does not tell.
        account_id: the venue's own id of the account.
        flags: what the venue said, as text and without secrets.
        reasons: which flag granted what, and why each unknown is unknown.
        asked: when the venue was asked; None for an answer from elsewhere.
    """

    venue: VenueText
    read: Permission
    trade: Permission
    withdraw: Permission
    transfer: Permission
    ip_restricted: bool | None = None
    expires: Instant | None = None
    account_id: VenueText | None = None
    flags: Annotated[dict[VenueText, VenueText], Field(max_length=MOST_FLAGS)] = Field(default_factory=dict)
    reasons: Annotated[tuple[str, ...], Field(max_length=MOST_REASONS)] = ()
    asked: Instant | None = None

    def may(self, ability: Ability) -> Permission:
        """What is known of one ability."""
        return {
            Ability.READ: self.read,
            Ability.TRADE: self.trade,
            Ability.WITHDRAW: self.withdraw,
            Ability.TRANSFER: self.transfer,
        }[ability]

    @classmethod
    def unknown(cls, venue: str, reason: str) -> "KeyScope":
        """Nothing is known, and why."""
        return cls(
            venue=venue,
            read=Permission.UNKNOWN,
            trade=Permission.UNKNOWN,
            withdraw=Permission.UNKNOWN,
            transfer=Permission.UNKNOWN,
            reasons=(reason,),
        )


class Role(StrEnum):
    """Who would use a key: the server that only reads, or the desk that trades."""

    SERVE = "serve"
    DESK = "desk"


class KeyVerdict(Record):
    """Whether a key may be used in a role.

    Attributes:
        reasons: why it is refused, a sentence each; empty if it is accepted.
        remedy: what to do at the venue, or in the configuration; empty if nothing is to be done.
        warnings: what its operator should know although it is accepted, or beside why it is not.
        verified: the venue told every permission; False also where somebody accepted what it did not tell.
    """

    role: Role
    accepted: bool
    reasons: tuple[str, ...]
    remedy: str
    warnings: tuple[str, ...]
    verified: bool
