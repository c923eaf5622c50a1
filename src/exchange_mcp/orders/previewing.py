"""From a planned order and what was read of market and account to its preview."""

from decimal import Decimal
from typing import Any, Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import CONTEXT, divide, divide_up, multiply, subtract
from exchange_mcp.model.markets import OrderBook
from exchange_mcp.model.terms import MarketTerms, Reference, Standing
from exchange_mcp.model.writes import OrderType
from exchange_mcp.orders import aftermath, contracts, fees, holdings, positions, walk
from exchange_mcp.orders.expected import Expected, expect
from exchange_mcp.orders.figures import Fee, Figures
from exchange_mcp.orders.grids import amount_grid
from exchange_mcp.orders.planned import PlannedOrder, Refusal
from exchange_mcp.orders.positions import Change
from exchange_mcp.orders.preview import OrderPreview, PreviewedMarket, Refused
from exchange_mcp.orders.readings import Readings
from exchange_mcp.orders.reasons import (
    IN_SETTLEMENT_ASSET,
    NO_PRICE,
    NOT_AT_ONCE,
    SPOT_HAS_NONE,
    Reasons,
)
from exchange_mcp.orders.wording import plain, shown

_HUNDRED: Final = Decimal(100)
_POINTS: Final = Decimal(10_000)
_ON_CONTRACTS: Final = (
    "entry_price_after",
    "leverage",
    "margin_mode",
    "position_mode",
    "liquidation_price",
    "liquidation_price_after",
)


def preview_order(
    planned: PlannedOrder,
    terms: MarketTerms,
    reference: Reference,
    standing: Standing,
    book: OrderBook | None,
) -> OrderPreview:
    """What an order would do, were all of it filled; a book of None was not read.

    Raises:
        OrderRefusedError: of a market order: BOOK_EMPTY, BOOK_TOO_THIN; of its cost, what that buys is less than a
            step or more than one order may be (COST_TOO_SMALL, COST_TOO_LARGE).
    """
    write, reasons = planned.write, Reasons()
    seen = Readings(terms, reference, standing, reasons)
    levels = None if book is None else walk.opposite(book, terms, write.side)
    if levels is None:
        why = "the book was not read" if book is None else "it is not known what the book's amounts count"
        reasons.say(
            why, "mid", "slippage_bps", "distance_bps", "book_levels", "book_levels_used", "book_amount"
        )
        reasons.say(why, "taken_at_once", "resting", "notional", "notional_percent")
    smallest = amount_grid(terms, OrderType.LIMIT)
    met = _met(planned, terms, standing, write.amount, None if smallest is None else smallest.smallest())
    fills = write.amount if met.moved is None else met.moved
    expected = expect(planned, terms, levels, fills, reasons)
    if write.amount is None and expected is not None:
        met = _met(
            planned, terms, standing, expected.amount, None if smallest is None else smallest.smallest()
        )
    fee = None if expected is None else fees.estimate(planned, seen, expected)
    if expected is None:
        reasons.say("what it would trade at is not known", "fee", "fee_asset")
    figures = _figures(planned, seen, met, expected, fee)
    for name in ("effect", "position", "position_after"):
        reasons.say(met.why, name)
    values = {
        **_of_order(planned, expected, reasons),
        **_of_book(planned, book, levels, expected, reasons),
        **_of_account(seen, expected, fee, met, figures),
    }
    figures_only = {name: value for name, value in values.items() if name not in _NOT_FIGURES}
    return OrderPreview(
        action="place",
        market=previewed_market(terms),
        **values,
        stays=tuple(_stays(planned, terms, standing, expected, met)),
        warnings=(
            *figures.warnings,
            *_of_change(planned, met),
            *_of_limit(planned, terms, levels, expected),
            *_of_crossing(book),
        ),
        unchecked=planned.unchecked,
        refused=refused(planned.refusal),
        unknown=reasons.unknown(figures_only),
        as_of=standing.as_of_ms,
    )


def previewed_market(terms: MarketTerms) -> PreviewedMarket:
    """The market in the screen's alphabet."""
    return PreviewedMarket(
        venue=plain(terms.venue),
        symbol=plain(terms.symbol),
        market_id=plain(terms.market_id),
        market_type=terms.market_type,
        base=plain(terms.base),
        quote=plain(terms.quote),
        settle=None if terms.settle is None else plain(terms.settle),
        contract_size=terms.contract_size,
    )


