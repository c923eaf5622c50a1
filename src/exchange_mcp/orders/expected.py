"""What an order is expected to trade at, and what it can be worth at most."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import add, divide, divide_up, multiply, subtract
from exchange_mcp.model.errors import ErrorCode, OrderRefusedError
from exchange_mcp.model.terms import MarketTerms
from exchange_mcp.model.writes import OrderType
from exchange_mcp.orders import walk
from exchange_mcp.orders.grids import amount_grid
from exchange_mcp.orders.planned import PlannedOrder
from exchange_mcp.orders.reasons import Reasons
from exchange_mcp.orders.wording import plain, shown, values

_ZERO: Final = Decimal(0)
_ONE: Final = Decimal(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What is expected of an order, were all of it filled.

    Attributes:
        amount: in the venue's unit; base, quote: the same in base and in quote.
        average: of the whole, rounded against the order's side; None where it is no price that anybody could expect.
        taken: what the book fills at once; None where the book is not known.
        rest: what is not filled at once, in the venue's unit.
        may_rest: whether the venue keeps what is not filled at once; IOC and FOK drop it, a stop waits for its trigger.
        price: at which the rest trades: the limit, or the trigger of a stop that has none.
        worst_cost: in quote; None where nothing bounds it.
        worth: of the first so much (in the venue's unit) of the order, in quote.
    """

    amount: Decimal
    base: Decimal
    quote: Decimal
    average: Decimal | None
    taken: walk.Walk | None
    rest: Decimal
    price: Decimal | None
    worst_cost: Decimal | None
    worth: Callable[[Decimal], Decimal]
    may_rest: bool = True

    @property
    def resting(self) -> Decimal:
        """What stays in the book once the order is placed, in the venue's unit."""
        return self.rest if self.may_rest else _ZERO


def expect(
    planned: PlannedOrder,
    terms: MarketTerms,
    side: walk.Side | None,
    amount: Decimal | None,
    reasons: Reasons,
) -> Expected | None:
    """What is expected; None where a market order's book is not known.

    Args:
        planned: the order.
        terms: of its market.
        side: the levels that it trades with, None where they are not known.
        amount: how much of it there is to fill, in the venue's unit; None where it says a cost.
        reasons: where it is said what cannot be known, and why.

    Raises:
        OrderRefusedError: BOOK_EMPTY, BOOK_TOO_THIN, COST_TOO_SMALL, COST_TOO_LARGE, all of market orders.
    """
    if planned.write.type is OrderType.MARKET:
        if side is None:
            reasons.say(
                "a market order has no bound on its price without the book", "worst_cost", "average_price"
            )
            return None
        return _at_market(planned, terms, side, amount)
    return None if amount is None else _at_price(planned, terms, side, amount, reasons)


def _at_market(
    planned: PlannedOrder, terms: MarketTerms, side: walk.Side, amount: Decimal | None
) -> Expected:
    write = planned.write
    buys = write.side == "buy"
    if not any(offered > 0 and price > 0 for price, offered in side.levels):
        what = "asks" if buys else "bids"
        raise OrderRefusedError(
            ErrorCode.BOOK_EMPTY,
            f"the book of {plain(terms.symbol)} has no {what}: a market {write.side} has nothing to trade with; "
            "use a limit order",
        )
    if write.cost is not None:
        taken = _walk_cost(write.cost, terms, side)
    else:
        taken = walk.take_amount(side, amount or _ZERO, buys=buys)
        if taken.missing > 0:
            raise _too_thin(terms, planned, taken)
    highest = taken.highest or _ZERO
    worst = taken.quote if side.is_inverse else multiply(multiply(taken.amount, _size(terms)), highest)
    return Expected(
        amount=taken.amount,
        base=taken.base,
        quote=taken.quote,
        average=average(taken.quote, taken.base, terms, buys=buys),
        taken=taken,
        rest=_ZERO,
        price=None,
        worst_cost=worst if write.cost is None else write.cost,
        worth=lambda first: (
            taken.quote if first == taken.amount else walk.take_amount(side, first, buys=buys).quote
        ),
    )


def _walk_cost(cost: Decimal, terms: MarketTerms, side: walk.Side) -> walk.Walk:
    grid = amount_grid(terms, OrderType.MARKET)
    step = _ZERO if grid is None else grid.step
    taken = walk.take_cost(side, cost, step=step)
    unit = plain(terms.quote)
    if taken.missing > 0:
        raise OrderRefusedError(
            ErrorCode.BOOK_TOO_THIN,
            f"cost: the {len(side.levels)} levels of the book that were read sell for {shown(taken.quote)} {unit}, "
            f"less than {shown(cost)}; ask for less, or use a limit order",
        )
    if not taken.amount:
        raise OrderRefusedError(
            ErrorCode.COST_TOO_SMALL,
            f"cost: {shown(cost)} {unit} buys less than the smallest step of {shown(step)} {plain(terms.base)}",
        )
    if grid is not None and grid.is_too_large(taken.amount):
        raise OrderRefusedError(
            ErrorCode.COST_TOO_LARGE,
            f"cost: {shown(cost)} {unit} buys {shown(taken.amount)} {plain(terms.base)}, above the most of "
            f"{shown(grid.most or _ZERO)} in one market order",
        )
    return taken


