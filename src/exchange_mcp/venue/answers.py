"""From what ccxt parsed to the model. Pure: a dict in, a record out, or `BadAnswerError`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from typing import Final, Literal, cast

from exchange_mcp.model.balances import Balance
from exchange_mcp.model.decimals import add, from_wire, multiply, subtract
from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.positions import MarginMode, Position, Side
from exchange_mcp.rules.private.declared import BalanceFields, PositionFields
from exchange_mcp.rules.tickers import TickerFields
from exchange_mcp.venue.listing import at
from exchange_mcp.venue.terms import Parsed, Terms, number, parsed_terms, text

_HUNDRED: Final = Decimal(100)


def _instant(parsed: Parsed) -> int | None:
    value = parsed.get("timestamp")
    return int(value) if isinstance(value, int) and value > 0 else None


def balances(
    rows: Sequence[Parsed], fields: BalanceFields, account: str, source: str, code_of: Callable[[str], str]
) -> list[Balance]:
    """Every asset of one wallet, empty ones included, in the venue's order. `code_of` gives an asset its common name.

    Raises:
        BadAnswerError: a row names no asset or no amount of it, or contradicts itself.
    """
    kept = (row for row in rows if _is_kept(row, fields))
    return [_balance(row, fields, account, source, code_of) for row in kept]


def _is_kept(row: Parsed, fields: BalanceFields) -> bool:
    if fields.only is None:
        return True
    told = at(row, fields.only[0])
    if not isinstance(told, str) or not told:
        raise BadAnswerError(f"the venue sent a balance without its {fields.only[0]}")
    return told == fields.only[1]


def _balance(
    row: Parsed, fields: BalanceFields, account: str, source: str, code_of: Callable[[str], str]
) -> Balance:
    asset = at(row, fields.asset)
    if not isinstance(asset, str) or not asset:
        raise BadAnswerError("the venue sent a balance without its asset")
    used = [value for name in fields.used if (value := number(row, name)) is not None]
    free, held = _first(row, fields.free), reduce(add, used) if used else None
    total = _first(row, fields.total)
    if not fields.total and free is not None and held is not None:
        total = add(free, held)
    if free is None and held is None and total is None:
        raise BadAnswerError("the venue sent a balance without an amount")
    if fields.wallet is not None and number(row, fields.wallet) and not (free or held or total):
        raise BadAnswerError(f"the venue sent a balance of nothing with money in its {fields.wallet}")
    return Balance(account=account, source=source, asset=code_of(asset), free=free, used=held, total=total)


def _first(row: Parsed, names: tuple[str, ...]) -> Decimal | None:
    return next((value for name in names if (value := number(row, name)) is not None), None)


def position(  # noqa: PLR0913 - a row, how it is read, and what it is called
    row: Parsed, fields: PositionFields, market: Parsed | None, *, symbol: str, account: str, source: str
) -> Position | None:
    """One open position; None where its size is zero.

    Raises:
        BadAnswerError: the venue does not tell its size or its side, or contradicts itself, or a price is below zero.
    """
    size = number(row, fields.size)
    if size is None:
        raise BadAnswerError("the venue sent a position without its size")
    if size == 0:
        return None
    per_contract = None if market is None else number(market, "contractSize")
    leverage = _told(row, fields.leverage)
    notional = _told(row, fields.notional)
    return Position(
        account=account,
        source=source,
        symbol=symbol,
        side=_side(row, fields, size),
        amount=size.copy_abs() if fields.in_base else _linear_base(size.copy_abs(), per_contract, market),
        contracts=None if fields.in_base else size.copy_abs(),
        contract_size=None if fields.in_base else per_contract,
        entry_price=_price(row, fields.entry),
        mark_price=_price(row, fields.mark),
        liquidation_price=_above_zero(row, fields.liquidation),
        notional=None if notional is None else notional.copy_abs(),
        leverage=leverage if leverage or not fields.zero_leverage_is_cross else None,
        margin_mode=_margin_mode(row, fields, leverage),
        unrealised_pnl=_told(row, fields.pnl),
        hedge_mode=None if fields.hedge is None else fields.hedges.get(str(at(row, fields.hedge))),
        updated=_updated(row, fields),
    )


def _told(row: Parsed, name: str | None) -> Decimal | None:
    return None if name is None else number(row, name)


def _price(row: Parsed, name: str | None) -> Decimal | None:
    return _not_negative(_told(row, name), name)


def _not_negative(value: Decimal | None, name: str | None) -> Decimal | None:
    if value is not None and value < 0:
        raise BadAnswerError(f"the venue's {name} is below zero")
    return value


def _above_zero(row: Parsed, name: str | None) -> Decimal | None:
    told = _told(row, name)
    return told if told is not None and told > 0 else None


def _margin_mode(row: Parsed, fields: PositionFields, leverage: Decimal | None) -> MarginMode | None:
    if fields.margin is not None:
        return fields.margins.get(str(at(row, fields.margin)))
    if not fields.zero_leverage_is_cross or leverage is None:
        return None
    return "isolated" if leverage else "cross"


def _updated(row: Parsed, fields: PositionFields) -> int | None:
    told = _told(row, fields.updated)
    if told is None or told <= 0:
        return None
    return int(told) * 1000 if fields.in_seconds else int(told) // fields.per_millisecond


def _side(row: Parsed, fields: PositionFields, size: Decimal) -> Side:
    """The side that is told; where none is, or none but "net", that of the signed size."""
    by_sign: Side = "long" if size > 0 else "short"
    side: Side | None = by_sign
    if fields.side is not None:
        told = str(at(row, fields.side))
        side = fields.sides.get(told)
        if side is None and told in fields.signed:
            side = by_sign
        elif side is not None and (side if fields.short_is_negative else "long") != by_sign:
            raise BadAnswerError(f"the venue sent a {side} position whose size has the other side's sign")
    if side is None:
        raise BadAnswerError("the venue does not tell which side a position is on")
    hedged = None if fields.hedge is None else fields.hedge_sides.get(str(at(row, fields.hedge)))
    if hedged is not None and hedged != side:
        raise BadAnswerError(f"the venue sent a {side} position as one of the {hedged} side")
    return side


def _linear_base(contracts: Decimal, size: Decimal | None, market: Parsed | None) -> Decimal | None:
    """Contracts as an amount of base; None for inverse contracts, whose size is in quote."""
    if size is None or market is None or not market.get("linear"):
        return None
    return contracts if size == 1 else multiply(contracts, size)


def open_order(  # noqa: PLR0913 - as above
    parsed: Parsed,
    market: Parsed | None,
    account: str,
    source: str,
    *,
    symbol: str,
    terms: Terms | None = None,
) -> OpenOrder:
    """One resting order; its terms as ccxt parsed them unless they are given.

    Raises:
        BadAnswerError: it has no id or no side, an amount below zero, or more filled than it is of.
    """
    told = parsed_terms(parsed) if terms is None else terms
    if told.side not in {"buy", "sell"} or not told.identifier:
        raise BadAnswerError("the venue sent an order without an id or a side")
    scale, in_contracts = (Decimal(1), False) if told.in_base else _scale(market)
    return OpenOrder(
        account=account,
        source=source,
        symbol=symbol,
        id=told.identifier,
        client_order_id=told.client_id,
        side=cast("Literal['buy', 'sell']", told.side),
        type=text(parsed.get("type")),
        price=told.price,
        trigger_price=told.trigger,
        amount=_scaled(told.amount, scale),
        filled=_scaled(told.filled, scale),
        remaining=_scaled(_remaining(told), scale),
        contracts=in_contracts,
        reduce_only=told.reduce_only,
        closes_position=told.closes,
        post_only=told.post_only,
        time_in_force=text(parsed.get("timeInForce")),
        position_side=told.position_side,
        created=told.created,
    )


def _remaining(told: Terms) -> Decimal | None:
    """What is left of the amount, where it and what is filled are both told."""
    amount, filled = _not_negative(told.amount, "amount"), _not_negative(told.filled, "filled amount")
    if amount is None or filled is None:
        return None
    if filled > amount:
        raise BadAnswerError("the venue sent an order of which more is filled than there is")
    return subtract(amount, filled)


def _scale(market: Parsed | None) -> tuple[Decimal, bool]:
    """What one unit of the venue's amount is in base, and whether amounts stay in contracts instead."""
    if market is None or not market.get("contract"):
        return Decimal(1), False
    size = number(market, "contractSize")
    if not market.get("linear") or size is None:
        return Decimal(1), True
    return size, False


