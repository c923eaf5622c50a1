"""What a venue holds an order to besides its grid: worth, distance, side of the trigger, number, what it may reduce.

A rule whose figures were not told is not checked; its sentence is added to `unchecked` instead.
Sources: those of `placing`. That the worth of a stop is measured at its trigger price too is from the vendor's older
text on MIN_NOTIONAL, "if the order is an Algo order".
"""

from decimal import Decimal
from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import add, divide, divide_up, multiply, subtract
from exchange_mcp.model.errors import ErrorCode, OrderRefusedError
from exchange_mcp.model.terms import MarketTerms, NotionalGrid, Reference, Standing
from exchange_mcp.orders.grids import Grid, amount_grid, price_grid
from exchange_mcp.orders.positions import leg_that_is_reduced, signed_position
from exchange_mcp.orders.requests import OrderRequest
from exchange_mcp.orders.wording import plain, shown, values

_ZERO: Final = Decimal(0)
_ONE: Final = Decimal(1)
_NAMED: Final = {"average": "average price", "mark": "mark price", "last": "last price"}


def check_notional(
    request: OrderRequest, terms: MarketTerms, reference: Reference, unchecked: list[str]
) -> None:
    """Refuse an order that is worth too little or too much (NOTIONAL_TOO_SMALL, NOTIONAL_TOO_LARGE)."""
    grid = terms.notional
    if grid is None:
        unchecked.append("the worth of the order: the venue's limits are not told")
        return
    least, most = _worth_limits(request, grid)
    if least is None and most is None:
        return
    for price in _worth_prices(request, terms, reference, unchecked):
        worth = request.cost if request.cost is not None else multiply(request.amount or _ZERO, price)
        if least is not None and worth < least:
            raise _too_little(request, terms, price, worth, least)
        if most is not None and worth > most:
            raise _too_much(request, terms, price, worth, most)


def check_band(request: OrderRequest, terms: MarketTerms, reference: Reference, unchecked: list[str]) -> None:
    """Refuse a limit price too far from the venue's reference (PRICE_OUTSIDE_BAND)."""
    price, band = request.price, terms.band
    if price is None:
        return
    if band is None:
        unchecked.append("the distance of the price: the venue's limits are not told")
        return
    if request.type.has_trigger and terms.market_type is not MarketType.SPOT:
        unchecked.append("the distance of the price: the venue checks it once the order is triggered")
        return
    compared = getattr(reference, band.reference)
    if compared is None:
        unchecked.append(f"the distance of the price: the {_NAMED[band.reference]} is not told")
        return
    lower, upper = (
        (band.buy_least, band.buy_most) if request.side == "buy" else (band.sell_least, band.sell_most)
    )
    least = None if lower is None else multiply(compared, lower)
    most = None if upper is None else multiply(compared, upper)
    if (least is None or price >= least) and (most is None or price <= most):
        return
    grid = price_grid(terms)
    lowest = None if least is None else grid.above(least)
    highest = None if most is None else grid.below(most)
    allowed = " and ".join(
        part
        for part in (
            "" if lowest is None else f"at least {shown(lowest)}",
            "" if highest is None else f"at most {shown(highest)}",
        )
        if part
    )
    raise OrderRefusedError(
        ErrorCode.PRICE_OUTSIDE_BAND,
        f"price: {shown(price)} {plain(terms.quote)} is too far from the {_NAMED[band.reference]} of "
        f"{shown(compared)}; a {request.side} may be {allowed or 'at no price'}",
    )


def check_trigger(
    request: OrderRequest, terms: MarketTerms, reference: Reference, unchecked: list[str]
) -> None:
    """Refuse a stop that the last price has passed already (TRIGGER_WRONG_SIDE): a buy waits above, a sell below."""
    trigger, last = request.trigger_price, reference.last
    if trigger is None:
        return
    if last is None:
        unchecked.append("the side of the trigger price: the last price is not told")
        return
    if (trigger > last) if request.side == "buy" else (trigger < last):
        return
    where = "above" if request.side == "buy" else "below"
    grid = price_grid(terms)
    beyond = grid.above(add(last, grid.step)) if where == "above" else _just_below(grid, last)
    nearest = "" if beyond is None else f", such as {shown(beyond)}"
    raise OrderRefusedError(
        ErrorCode.TRIGGER_WRONG_SIDE,
        f"trigger_price: a {request.side} stop waits {where} the last price of {shown(last)} {plain(terms.quote)}, and "
        f"{shown(trigger)} would trigger at once; use a price {where} it{nearest}",
    )


def check_count(request: OrderRequest, terms: MarketTerms, standing: Standing, unchecked: list[str]) -> None:
    """Refuse one order more than the venue keeps open for an account on this market (TOO_MANY_ORDERS)."""
    if standing.resting is None:
        unchecked.append("the number of open orders: they are not told")
        return
    waiting = [o for o in standing.resting if o.is_conditional or o.trigger_price is not None]
    # On spot a stop counts as an order too; contracts keep conditional orders apart.
    apart = [o for o in standing.resting if o.is_conditional and terms.market_type is not MarketType.SPOT]
    is_apart = request.type.has_trigger and terms.market_type is not MarketType.SPOT
    limits = (
        ("open orders", None if is_apart else terms.max_orders, len(standing.resting) - len(apart)),
        (
            "conditional orders",
            terms.max_conditional_orders if request.type.has_trigger else None,
            len(waiting),
        ),
    )
    for what, most, count in limits:
        if most is not None and count >= most:
            raise OrderRefusedError(
                ErrorCode.TOO_MANY_ORDERS,
                f"{plain(terms.symbol)} has {count} {what} of this account, and the venue keeps "
                f"at most {most}; cancel one",
            )