def refused(refusal: Refusal | None) -> Refused | None:
    """Why a write would be refused, as a preview says it."""
    return None if refusal is None else Refused(code=refusal.code, reason=refusal.reason)


# Absent where an order of its kind has none, which is no figure that is not known.
_NOT_FIGURES: Final = frozenset(
    {
        "cost",
        "price",
        "trigger_price",
        "time_in_force",
        "client_order_id",
        "side",
        "type",
        "post_only",
        "reduce_only",
    }
)


def _met(
    planned: PlannedOrder,
    terms: MarketTerms,
    standing: Standing,
    amount: Decimal | None,
    smallest: Decimal | None,
) -> Change:
    return positions.change(
        terms,
        standing,
        side=planned.write.side,
        amount=amount,
        is_reduce_only=planned.write.is_reduce_only,
        smallest=smallest,
    )


def _figures(
    planned: PlannedOrder, seen: Readings, met: Change, expected: Expected | None, fee: Fee | None
) -> Figures:
    if seen.terms.market_type is MarketType.SPOT:
        seen.reasons.say(SPOT_HAS_NONE, *_ON_CONTRACTS)
        return holdings.around(planned, seen, expected, fee)
    seen.reasons.say(IN_SETTLEMENT_ASSET, "free_base", "free_base_after")
    return contracts.around(planned, seen, met, expected, fee)


def _of_order(planned: PlannedOrder, expected: Expected | None, reasons: Reasons) -> dict[str, Any]:
    write = planned.write
    amount, base = write.amount, planned.base_amount
    if amount is None and expected is not None:
        amount, base = expected.amount, expected.base
    elif base is None and expected is not None:
        base = expected.base
    reasons.say("how much the cost buys is not known", "amount", "base_amount")
    return {
        "side": write.side,
        "type": write.type,
        "amount": amount,
        "base_amount": base,
        "cost": planned.quote_amount,
        "price": write.price,
        "trigger_price": write.trigger_price,
        "time_in_force": write.time_in_force,
        "post_only": write.is_post_only,
        "reduce_only": write.is_reduce_only,
        "client_order_id": plain(write.client_order_id),
        "notional": _neat(None if expected is None else expected.quote),
        "worst_cost": _neat(None if expected is None else expected.worst_cost),
        "average_price": _neat(None if expected is None else expected.average),
    }


def _of_book(
    planned: PlannedOrder,
    book: OrderBook | None,
    levels: walk.Side | None,
    expected: Expected | None,
    reasons: Reasons,
) -> dict[str, Any]:
    write = planned.write
    mid = None if book is None else walk.middle(book)
    reasons.say("a side of the book is empty, or the two are crossed", "mid", "distance_bps", "slippage_bps")
    own = write.price if write.price is not None else write.trigger_price
    if own is None:
        reasons.replace(NO_PRICE, "distance_bps")
    taken = None if expected is None else expected.taken
    slippage = None
    if taken is None or not taken.amount:
        reasons.replace(NOT_AT_ONCE if taken is not None else "the book is not known", "slippage_bps")
    elif mid is not None:
        slippage = _slippage(taken, mid, buys=write.side == "buy")
    rest = None if expected is None or taken is None else expected.resting
    return {
        "mid": _neat(mid),
        "distance_bps": None if own is None or mid is None else _neat(_points(subtract(own, mid), mid)),
        "slippage_bps": _neat(slippage),
        "taken_at_once": None if taken is None else _neat(taken.amount),
        "resting": _neat(rest),
        "book_levels": None if levels is None else len(levels.levels),
        "book_levels_used": None if levels is None or taken is None else taken.levels,
        "book_amount": None if levels is None else _neat(walk.seen(levels)),
    }


def _of_account(
    seen: Readings, expected: Expected | None, fee: Fee | None, met: Change, figures: Figures
) -> dict[str, Any]:
    standing = seen.standing
    return {
        "notional_percent": _percent(seen.terms, standing, expected, seen.reasons),
        "fee": None if fee is None else _neat(fee.quote),
        "fee_asset": None if fee is None else plain(fee.asset),
        "fee_source": None if standing.fees is None else plain(standing.fees.source),
        "effect": met.effect,
        "position_mode": standing.position_mode,
        "position": _neat(met.before),
        "position_after": _neat(met.after),
        "entry_price_after": _neat(figures.entry_price_after),
        "leverage": standing.leverage,
        "margin_mode": standing.margin_mode,
        "free": _neat(figures.free),
        "free_placed": _neat(figures.free_placed),
        "free_after": _neat(figures.free_after),
        "free_base": _neat(figures.free_base),
        "free_base_after": _neat(figures.free_base_after),
        "liquidation_price": _neat(figures.liquidation_price),
        "liquidation_price_after": _neat(figures.liquidation_price_after),
    }