def _scaled(amount: Decimal | None, scale: Decimal) -> Decimal | None:
    return amount if amount is None or scale == 1 else multiply(amount, scale)


def ticker(
    parsed: Parsed, market: Parsed, account: str, fields: TickerFields | None, *, is_known: bool = True
) -> Ticker:
    """One market's ticker: by `fields` from the venue's own row, otherwise what ccxt took from that row unchanged.

    `is_known` tells whether it is known what the venue's volumes count.

    Raises:
        BadAnswerError: it is of another market, tells neither a last price nor a bid nor an ask, or one below zero.
    """
    info = parsed.get("info")
    told = _sent_unchanged(parsed, info) if fields is None else _by_fields(parsed, info, market, fields)
    prices = {name: _not_negative(told(name), name) for name in ("last", "bid", "ask", "high", "low")}
    if prices["last"] is None and prices["bid"] is None and prices["ask"] is None:
        raise BadAnswerError(f"the venue sent a ticker of {market['symbol']} without a price")
    return Ticker(
        account=account,
        symbol=str(market["symbol"]),
        last=prices["last"],
        bid=prices["bid"],
        ask=prices["ask"],
        high=prices["high"],
        low=prices["low"],
        change_percent=told("percentage"),
        base_volume=_not_negative(told("baseVolume"), "volume") if is_known else None,
        quote_volume=_not_negative(told("quoteVolume"), "volume") if is_known else None,
        time=_instant(parsed),
    )


