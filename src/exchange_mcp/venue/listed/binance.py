"""Binance's filters, as exchangeInfo lists them: spot and USD-M.

Spot: https://developers.binance.com/docs/binance-spot-api-docs/filters
USD-M: https://developers.binance.com/docs/derivatives/usds-margined-futures/common-definition
A figure of 0 switches its rule off.
"""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, cast

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.model.terms import AmountGrid, MarketTerms, NotionalGrid, PriceBand, PriceGrid
from exchange_mcp.model.writes import OrderType
from exchange_mcp.venue.terms import Parsed, number

_KEPT: Final = frozenset(
    {
        "PRICE_FILTER",
        "LOT_SIZE",
        "MARKET_LOT_SIZE",
        "NOTIONAL",
        "MIN_NOTIONAL",
        "PERCENT_PRICE",
        "PERCENT_PRICE_BY_SIDE",
        "MAX_NUM_ORDERS",
        "MAX_NUM_ALGO_ORDERS",
        "MAX_POSITION",
    }
)
_LOTS: Final = ("LOT_SIZE", "MARKET_LOT_SIZE")
_ZERO: Final = Decimal(0)
_SPOT_TYPES: Final = {
    "MARKET": OrderType.MARKET,
    "LIMIT": OrderType.LIMIT,
    "STOP_LOSS": OrderType.STOP_MARKET,
    "STOP_LOSS_LIMIT": OrderType.STOP_LIMIT,
}
_PERPETUAL_TYPES: Final = {
    "MARKET": OrderType.MARKET,
    "LIMIT": OrderType.LIMIT,
    "STOP_MARKET": OrderType.STOP_MARKET,
    "STOP": OrderType.STOP_LIMIT,
}
RULES: Final = "rules"


