"""What an order says, where ccxt's parse of it loses digits or meaning: one pure function a venue.

ccxt gives the identity of an order (id, times, type) and how long it is good for; the amounts and prices are taken here
from the venue's own row. What a row does not tell stays unknown; a price of 0 or -1 is no price.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, cast

from exchange_mcp.model.decimals import from_wire, subtract
from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.model.positions import Side
from exchange_mcp.rules.private.declared import KEY
from exchange_mcp.venue.listing import at

Parsed = Mapping[str, Any]

_NO_PRICE: Final = -1


@dataclass(frozen=True, slots=True)
class Terms:
    """What an order says. Amounts are in the venue's unit; `in_base` says that they are no contracts even so."""

    identifier: str | None
    client_id: str | None
    side: str | None
    price: Decimal | None
    trigger: Decimal | None
    amount: Decimal | None
    filled: Decimal | None
    closes: bool | None
    reduce_only: bool | None
    post_only: bool | None
    created: int | None
    position_side: Side | None
    in_base: bool = False


def number(row: Parsed, path: str) -> Decimal | None:
    """The exact number at a path of a row, None where the venue told none.

    Raises:
        BadAnswerError: what is there is not an exact number.
    """
    try:
        return from_wire(at(row, path))
    except ValueError as error:
        raise BadAnswerError(f"the venue's {path} is {error}") from None


def positive(row: Parsed, *paths: str) -> Decimal | None:
    """The first number above zero; venues write 0 or -1 where there is no price.

    Raises:
        BadAnswerError: one of them is no exact number, or below zero and not -1.
    """
    told = [(path, value) for path in paths if (value := number(row, path)) is not None]
    for path, value in told:
        if value < 0 and value != _NO_PRICE:
            raise BadAnswerError(f"the venue's {path} is below zero")
    return next((value for _, value in told if value > 0), None)


