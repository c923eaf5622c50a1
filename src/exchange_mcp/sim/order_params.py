"""What a request says about an order, read and refused as the venue does.

Source: https://github.com/binance/binance-spot-api-docs/blob/master/errors.md (11xx, request issues)
"""

import re
from collections.abc import Collection
from decimal import Decimal

from exchange_mcp.sim import rejections
from exchange_mcp.sim.digits import ZERO
from exchange_mcp.sim.errors import VenueError, illegal, invalid, too_long_a_span
from exchange_mcp.sim.orders import Side
from exchange_mcp.sim.wire import Params

_DECIMAL_PATTERN = "^([0-9]{1,20})(\\.[0-9]{1,20})?$"
_DECIMAL = re.compile(_DECIMAL_PATTERN)
_CLIENT_ID_PATTERN = "^[\\.A-Z\\:/a-z0-9_-]{1,36}$"
_CLIENT_ID = re.compile(_CLIENT_ID_PATTERN)
_MAX_LIMIT = 1_000
_DEFAULT_LIMIT = 500
_HOUR_MS = 3_600_000


def number(params: Params, name: str, *, is_mandatory: bool = False) -> Decimal:
    """Return a price or a quantity, zero where it was not sent; raise VenueError -1100, -1102, -1105."""
    text = params.mandatory(name) if is_mandatory else params.text(name)
    if text is None:
        return ZERO
    if _DECIMAL.fullmatch(text) is None:
        raise illegal(name, _DECIMAL_PATTERN)
    return Decimal(text)


def flag(params: Params, name: str) -> bool:
    """Return whether something was sent as true; raise VenueError -1130 for what is neither true nor false."""
    text = (params.text(name) or "false").lower()
    if text not in {"true", "false"}:
        raise invalid(name)
    return text == "true"


def choice(params: Params, name: str, allowed: Collection[str], default: str, error: VenueError) -> str:
    """Return one of some words, the default where it was not sent; raise the error for another word."""
    text = params.text(name)
    if text is None:
        return default
    if text not in allowed:
        raise error
    return text


def side(params: Params) -> Side:
    """Return which way an order trades; raise VenueError -1102, -1117."""
    text = params.mandatory("side")
    if text not in set(Side):
        raise rejections.bad_side()
    return Side(text)


def kind(params: Params, allowed: Collection[str]) -> str:
    """Return the order type; raise VenueError -1102, -1116."""
    text = params.mandatory("type")
    if text not in allowed:
        raise rejections.bad_order_type()
    return text


def time_in_force(params: Params, allowed: Collection[str], *, is_mandatory: bool) -> str:
    """Return the time in force, GTC where it was not sent; raise VenueError -1102, -1115."""
    if is_mandatory:
        params.mandatory("timeInForce")
    return choice(params, "timeInForce", allowed, "GTC", rejections.bad_time_in_force())


def refuse(params: Params, *names: str) -> None:
    """Raise VenueError -1106 where a parameter was sent that does not go with the order type."""
    for name in names:
        if params.text(name) is not None:
            raise rejections.not_required(name)


def client_id(params: Params, *names: str) -> str:
    """Return the client's own id under the first name that was sent, or nothing; raise VenueError -1100."""
    for name in names:
        text = params.text(name)
        if text is not None:
            if _CLIENT_ID.fullmatch(text) is None:
                raise illegal(name, _CLIENT_ID_PATTERN)
            return text
    return ""


def prevention(params: Params) -> str:
    """Return how trades with oneself are prevented; raise VenueError -1130."""
    modes = {"NONE", "EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH", "DECREMENT"}
    name = "selfTradePreventionMode"
    return choice(params, name, modes, "EXPIRE_MAKER", invalid(name))


def limit(params: Params, default: int = _DEFAULT_LIMIT) -> int:
    """Return how many rows are wanted, at most 1,000; raise VenueError -1100, -1130."""
    wanted = params.integer("limit")
    if wanted == 0:
        raise invalid("limit")
    return min(default if wanted is None else wanted, _MAX_LIMIT)


def span(params: Params, longest_hours: int | None = None) -> tuple[int, int]:
    """Return the first and the last moment that are asked about, in milliseconds.

    Raises VenueError -1127 where both are told and lie further apart than a list goes.
    """
    first, last = params.integer("startTime"), params.integer("endTime")
    start, end = first or 0, 2**63 if last is None else last
    is_told = first is not None and last is not None
    if is_told and longest_hours is not None and end - start > longest_hours * _HOUR_MS:
        raise too_long_a_span(longest_hours)
    return start, end