def check_position(
    request: OrderRequest, terms: MarketTerms, standing: Standing, unchecked: list[str]
) -> None:
    """Refuse a spot buy that could take the account above the most it may hold (POSITION_TOO_LARGE)."""
    most = terms.max_position
    if most is None or request.side != "buy":
        return
    buys = None if standing.resting is None else [o.amount for o in standing.resting if o.side == "buy"]
    if standing.free_base is None or standing.locked_base is None or buys is None or None in buys:
        unchecked.append("the most that may be held: balances or open orders are not told")
        return
    held = add(standing.free_base, standing.locked_base)
    for amount in buys:
        held = add(held, amount or _ZERO)
    if add(held, request.amount or _ZERO) > most or held > most:
        room = max(_ZERO, subtract(most, held))
        raise OrderRefusedError(
            ErrorCode.POSITION_TOO_LARGE,
            f"amount: with {shown(held)} {plain(terms.base)} held and on order, this would pass the venue's most of "
            f"{shown(most)}; at most {shown(room)} more can be bought",
        )


def check_reducing(
    request: OrderRequest, terms: MarketTerms, standing: Standing, unchecked: list[str]
) -> None:
    """Refuse a reduce-only order that has nothing to reduce (REDUCE_ONLY_WOULD_OPEN)."""
    if not request.reduce_only:
        return
    if standing.held is None or standing.position_mode is None:
        unchecked.append("what reduce_only would reduce: the position or its mode is not told")
        return
    if leg_that_is_reduced(standing, request.side) is not None:
        return
    held = signed_position(standing)
    size = Decimal(1) if terms.contract_size is None else terms.contract_size
    unit = terms.quote if terms.market_type is MarketType.INVERSE else terms.base
    if standing.position_mode == "hedge":
        wanted = "long" if request.side == "sell" else "short"
        told = f"there is no {wanted} position for a {request.side} to reduce"
    elif held == 0:
        told = "there is no position to reduce"
    else:
        side, needed = ("long", "sell") if held and held > 0 else ("short", "buy")
        told = (
            f"the position is {side} {shown(multiply(held or _ZERO, size).copy_abs())} {plain(unit)}, "
            f"which only a {needed} reduces"
        )
    raise OrderRefusedError(ErrorCode.REDUCE_ONLY_WOULD_OPEN, f"reduce_only: {told}")


def _worth_limits(request: OrderRequest, grid: NotionalGrid) -> tuple[Decimal | None, Decimal | None]:
    least, most = grid.least, grid.most
    if not request.type.has_price:
        of_most = (
            grid.applies_to_market if grid.most_applies_to_market is None else grid.most_applies_to_market
        )
        least, most = (least if grid.applies_to_market else None), (most if of_most else None)
    if request.reduce_only and grid.reduce_only_is_exempt:
        least = None
    return least, most


def _worth_prices(
    request: OrderRequest, terms: MarketTerms, reference: Reference, unchecked: list[str]
) -> list[Decimal]:
    """At which prices the venue values the order; none, and a sentence, where that is not told."""
    if request.cost is not None:
        return [_ONE]
    own = [price for price in (request.price, request.trigger_price) if price is not None]
    if request.type.has_price:
        return own
    kind = terms.notional.reference if terms.notional is not None else None
    if kind is None:
        spot = "average" if terms.band is None else terms.band.reference
        kind = spot if terms.market_type is MarketType.SPOT else "mark"
    price = getattr(reference, kind)
    if price is None:
        unchecked.append(f"the worth of the order: the {_NAMED[kind]} is not told")
        return own
    return [price, *own]


def _too_little(
    request: OrderRequest, terms: MarketTerms, price: Decimal, worth: Decimal, least: Decimal
) -> OrderRefusedError:
    unit = plain(terms.quote)
    if request.cost is not None:
        told = f"cost: {shown(worth)} {unit} is less than the least of {shown(least)} {unit}"
        return OrderRefusedError(ErrorCode.NOTIONAL_TOO_SMALL, told)
    enough = _nearest(request, terms, divide_up(least, price), up=True)
    return OrderRefusedError(
        ErrorCode.NOTIONAL_TOO_SMALL,
        f"amount: at {shown(price)} it is worth {shown(worth)} {unit}, less than the least of "
        f"{shown(least)} {unit}; {enough}",
    )


def _too_much(
    request: OrderRequest, terms: MarketTerms, price: Decimal, worth: Decimal, most: Decimal
) -> OrderRefusedError:
    unit = plain(terms.quote)
    if request.cost is not None:
        told = f"cost: {shown(worth)} {unit} is more than the most of {shown(most)} {unit}"
        return OrderRefusedError(ErrorCode.NOTIONAL_TOO_LARGE, told)
    enough = _nearest(request, terms, divide(most, price), up=False)
    return OrderRefusedError(
        ErrorCode.NOTIONAL_TOO_LARGE,
        f"amount: at {shown(price)} it is worth {shown(worth)} {unit}, more than the most of "
        f"{shown(most)} {unit}; {enough}",
    )


def _nearest(request: OrderRequest, terms: MarketTerms, amount: Decimal, *, up: bool) -> str:
    grid = amount_grid(terms, request.type)
    size = Decimal(1) if terms.contract_size is None else terms.contract_size
    if grid is not None:
        grid = grid.scaled(size)
        found = grid.above(amount) if up else grid.below(amount)
        return values(found, None, terms.base)
    return values(None, None, terms.base)


def _just_below(grid: Grid, last: Decimal) -> Decimal | None:
    return grid.below(last if not grid.is_on_step(last) else subtract(last, grid.step))
