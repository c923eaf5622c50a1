"""What is known of an account's key, as the model and the operator are told it."""

from exchange_mcp.model.frozen import Record
from exchange_mcp.model.instants import Instant
from exchange_mcp.model.scopes import Permission
from exchange_mcp.model.venue_text import VenueText


class KeyReport(Record):
    """One account's key: what its venue says it may do, and whether it is used here.

    `checked` is when the venue last told; `accepted` whether the account may read; `verified` whether the venue
    told every permission.
    """

    account: str
    read: Permission
    trade: Permission
    withdraw: Permission
    transfer: Permission
    ip_restricted: bool | None
    expires: Instant | None
    account_id: VenueText | None
    accepted: bool
    verified: bool
    reasons: tuple[str, ...]
    remedy: str
    warnings: tuple[str, ...]
    flags: dict[VenueText, VenueText]
    checked: Instant