def _by_fields(
    parsed: Parsed, info: object, market: Parsed, fields: TickerFields
) -> Callable[[str], Decimal | None]:
    if not isinstance(info, Mapping):
        raise BadAnswerError("the venue sent a ticker that is not an object")
    row = cast("Parsed", info)
    if fields.market is not None and at(row, fields.market) != market["id"]:
        raise BadAnswerError(f"the venue sent a ticker that is not told to be of {market['symbol']}")
    paths = {
        "last": fields.last,
        "bid": fields.bid,
        "ask": fields.ask,
        "high": fields.high,
        "low": fields.low,
        "percentage": fields.percent,
        "baseVolume": fields.base_volume,
        "quoteVolume": fields.quote_volume,
    }

    def told(name: str) -> Decimal | None:
        if name in fields.beside:
            return number(parsed, name)
        if name == "percentage" and fields.ratio is not None:
            ratio = number(row, fields.ratio)
            return None if ratio is None else multiply(ratio, _HUNDRED)
        path = paths[name]
        if path is None or (fields.unknown is not None and at(row, path) == fields.unknown):
            return None
        return number(row, path)

    return told


def _sent_unchanged(parsed: Parsed, info: object) -> Callable[[str], Decimal | None]:
    """What ccxt took from the venue's row; what is nowhere in the row was worked out, and is left out."""
    sent = frozenset(_leaves(info))

    def told(name: str) -> Decimal | None:
        # Some of ccxt's classes call the last price the close.
        name = "close" if name == "last" and parsed.get("last") is None else name
        value = parsed.get(name)
        return number(parsed, name) if value is not None and str(value) in sent else None

    return told


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for content in cast("Mapping[str, object]", value).values():
            yield from _leaves(content)
    elif isinstance(value, list):
        for content in cast("list[object]", value):
            yield from _leaves(content)
    elif value is not None:
        yield str(value)


def order_book(
    parsed: Parsed, market: Parsed, account: str, levels: int, *, is_known: bool = True
) -> OrderBook:
    """The best levels of one market's book; `is_known` tells whether ccxt's size of a contract was verified there.

    Raises:
        BadAnswerError: both sides are empty or cross, or a level is not a price and an amount of zero or more.
    """
    scale, in_contracts = _scale(market) if is_known else (Decimal(1), False)
    unit = "contracts" if in_contracts else "base"
    bids, asks = (_side_of_book(parsed, side, scale, levels) for side in ("bids", "asks"))
    if bids and asks and bids[0][0] >= asks[0][0]:
        raise BadAnswerError(f"the venue sent a book of {market['symbol']} whose bids reach its asks")
    if not bids and not asks:
        raise BadAnswerError(f"the venue sent a book of {market['symbol']} without a bid or an ask")
    return OrderBook(
        account=account,
        symbol=str(market["symbol"]),
        bids=bids,
        asks=asks,
        levels=max(len(bids), len(asks)),
        amount_unit=unit if is_known else "unknown",
        contract_size=number(market, "contractSize") if is_known else None,
        time=_instant(parsed),
    )


def _side_of_book(
    parsed: Parsed, name: Literal["bids", "asks"], scale: Decimal, levels: int
) -> tuple[tuple[Decimal, Decimal], ...]:
    rows: object = parsed.get(name)
    if not isinstance(rows, Sequence):
        raise BadAnswerError("the venue sent a book without one of its sides")
    side = [(_exact(row[0]), _exact(row[1])) for row in cast("Sequence[Sequence[object]]", rows)]
    # Where a class of ccxt makes the levels itself, they are text, and ccxt has sorted them as text.
    side.sort(key=lambda level: level[0], reverse=name == "bids")
    return tuple(
        (price, amount if scale == 1 else multiply(amount, scale)) for price, amount in side[:levels]
    )


def _exact(value: object) -> Decimal:
    try:
        exact = from_wire(value)
    except ValueError:
        exact = None
    if exact is None or exact < 0:
        raise BadAnswerError("the venue sent a level of its book without a price or an amount")
    return exact