def _instant(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def truth(value: object) -> bool | None:
    """What a flag says, told as true, "true" or "YES"."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False, "yes": True, "no": False}.get(str(value).lower())


def text(value: object) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def side_of_position(value: object) -> Side | None:
    """The side of a hedge-mode position that an order is for."""
    side = str(value).lower()
    return cast("Side", side) if side in {"long", "short"} else None


def parsable(row: Parsed) -> dict[str, Any]:
    """A row that ccxt's parser takes for what it is.

    An order that the venue keeps under its id tells that id. Kraken's description has prices that are offsets, which
    ccxt counts with, and a sentence, which it takes apart.
    """
    described = row.get("descr")
    if not isinstance(described, Mapping):
        return dict(row)
    told = cast("Parsed", described)
    plain = {name: _absolute(told.get(name)) for name in ("price", "price2")}
    descr = {name: value for name, value in {**told, **plain}.items() if name != "order"}
    return {"id": row.get(KEY), **row, "descr": descr}


def parsed_terms(parsed: Parsed) -> Terms:
    """The terms as ccxt parsed them."""
    info = cast("Parsed", parsed.get("info") or {})
    time_in_force = parsed.get("timeInForce")
    post_only = truth(parsed.get("postOnly"))
    closes = truth(info.get("closePosition"))
    identifier = parsed.get("id")
    return Terms(
        identifier=str(identifier) if identifier else None,
        client_id=text(parsed.get("clientOrderId")),
        side=parsed.get("side"),
        price=number(parsed, "price"),
        trigger=number(parsed, "triggerPrice"),
        amount=None if closes else number(parsed, "amount"),
        filled=number(parsed, "filled"),
        closes=closes,
        reduce_only=truth(parsed.get("reduceOnly")),
        post_only=time_in_force == "PO" if post_only is None and time_in_force else post_only,
        created=_instant(parsed.get("timestamp")),
        position_side=side_of_position(info.get("positionSide", "")),
    )


def _binance(row: Parsed, terms: Terms) -> Terms:
    # What waits in the list of conditional orders has filled nothing and tells no field of it.
    is_algo = "algoId" in row
    closes = truth(row.get("closePosition"))
    return replace(
        terms,
        price=positive(row, "price"),
        trigger=positive(row, "triggerPrice" if is_algo else "stopPrice"),
        amount=None if closes else number(row, "quantity" if is_algo else "origQty"),
        filled=None if is_algo else number(row, "executedQty"),
        closes=closes,
        reduce_only=truth(row.get("reduceOnly")),
        created=_instant(row.get("createTime" if is_algo else "time")),
    )


def _bybit(row: Parsed, terms: Terms) -> Terms:
    # A market buy at spot counts in quote unless marketUnit says otherwise; ccxt then knows no amount.
    amount = None if terms.amount is None else number(row, "qty")
    closes = amount == 0 and truth(row.get("reduceOnly")) is True
    return replace(
        terms,
        price=positive(row, "price"),
        trigger=positive(row, "triggerPrice"),
        amount=None if closes else amount,
        filled=number(row, "cumExecQty"),
        closes=closes or None,
        position_side={"1": "long", "2": "short"}.get(str(row.get("positionIdx"))),
    )


_OKX_ALGOS: Final = frozenset(
    {"conditional", "oco", "trigger", "move_order_stop", "chase", "iceberg", "twap"}
)


def _okx(row: Parsed, terms: Terms) -> Terms:
    is_algo = row.get("ordType") in _OKX_ALGOS
    closes = is_algo and bool(row.get("closeFraction"))
    in_quote = row.get("tgtCcy") == "quote_ccy"
    # An order may carry a stop and a target of its own; those are not what it waits for.
    stops = ("triggerPx", "slTriggerPx", "tpTriggerPx", "moveTriggerPx") if is_algo else ()
    prices = ("ordPx", "slOrdPx", "tpOrdPx", "pxLimit") if is_algo else ("px",)
    return replace(
        terms,
        # ccxt takes the algo's id for that of the order which it has placed.
        identifier=text(row.get("algoId" if is_algo else "ordId")),
        client_id=text(row.get("algoClOrdId" if is_algo else "clOrdId")),
        price=positive(row, *prices),
        trigger=positive(row, *stops),
        amount=None if closes or in_quote else number(row, "sz"),
        filled=None if is_algo else number(row, "accFillSz"),
        closes=closes if is_algo else None,
        position_side=side_of_position(row.get("posSide")),
    )


def _gate(row: Parsed, terms: Terms) -> Terms:
    if "initial" in row or "contract" in row:
        return _gate_contract(row, terms)
    if "put" in row:
        buys_for_quote = at(row, "put.type") == "market" and at(row, "put.side") == "buy"
        return replace(
            terms,
            client_id=text(at(row, "put.text")),
            side=text(at(row, "put.side")),
            price=positive(row, "put.price"),
            trigger=positive(row, "trigger.price"),
            amount=None if buys_for_quote else number(row, "put.amount"),
            filled=None,
            reduce_only=None,
        )
    buys_for_quote = row.get("type") == "market" and row.get("side") == "buy"
    amount, left = number(row, "amount"), number(row, "left")
    told = number(row, "filled_amount")
    counted = None if buys_for_quote or amount is None or left is None else subtract(amount, left)
    return replace(
        terms,
        price=positive(row, "price"),
        trigger=None,
        amount=None if buys_for_quote else amount,
        filled=counted if told is None else told,
        reduce_only=None,
    )


def _gate_contract(row: Parsed, terms: Terms) -> Terms:
    """A contract order, plain or triggered: the sign of its size is its side, and size 0 closes the position."""
    order = cast("Parsed", row.get("initial") if isinstance(row.get("initial"), Mapping) else row)
    size, left = number(order, "size"), number(row, "left")
    closing = f"{row.get('order_type', '')} {order.get('auto_size', '')}"
    side: str | None = None
    if size:
        side = "buy" if size > 0 else "sell"
    elif "long" in closing:
        side = "sell"
    elif "short" in closing:
        side = "buy"
    amount = size.copy_abs() if size else None
    return replace(
        terms,
        client_id=text(order.get("text")),
        side=side,
        price=positive(order, "price"),
        trigger=positive(row, "trigger.price"),
        amount=amount,
        filled=None if amount is None or left is None else subtract(amount, left.copy_abs()),
        closes=size == 0,
        reduce_only=truth(order.get("is_reduce_only", order.get("reduce_only"))),
    )


def _bitget(row: Parsed, terms: Terms) -> Terms:
    side, position_side = text(row.get("side")), side_of_position(row.get("posSide"))
    if row.get("posMode") == "hedge_mode" and str(row.get("tradeSide")).startswith("close"):
        # There the side is that of the position, not of the trade.
        side = {"long": "sell", "short": "buy"}.get(str(position_side), side)
    size, kind = number(row, "size"), str(row.get("planType", ""))
    is_spot = "posSide" not in row and "posMode" not in row
    in_quote = kind == "total" or (is_spot and row.get("orderType") == "market" and side == "buy")
    is_whole = not is_spot and (size == 0 or (size is None and kind.startswith("pos_")))
    return replace(
        terms,
        side=side,
        price=positive(row, "executePrice", "price"),
        trigger=positive(row, "triggerPrice"),
        amount=None if is_whole or in_quote else size,
        filled=number(row, "baseVolume"),
        closes=True if is_whole else None,
        reduce_only=truth(row.get("reduceOnly")),
        position_side=position_side,
        in_base=True,
    )


def _bitget_unified(row: Parsed, terms: Terms) -> Terms:
    side, position_side = text(row.get("side")), side_of_position(row.get("posSide"))
    is_strategy = "price" not in row
    is_trigger = positive(row, "triggerPrice") is not None
    if side is None and is_strategy and not is_trigger:
        # A stop or target of a position tells only whose it is, and closes it.
        side = {"long": "sell", "short": "buy"}.get(str(position_side))
    stop = positive(row, "stopLoss")
    limits = ("triggerOrderPrice",) if is_trigger else ("slLimitPrice",) if stop else ("tpLimitPrice",)
    in_quote = (
        row.get("category") in {"SPOT", "MARGIN"} and row.get("orderType") == "market" and side == "buy"
    )
    return replace(
        terms,
        side=side,
        price=positive(row, *(limits if is_strategy else ("price",))),
        # Where it waits for both, the stop is the one to know.
        trigger=positive(row, "triggerPrice", "stopLoss", "takeProfit") if is_strategy else None,
        amount=None if in_quote else number(row, "qty"),
        filled=number(row, "cumExecQty"),
        closes=None,
        reduce_only=truth(row.get("reduceOnly")),
        position_side=position_side,
        in_base=True,
    )


def _kucoin(row: Parsed, terms: Terms) -> Terms:
    if "sizeUnit" in row:
        unit = row.get("sizeUnit")
        return replace(
            terms,
            price=positive(row, "price"),
            trigger=positive(row, "triggerPrice"),
            amount=None if unit == "QUOTECCY" else number(row, "size"),
            filled=None if unit == "QUOTECCY" else number(row, "filledSize"),
            in_base=unit == "BASECCY",
            position_side=side_of_position(row.get("positionSide")),
        )
    size = positive(row, "size")  # an order by funds has none
    closes = truth(row.get("closeOrder"))
    return replace(
        terms,
        price=positive(row, "price"),
        trigger=positive(row, "stopPrice"),
        amount=size,
        filled=number(row, "filledSize") if "filledSize" in row else number(row, "dealSize"),
        closes=closes,
        position_side=side_of_position(row.get("positionSide")),
    )


def _kraken(row: Parsed, terms: Terms) -> Terms:
    """Kraken's description holds the trigger in `price` and the limit in `price2`, where the order has both."""
    kind = str(at(row, "descr.ordertype"))
    first, second = at(row, "descr.price"), at(row, "descr.price2")
    is_trailing, is_stop = kind.startswith("trailing"), kind.startswith(("stop-loss", "take-profit"))
    descr = {"first": _absolute(first), "second": _absolute(second)}
    price = positive(descr, "second" if is_stop else "first")
    trigger = positive(descr, "first") if is_stop else None
    in_quote = "viqc" in str(row.get("oflags", ""))
    return replace(
        terms,
        client_id=text(row.get("cl_ord_id")),
        price=positive(row, "limitprice") if is_trailing else price,
        trigger=positive(row, "stopprice") if is_trailing else trigger,
        amount=None if in_quote else number(row, "vol"),
        filled=None if in_quote else number(row, "vol_exec"),
    )


def _absolute(price: object) -> object:
    """A price that is one, and not an offset such as "+5%" or "#2.5"."""
    return price if isinstance(price, str) and price[:1].isdigit() and price[-1:].isdigit() else None


def _coinbase(row: Parsed, terms: Terms) -> Terms:
    told = row.get("order_configuration")
    kinds = list(cast("Mapping[str, Any]", told).values()) if isinstance(told, Mapping) else []
    if len(kinds) != 1 or not isinstance(kinds[0], Mapping):
        raise BadAnswerError("the venue sent an order without its configuration")
    order = cast("Parsed", kinds[0])
    return replace(
        terms,
        price=positive(order, "limit_price"),
        trigger=positive(order, "stop_price", "stop_trigger_price"),
        amount=number(order, "base_size"),
        filled=number(row, "filled_size"),
        post_only=truth(order.get("post_only")),
    )


def _bitget_either(row: Parsed, terms: Terms) -> Terms:
    return _bitget_unified(row, terms) if "category" in row else _bitget(row, terms)


_BY_VENUE: Final[Mapping[str, Callable[[Parsed, Terms], Terms]]] = MappingProxyType(
    {
        "binance": _binance,
        "bybit": _bybit,
        "okx": _okx,
        "gate": _gate,
        "bitget": _bitget_either,
        "kucoin": _kucoin,
        "kraken": _kraken,
        "coinbase": _coinbase,
    }
)


def terms_of(venue: str, row: Parsed, parsed: Parsed) -> Terms:
    """What the venue's row says of an order that ccxt parsed from it.

    Raises:
        BadAnswerError: a number in it is none.
    """
    told = parsed_terms(parsed)
    settled = _BY_VENUE.get(venue)
    return told if settled is None else settled(row, told)
