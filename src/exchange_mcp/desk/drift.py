"""Whether a plan still means what was approved, now that its account and market were read again. Pure."""

from decimal import Decimal

from exchange_mcp.desk.ports import Footing
from exchange_mcp.model.decimals import multiply, subtract

_BASIS_POINTS = Decimal(10_000)


def drift(approved: Footing, now: Footing, collar_bps: Decimal) -> str | None:
    """Why the grant lapses, as a sentence; None where the plan means what it meant.

    `collar_bps` is how far the mid may have moved from the approved one, in basis points, exactly that far included.
    A figure that was there and is not told any more has drifted; so has one that appears.
    """
    if now.key_fault is not None:
        return f"The key may not be used: {now.key_fault}"
    if now.effect != approved.effect:
        return f"The order {approved.effect} when it was approved; now it {now.effect}."
    if now.is_reduce_enforced != approved.is_reduce_enforced:
        return "Whether the venue enforces that the order only reduces has changed."
    for what, before, after in (
        ("position mode", approved.position_mode, now.position_mode),
        ("leverage of the market", approved.leverage, now.leverage),
        ("margin mode of the market", approved.margin_mode, now.margin_mode),
    ):
        if after != before:
            return f"The {what} was {before}; now it is {after}."
    return _moved(approved.mid, now.mid, collar_bps)


def _moved(approved: Decimal | None, now: Decimal | None, collar_bps: Decimal) -> str | None:
    if approved is None and now is None:
        return None
    if approved is None or now is None or approved <= 0 or now <= 0:
        return "There is no quote to compare with the approved one."
    moved = subtract(now, approved).copy_abs()
    if multiply(moved, _BASIS_POINTS) > multiply(approved, collar_bps):
        return f"The mid moved from {approved} to {now}, more than the {collar_bps} basis points allowed."
    return None