def _too_thin(terms: MarketTerms, planned: PlannedOrder, taken: walk.Walk) -> OrderRefusedError:
    size = _size(terms)
    unit = terms.quote if terms.market_type is MarketType.INVERSE else terms.base
    grid = amount_grid(terms, planned.write.type)
    most = None if grid is None else grid.scaled(size).below(multiply(taken.amount, size))
    nearest = values(most, None, unit) if most is not None else "no valid amount can be filled"
    return OrderRefusedError(
        ErrorCode.BOOK_TOO_THIN,
        f"the {taken.levels} levels of the book that were read hold {shown(multiply(taken.amount, size))} "
        f"{plain(unit)}, less than the order; {nearest}, or use a limit order",
    )


def _at_price(
    planned: PlannedOrder, terms: MarketTerms, side: walk.Side | None, amount: Decimal, reasons: Reasons
) -> Expected | None:
    write = planned.write
    buys = write.side == "buy"
    price = write.price if write.price is not None else write.trigger_price
    if price is None:
        return None
    is_inverse = terms.market_type is MarketType.INVERSE
    at_once: walk.Walk | None = walk.NOTHING
    if write.type is OrderType.LIMIT and not write.is_post_only:
        if side is None:
            reasons.say("the book is not known", "taken_at_once", "resting")
            at_once = None
        else:
            at_once = walk.take_amount(side, amount, limit=write.price, buys=buys)
            if write.time_in_force == "FOK" and at_once.missing:
                at_once = walk.NOTHING
    taken = walk.NOTHING if at_once is None else at_once
    rest = subtract(amount, taken.amount)
    size = _size(terms)

    def worth(first: Decimal) -> Decimal:
        if first == amount:
            return quote
        walked = walk.NOTHING
        if side is not None and taken.amount:
            walked = walk.take_amount(side, first, limit=write.price, buys=buys)
        return add(walked.quote, multiply(multiply(subtract(first, walked.amount), size), price))

    of_rest = multiply(rest, size)
    quote = add(taken.quote, of_rest if is_inverse else multiply(of_rest, price))
    base = add(taken.base, divide(of_rest, price) if is_inverse else of_rest)
    if write.type is OrderType.STOP_MARKET:
        reasons.say(
            "a stop_market order fills at what the book is then; figures are at its trigger", "average_price"
        )
    return Expected(
        amount=amount,
        base=base,
        quote=quote,
        average=None if write.type is OrderType.STOP_MARKET else average(quote, base, terms, buys=buys),
        taken=at_once,
        rest=rest,
        price=price,
        worst_cost=_most(planned, terms, side, amount, reasons),
        worth=worth,
        may_rest=write.type.has_trigger or write.time_in_force in {None, "GTC"},
    )


def _most(
    planned: PlannedOrder, terms: MarketTerms, side: walk.Side | None, amount: Decimal, reasons: Reasons
) -> Decimal | None:
    """What an order with a price can be worth at most: a sale can also trade above its price."""
    write = planned.write
    size = multiply(amount, _size(terms))
    if write.price is None:
        reasons.say(
            "a stop_market order has no bound on its price; it can only reduce the position", "worst_cost"
        )
        return None
    if terms.market_type is MarketType.INVERSE:
        return size
    highest = write.price if write.trigger_price is None else max(write.price, write.trigger_price)
    if write.side == "sell" and write.type is OrderType.LIMIT:
        if side is None:
            reasons.say("a sale can trade above its price, and the book is not known", "worst_cost")
            return None
        highest = max([highest, *(price for price, _ in side.levels[:1])])
    return multiply(size, write.price if write.side == "buy" else highest)


def average(quote: Decimal, base: Decimal, terms: MarketTerms, *, buys: bool) -> Decimal | None:
    """The mean price, with four decimals more than the tick has and eight at least, rounded against the order."""
    if not base:
        return None
    tick = terms.price.tick.as_tuple().exponent
    places = max(8, 4 - tick) if isinstance(tick, int) else 8
    return (divide_up if buys else divide)(quote, base, places=places)


def _size(terms: MarketTerms) -> Decimal:
    return _ONE if terms.contract_size is None else terms.contract_size
