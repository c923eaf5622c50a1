"""From what ccxt parsed to the model. Pure: a dict in, a record out, or `BadAnswerError`."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, Literal, cast

from exchange_mcp.model.balances import Balance
from exchange_mcp.model.decimals import add, from_wire, multiply, subtract
from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.positions import MarginMode, Position, Side

Parsed = Mapping[str, Any]

_NOT_ASSETS: Final = frozenset({"info", "timestamp", "datetime", "free", "used", "total", "debt"})


def number(parsed: Parsed, key: str) -> Decimal | None:
    """The exact number under a key, None where the venue told none.

    Raises:
        BadAnswerError: what is there is not an exact number.
    """
    try:
        return from_wire(parsed.get(key))
    except ValueError as error:
        raise BadAnswerError(f"the venue's {key} is {error}") from None


def _instant(parsed: Parsed) -> int | None:
    value = parsed.get("timestamp")
    return int(value) if isinstance(value, int) and value > 0 else None


def balances(parsed: Parsed, account: str, source: str) -> list[Balance]:
    """Every asset of one wallet, empty ones included, in the venue's order."""
    return [
        _balance(cast("Parsed", row), account, source, asset)
        for asset, row in parsed.items()
        if asset not in _NOT_ASSETS and isinstance(row, Mapping)
    ]


def _balance(row: Parsed, account: str, source: str, asset: str) -> Balance:
    free, used, total = number(row, "free"), number(row, "used"), number(row, "total")
    if source == "spot" and free is not None and used is not None:
        total = add(free, used)  # ccxt's own sum drops trailing zeros
    return Balance(account=account, source=source, asset=asset, free=free, used=used, total=total)


def position(parsed: Parsed, market: Parsed | None, account: str, source: str) -> Position:
    """One open position.

    Raises:
        BadAnswerError: the venue does not tell which side it is.
    """
    info = cast("Parsed", parsed.get("info") or {})
    contracts, size = _as_sent(parsed, "contracts", info, "positionAmt"), number(parsed, "contractSize")
    mode = parsed.get("marginMode")
    return Position(
        account=account,
        source=source,
        symbol=str(parsed.get("symbol")),
        side=_side(parsed, info),
        amount=_linear_base(contracts, size, market),
        contracts=contracts,
        contract_size=size,
        entry_price=number(parsed, "entryPrice"),
        mark_price=number(parsed, "markPrice"),
        liquidation_price=number(parsed, "liquidationPrice"),
        notional=_as_sent(parsed, "notional", info, "notional"),
        leverage=number(parsed, "leverage"),
        margin_mode=cast("MarginMode", mode) if mode in {"cross", "isolated"} else None,
        unrealised_pnl=number(parsed, "unrealizedPnl"),
        hedge_mode=parsed["hedged"] if isinstance(parsed.get("hedged"), bool) else None,
        updated=_instant(parsed),
    )


def _as_sent(parsed: Parsed, key: str, info: Parsed, raw: str) -> Decimal | None:
    """A size as ccxt gives it, with the trailing zeros that taking off its sign there has lost."""
    size, sent = number(parsed, key), number(info, raw)
    return sent.copy_abs() if sent is not None and sent.copy_abs() == size else size


def _side(parsed: Parsed, info: Parsed) -> Side:
    side = parsed.get("side")
    if side in {"long", "short"}:
        return cast("Side", side)
    # ccxt takes the side from the notional, which is zero while the venue has no mark price.
    signed = number(info, "positionAmt")
    if not signed:
        raise BadAnswerError("the venue does not tell which side a position is on")
    return "long" if signed > 0 else "short"


def _linear_base(contracts: Decimal | None, size: Decimal | None, market: Parsed | None) -> Decimal | None:
    """Contracts as an amount of base; None for inverse contracts, whose size is in quote."""
    if contracts is None or size is None or market is None or not market.get("linear"):
        return None
    return contracts if size == 1 else multiply(contracts, size)


