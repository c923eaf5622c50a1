"""What an order's fills are estimated to cost."""

from decimal import Decimal
from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import add, multiply, subtract
from exchange_mcp.model.writes import OrderType
from exchange_mcp.orders.expected import Expected
from exchange_mcp.orders.figures import Fee
from exchange_mcp.orders.planned import PlannedOrder
from exchange_mcp.orders.readings import Readings

_ZERO: Final = Decimal(0)


def estimate(planned: PlannedOrder, seen: Readings, expected: Expected) -> Fee | None:
    """The taker's rate on what trades at once or from a trigger, the maker's on what rests as a limit order.

    What may not rest (IOC, FOK) can only ever be a taker.

    A fee is paid in quote or the settlement asset on contracts, and in what is received on spot
    (https://github.com/binance/binance-spot-api-docs/blob/master/faqs/commission_faq.md), unless the account's fees
    say another asset.
    """
    terms, reasons, fees, write = seen.terms, seen.reasons, seen.standing.fees, planned.write
    if fees is None:
        reasons.say("the account's fees are not told", "fee", "fee_asset", "fee_source")
        return None
    is_inverse, is_spot = terms.market_type is MarketType.INVERSE, terms.market_type is MarketType.SPOT
    whole = expected.base if is_inverse else expected.quote
    if write.type is not OrderType.LIMIT:
        at_once, rate_of_rest = (whole if write.type is OrderType.MARKET else _ZERO), fees.taker
    elif expected.taken is None:
        reasons.say("how much trades at once, as a taker, is not known", "fee")
        return None
    else:
        at_once, rate_of_rest = (
            (expected.taken.base if is_inverse else expected.taken.quote),
            (fees.maker if expected.may_rest else fees.taker),
        )
    total = add(multiply(at_once, fees.taker), multiply(subtract(whole, at_once), rate_of_rest))
    received = terms.base if write.side == "buy" else terms.quote
    asset = fees.asset or (received if is_spot else terms.settle or terms.quote)
    in_base: Decimal | None = None
    if is_spot and asset == terms.base:
        taken = expected.taken.amount if expected.taken is not None else _ZERO
        rest = multiply(subtract(expected.amount, taken), rate_of_rest)
        in_base = add(multiply(taken, fees.taker), rest)
    return Fee(quote=total, asset=asset, in_base=in_base, at_once=multiply(at_once, fees.taker))