def _percent(
    terms: MarketTerms, standing: Standing, expected: Expected | None, reasons: Reasons
) -> Decimal | None:
    equity = standing.equity
    if equity is None or equity <= 0:
        told = "is not told" if equity is None else f"is {shown(equity)}"
        reasons.replace(f"what the account is worth {told}", "notional_percent")
        return None
    if expected is None:
        return None
    worth = expected.base if terms.market_type is MarketType.INVERSE else expected.quote
    return _neat(divide(multiply(worth, _HUNDRED), equity, places=4))


def _slippage(taken: walk.Walk, mid: Decimal, *, buys: bool) -> Decimal:
    """How much worse than the middle, in basis points, rounded up at the second decimal."""
    fair = multiply(taken.base, mid)
    lost = subtract(taken.quote, fair) if buys else subtract(fair, taken.quote)
    return _points(lost, fair)


def _points(part: Decimal, whole: Decimal) -> Decimal:
    scaled = multiply(part, _POINTS)
    return divide_up(scaled, whole, places=2) if scaled > 0 else divide(scaled, whole, places=2)


def _neat(number: Decimal | None) -> Decimal | None:
    return None if number is None else CONTEXT.normalize(number) if number else Decimal(0)


def _stays(
    planned: PlannedOrder, terms: MarketTerms, standing: Standing, expected: Expected | None, met: Change
) -> list[str]:
    write = planned.write
    told: list[str] = []
    if write.type.has_trigger and write.trigger_price is not None:
        told.append(f"it waits for {shown(write.trigger_price)} until it is triggered or cancelled")
    elif write.type is OrderType.LIMIT and write.time_in_force in {None, "GTC"}:
        rest = write.amount if expected is None or expected.taken is None else expected.rest
        if rest and write.price is not None:
            part = "all or part" if expected is None or expected.taken is None else shown(rest)
            told.append(f"{part} of it rests at {shown(write.price)} until it is filled or cancelled")
    if standing.resting is None:
        told.append("which other orders rest in this market is not known")
    elif met.before is not None and met.after is not None and met.leg is None:
        told.extend(aftermath.after_order(standing.resting, met.before, met.after, terms))
    return told


def _of_change(planned: PlannedOrder, met: Change) -> list[str]:
    told: list[str] = []
    asked = planned.write.amount
    if met.effect == "flips":
        told.append("it turns the position round: set reduce_only if it should only close it")
    if met.moved is not None and asked is not None and met.moved < asked:
        told.append(f"only {shown(met.moved)} of it can be filled: that is all there is to reduce")
    return told


def _of_crossing(book: OrderBook | None) -> list[str]:
    is_crossed = book is not None and book.bids and book.asks and book.bids[0][0] >= book.asks[0][0]
    return ["the book is crossed: its prices may be out of date"] if is_crossed else []


def _of_limit(
    planned: PlannedOrder, terms: MarketTerms, levels: walk.Side | None, expected: Expected | None
) -> list[str]:
    write = planned.write
    if write.type is not OrderType.LIMIT or levels is None or write.price is None:
        return []
    if write.is_post_only:
        at_once = walk.take_amount(
            levels, write.amount or Decimal(0), limit=write.price, buys=write.side == "buy"
        )
        return ["it would trade at once, so as post-only the venue would refuse it"] if at_once.amount else []
    if expected is None or not expected.rest:
        return []
    unit = " contracts" if terms.contract_size is not None else f" {plain(terms.base)}"
    if write.time_in_force == "FOK":
        lacks = walk.take_amount(levels, expected.amount, limit=write.price, buys=write.side == "buy").missing
        return [f"the book lacks {shown(lacks)}{unit} at this price: as fill-or-kill nothing would be filled"]
    if write.time_in_force == "IOC":
        return [f"the book lacks {shown(expected.rest)}{unit} at this price: that part would be dropped"]
    return []
