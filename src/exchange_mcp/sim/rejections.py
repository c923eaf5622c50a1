"""Why an order, a cancel or a leverage is refused, in the venue's own codes and words.

Sources: https://github.com/binance/binance-spot-api-docs/blob/master/errors.md and
https://developers.binance.com/docs/derivatives/usds-margined-futures/error-code
"""

from decimal import Decimal

from exchange_mcp.sim.errors import VenueError


def filter_failure(name: str) -> VenueError:
    """Say which of a spot pair's filters an order fails."""
    return VenueError(-1013, f"Filter failure: {name}")


def market_closed() -> VenueError:
    """Say that a pair is not trading."""
    return VenueError(-1013, "Market is closed.")


def spot_precision(name: str) -> VenueError:
    """Say that a number has more decimals than the asset."""
    return VenueError(-1111, f"Parameter '{name}' has too much precision.")


def usdm_precision() -> VenueError:
    """Say that a number has more decimals than the contract."""
    return VenueError(-1111, "Precision is over the maximum defined for this asset.")


def not_required(name: str) -> VenueError:
    """Say that a parameter does not go with the others."""
    return VenueError(-1106, f"Parameter '{name}' sent when not required.")


def one_of(first: str, second: str) -> VenueError:
    """Say that one of two parameters has to be there."""
    return VenueError(-1102, f"Param '{first}' or '{second}' must be sent, but both were empty/null!")


def bad_composition() -> VenueError:
    """Say that parameters were sent that contradict one another."""
    return VenueError(-1128, "Combination of optional parameters invalid.")


def bad_restriction() -> VenueError:
    """Say that a cancel was restricted in a way that does not exist."""
    return VenueError(-1145, "Invalid cancelRestrictions")


def restricted_cancel() -> VenueError:
    """Say that a cancel was for orders in another state."""
    return VenueError(-2011, "Order was not canceled due to cancel restrictions.")


def bad_time_in_force() -> VenueError:
    """Say that there is no such time in force."""
    return VenueError(-1115, "Invalid timeInForce.")


def bad_order_type() -> VenueError:
    """Say that there is no such order type."""
    return VenueError(-1116, "Invalid orderType.")


def bad_side() -> VenueError:
    """Say that an order neither buys nor sells."""
    return VenueError(-1117, "Invalid side.")


def rejected(words: str) -> VenueError:
    """Say why the matching of the spot market rejects an order."""
    return VenueError(-2010, words)


def duplicate() -> VenueError:
    """Say that an open spot order has this client order id."""
    return rejected("Duplicate order sent.")


def no_balance() -> VenueError:
    """Say that the spot wallet does not hold what an order would lock."""
    return rejected("Account has insufficient balance for requested action.")


def unknown_order() -> VenueError:
    """Say that there is no such open order to cancel."""
    return VenueError(-2011, "Unknown order sent.")


def no_such_order() -> VenueError:
    """Say that there never was such an order, or that it is forgotten."""
    return VenueError(-2013, "Order does not exist.")


def archived() -> VenueError:
    """Say that a spot order ended without a trade over 90 days ago."""
    return VenueError(
        -2026, "Order was canceled or expired with no executed qty over 90 days ago and has been archived."
    )


def no_margin() -> VenueError:
    """Say that the USD-M wallet does not cover an order's margin."""
    return VenueError(-2019, "Margin is insufficient.")


def triggers_at_once() -> VenueError:
    """Say that the price of a conditional order is already there."""
    return VenueError(-2021, "Order would immediately trigger.")


def nothing_to_reduce() -> VenueError:
    """Say that an order that only reduces finds no position on the other side."""
    return VenueError(-2022, "ReduceOnly Order is rejected.")


def too_many_orders() -> VenueError:
    """Say that a contract has as many open orders as it may have."""
    return VenueError(-2025, "Reach max open order limit.")


def too_large_a_position() -> VenueError:
    """Say that a position would be above what the leverage allows."""
    return VenueError(-2027, "Exceeded the maximum allowable position at current leverage.")


def too_small_a_leverage() -> VenueError:
    """Say that a lower leverage needs more margin than there is."""
    return VenueError(-2028, "Leverage is smaller than permitted: insufficient margin balance.")


def bad_price(code: int, words: str) -> VenueError:
    """Say what is wrong with a USD-M price or quantity (-4001 to -4024)."""
    return VenueError(code, words)


def bad_leverage(leverage: int) -> VenueError:
    """Say that a contract has no such leverage."""
    return VenueError(-4028, f"Leverage {leverage} is not valid.")


def too_many_conditional_orders() -> VenueError:
    """Say that a contract has as many conditional orders as it may have."""
    return VenueError(-4045, "Reach max stop order limit.")


def bad_leg() -> VenueError:
    """Say that there is no such leg."""
    return VenueError(-4060, "Invalid position side.")


def other_position_mode() -> VenueError:
    """Say that an order's leg does not exist in the account's position mode."""
    return VenueError(-4061, "Order's position side does not match user's setting.")


def duplicate_usdm() -> VenueError:
    """Say that an open USD-M order has this client order id."""
    return VenueError(-4116, "ClientOrderId is duplicated.")


def conditional_elsewhere() -> VenueError:
    """Say that conditional orders have endpoints of their own."""
    return VenueError(
        -4120, "Order type not supported for this endpoint. Please use the Algo Order API endpoints instead."
    )


def unfit_close(kind: str) -> VenueError:
    """Say that an order of this type cannot close the whole position."""
    return VenueError(-4136, f"Target strategy invalid for orderType {kind}, closePosition true.")


def quantity_with_close() -> VenueError:
    """Say that an order that closes the position has no quantity."""
    return VenueError(-4137, "Quantity must be zero with closePosition equals true")


def too_small(least: Decimal) -> VenueError:
    """Say that an order is worth less than a contract's minimum."""
    return VenueError(
        -4164, f"Order's notional must be no smaller than {least:f} (unless you choose reduce only)."
    )


def not_filled_at_once() -> VenueError:
    """Say that an order that had to be filled whole was not; it is not recorded."""
    return VenueError(
        -5021,
        "Due to the order could not be filled immediately, the FOK order has been rejected. The order will not"
        " be recorded in the order history",
    )


def not_a_maker() -> VenueError:
    """Say that an order that had to rest would have traded; it is not recorded."""
    return VenueError(
        -5022,
        "Due to the order could not be executed as maker, the Post Only order will be rejected. The order will"
        " not be recorded in the order history",
    )