def open_order(parsed: Parsed, market: Parsed | None, account: str, source: str) -> OpenOrder:
    """One resting order.

    Raises:
        BadAnswerError: it has no id or no side.
    """
    info = cast("Parsed", parsed.get("info") or {})
    side, identifier = parsed.get("side"), parsed.get("id")
    if side not in {"buy", "sell"} or not identifier:
        raise BadAnswerError("the venue sent an order without an id or a side")
    scale, in_contracts = _scale(market)
    closes = info.get("closePosition")
    amount = None if closes in {True, "true"} else number(parsed, "amount")
    filled = number(parsed, "filled")
    return OpenOrder(
        account=account,
        source=source,
        symbol=str(parsed.get("symbol")),
        id=str(identifier),
        client_order_id=_text(parsed.get("clientOrderId")),
        side=cast("Literal['buy', 'sell']", side),
        type=str(parsed.get("type")),
        price=number(parsed, "price"),
        trigger_price=number(parsed, "triggerPrice"),
        amount=_scaled(amount, scale),
        filled=_scaled(filled, scale),
        remaining=None if amount is None else _scaled(_remaining(parsed, amount, filled), scale),
        contracts=in_contracts,
        reduce_only=_truth(parsed.get("reduceOnly")),
        closes_position=_truth(closes),
        post_only=_truth(parsed.get("postOnly")),
        time_in_force=_text(parsed.get("timeInForce")),
        position_side=_position_side(info),
        created=_instant(parsed),
    )


def _remaining(parsed: Parsed, amount: Decimal, filled: Decimal | None) -> Decimal | None:
    remaining = number(parsed, "remaining")
    if filled is None or remaining != subtract(amount, filled):
        return remaining
    return subtract(
        amount, filled
    )  # the same number, with the trailing zeros that ccxt's own difference drops


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _truth(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(str(value).lower())


def _position_side(info: Parsed) -> Side | None:
    side = str(info.get("positionSide", "")).lower()
    return cast("Side", side) if side in {"long", "short"} else None


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
    parsed: Parsed, account: str, symbol: str, volumes: tuple[str | None, str | None] | None = None
) -> Ticker:
    """One market's ticker; `volumes` names the venue's own fields of base and quote volume, where they differ.

    Raises:
        BadAnswerError: it tells neither a last price nor a bid nor an ask.
    """
    info = cast("Parsed", parsed.get("info") or {})
    base_volume, quote_volume = (
        (number(parsed, "baseVolume"), number(parsed, "quoteVolume"))
        if volumes is None
        else tuple(None if name is None else number(info, name) for name in volumes)
    )
    result = Ticker(
        account=account,
        symbol=symbol,
        last=number(parsed, "last"),
        bid=number(parsed, "bid"),
        ask=number(parsed, "ask"),
        high=number(parsed, "high"),
        low=number(parsed, "low"),
        change_percent=number(parsed, "percentage"),
        base_volume=base_volume,
        quote_volume=quote_volume,
        time=_instant(parsed),
    )
    if result.last is None and result.bid is None and result.ask is None:
        raise BadAnswerError(f"the venue sent a ticker of {symbol} without a price")
    return result


def order_book(
    parsed: Parsed, market: Parsed, account: str, levels: int, *, is_known: bool = True
) -> OrderBook:
    """The best levels of one market's book; `is_known` tells whether ccxt's size of a contract was verified there.

    Raises:
        BadAnswerError: both sides are empty, or a level is not a price and an amount.
    """
    scale, in_contracts = _scale(market) if is_known else (Decimal(1), False)
    unit = "contracts" if in_contracts else "base"
    bids, asks = (_side_of_book(parsed, side, scale, levels) for side in ("bids", "asks"))
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
    if exact is None:
        raise BadAnswerError("the venue sent a level of its book without a price or an amount")
    return exact