def kept_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a row: what ccxt's parser of orders looks at, and an order's rules as one text.

    As objects, the filters of some thousand markets would take most of the memory of the process.
    """
    rules = {name: row[name] for name in ("status", "quoteOrderQtyMarketAllowed") if name in row}
    filters: Any = row.get("filters")
    if isinstance(filters, list):
        named = (cast("Any", each) for each in cast("list[object]", filters) if isinstance(each, dict))
        rules["filters"] = {
            each["filterType"]: {name: value for name, value in each.items() if name != "filterType"}
            for each in named
            if isinstance(each.get("filterType"), str) and each["filterType"] in _KEPT
        }
    return {"orderTypes": row.get("orderTypes", []), RULES: json.dumps(rules, separators=(",", ":"))}


def terms(market: Parsed) -> MarketTerms:
    """The terms of one market; raises as `market_terms` does."""
    info = cast("Parsed", market.get("info") or {})
    try:
        rules: Parsed = json.loads(info[RULES], parse_float=str)
        filters = {name: dict(cast("Parsed", row)) for name, row in rules["filters"].items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise BadAnswerError(f"binance listed {market['symbol']} without the filters of its orders") from None
    is_spot = bool(market.get("spot"))
    # USD-M counts steps and ticks from the least; spot counts them from zero.
    amount, on_market = (_amounts(filters.get(name), from_least=not is_spot) for name in _LOTS)
    if amount is None or not amount.step:
        raise BadAnswerError(f"binance listed {market['symbol']} without the step of its amounts")
    names = _SPOT_TYPES if is_spot else _PERPETUAL_TYPES
    offered = cast("list[str]", info.get("orderTypes") or [])
    return MarketTerms(
        venue="binance",
        symbol=str(market["symbol"]),
        market_id=str(market["id"]),
        market_type=MarketType.SPOT if is_spot else MarketType.LINEAR,
        base=str(market["base"]),
        quote=str(market["quote"]),
        settle=None if is_spot else str(market["settle"]),
        contract_size=None,  # on USD-M too, quantities count base
        is_trading=rules.get("status") == "TRADING",
        order_types=frozenset(names[name] for name in offered if name in names),
        takes_cost=is_spot and rules.get("quoteOrderQtyMarketAllowed") is True,
        amount=amount,
        market_amount=on_market,
        price=_prices(market, filters, from_least=not is_spot),
        notional=_notional(filters, is_spot=is_spot),
        band=_band_of_spot(filters) if is_spot else _band_of_perpetual(filters),
        max_orders=_most(filters, "MAX_NUM_ORDERS", "maxNumOrders"),
        max_conditional_orders=_most(filters, "MAX_NUM_ALGO_ORDERS", "maxNumAlgoOrders"),
        max_leverage=None,  # the venue tells it only with the account's brackets
        max_position=_figure(filters.get("MAX_POSITION", {}), "maxPosition"),
    )


def _figure(row: Parsed, name: str) -> Decimal | None:
    """A figure of a filter, None where it is not told or switched off."""
    told = number(row, name)
    if told is not None and told < 0:
        raise BadAnswerError(f"binance listed a filter whose {name} is below zero")
    return told or None


def _amounts(row: Parsed | None, *, from_least: bool) -> AmountGrid | None:
    """The grid of one filter, a step of 0 where it has none."""
    if row is None:
        return None
    step, least, most = (_figure(row, each) for each in ("stepSize", "minQty", "maxQty"))
    origin = least if from_least and least is not None else _ZERO
    return AmountGrid(step=step or _ZERO, least=least, most=most, origin=origin)


def _prices(market: Parsed, filters: Mapping[str, Parsed], *, from_least: bool) -> PriceGrid:
    row = filters.get("PRICE_FILTER", {})
    tick, least, most = (_figure(row, each) for each in ("tickSize", "minPrice", "maxPrice"))
    if tick is None:
        raise BadAnswerError(f"binance listed {market['symbol']} without the tick of its prices")
    origin = least if from_least and least is not None else _ZERO
    return PriceGrid(tick=tick, least=least, most=most, origin=origin)


def _notional(filters: Mapping[str, Parsed], *, is_spot: bool) -> NotionalGrid | None:
    plain, ranged = filters.get("MIN_NOTIONAL"), filters.get("NOTIONAL")
    if not is_spot:
        if plain is None:
            return None
        # Code -4164: "unless you choose reduce only".
        least = _figure(plain, "notional")
        return NotionalGrid(least=least, most=None, reduce_only_is_exempt=True, reference="mark")
    row = plain if ranged is None else ranged
    if row is None:
        return None
    return NotionalGrid(
        least=_figure(row, "minNotional"),
        most=_figure(row, "maxNotional"),
        applies_to_market=row.get("applyToMarket" if ranged is None else "applyMinToMarket") is not False,
        most_applies_to_market=row.get("applyMaxToMarket") is not False,
        reference="average" if number(row, "avgPriceMins") else "last",
    )


def _band_of_spot(filters: Mapping[str, Parsed]) -> PriceBand | None:
    by_side, alike = filters.get("PERCENT_PRICE_BY_SIDE"), filters.get("PERCENT_PRICE")
    row = alike if by_side is None else by_side
    if row is None:
        return None
    bid, ask = ("multiplier", "multiplier") if by_side is None else ("bidMultiplier", "askMultiplier")
    minutes = number(row, "avgPriceMins")
    return PriceBand(
        # Without minutes it is the last price.
        reference="average" if minutes else "last",
        minutes=int(minutes) if minutes else None,
        buy_least=_figure(row, f"{bid}Down"),
        buy_most=_figure(row, f"{bid}Up"),
        sell_least=_figure(row, f"{ask}Down"),
        sell_most=_figure(row, f"{ask}Up"),
    )


def _band_of_perpetual(filters: Mapping[str, Parsed]) -> PriceBand | None:
    """A buy may not be too dear and a sale not too cheap; the other way is not limited."""
    row = filters.get("PERCENT_PRICE")
    if row is None:
        return None
    up, down = _figure(row, "multiplierUp"), _figure(row, "multiplierDown")
    return PriceBand(reference="mark", buy_most=up, sell_least=down)


def _most(filters: Mapping[str, Parsed], name: str, spot_name: str) -> int | None:
    row = filters.get(name, {})
    told = number(row, spot_name) if spot_name in row else number(row, "limit")
    return None if told is None else int(told)
