"""What a preview reads, built from the simulated venue's own answers by the fields that the vendor documents."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.markets import OrderBook
from exchange_mcp.model.terms import (
    AmountGrid,
    Bracket,
    Fees,
    Held,
    MarketTerms,
    NotionalGrid,
    PriceBand,
    PriceGrid,
    Reference,
    Resting,
    Standing,
)
from exchange_mcp.model.writes import OrderType
from exchange_mcp.sim.venue import Venue
from exchange_mcp.sim.wire import Request
from sim.direct import SPOT, USDM, Direct

EVERY_TYPE = frozenset(OrderType)
Row = Mapping[str, Any]


def number(value: object) -> Decimal:
    return Decimal(str(value))


def filters(row: Row) -> dict[str, Row]:
    return {entry["filterType"]: entry for entry in row["filters"]}


def spot_terms(row: Row) -> MarketTerms:
    """The terms of one pair of /api/v3/exchangeInfo."""
    by = filters(row)
    band, notional = by["PERCENT_PRICE_BY_SIDE"], by["NOTIONAL"]
    position = by.get("MAX_POSITION")
    return MarketTerms(
        venue="binance",
        symbol=f"{row['baseAsset']}/{row['quoteAsset']}",
        market_id=row["symbol"],
        market_type=MarketType.SPOT,
        base=row["baseAsset"],
        quote=row["quoteAsset"],
        settle=None,
        contract_size=None,
        is_trading=row["status"] == "TRADING",
        order_types=EVERY_TYPE,
        takes_cost=row["quoteOrderQtyMarketAllowed"],
        amount=amounts(by["LOT_SIZE"]),
        market_amount=amounts(by["MARKET_LOT_SIZE"]),
        price=prices(by["PRICE_FILTER"]),
        notional=NotionalGrid(
            least=number(notional["minNotional"]),
            most=number(notional["maxNotional"]),
            applies_to_market=notional["applyMinToMarket"],
            most_applies_to_market=notional["applyMaxToMarket"],
            reference="average" if notional["avgPriceMins"] else "last",
        ),
        band=PriceBand(
            reference="average" if band["avgPriceMins"] else "last",
            minutes=band["avgPriceMins"],
            buy_least=number(band["bidMultiplierDown"]),
            buy_most=number(band["bidMultiplierUp"]),
            sell_least=number(band["askMultiplierDown"]),
            sell_most=number(band["askMultiplierUp"]),
        ),
        max_orders=by["MAX_NUM_ORDERS"]["maxNumOrders"],
        max_conditional_orders=by["MAX_NUM_ALGO_ORDERS"]["maxNumAlgoOrders"],
        max_leverage=None,
        max_position=None if position is None else number(position["maxPosition"]),
    )


def usdm_terms(row: Row, brackets: Row) -> MarketTerms:
    """The terms of one contract of /fapi/v1/exchangeInfo, which counts steps from the minimum."""
    by = filters(row)
    band = by["PERCENT_PRICE"]
    return MarketTerms(
        venue="binance",
        symbol=f"{row['baseAsset']}/{row['quoteAsset']}:{row['marginAsset']}",
        market_id=row["symbol"],
        market_type=MarketType.LINEAR,
        base=row["baseAsset"],
        quote=row["quoteAsset"],
        settle=row["marginAsset"],
        contract_size=None,
        is_trading=row["status"] == "TRADING",
        order_types=EVERY_TYPE,
        takes_cost=False,
        amount=amounts(by["LOT_SIZE"], from_least=True),
        market_amount=amounts(by["MARKET_LOT_SIZE"], from_least=True),
        price=prices(by["PRICE_FILTER"], from_least=True),
        notional=NotionalGrid(
            least=number(by["MIN_NOTIONAL"]["notional"]),
            most=None,
            reduce_only_is_exempt=True,
            reference="mark",
        ),
        band=PriceBand(
            reference="mark",
            buy_most=number(band["multiplierUp"]),
            sell_least=number(band["multiplierDown"]),
        ),
        max_orders=by["MAX_NUM_ORDERS"]["limit"],
        max_conditional_orders=by["MAX_NUM_ALGO_ORDERS"]["limit"],
        max_leverage=max(level["initialLeverage"] for level in brackets["brackets"]),
    )


def amounts(row: Row, *, from_least: bool = False) -> AmountGrid:
    least = number(row["minQty"])
    return AmountGrid(
        step=number(row["stepSize"]),
        least=least,
        most=number(row["maxQty"]),
        origin=least if from_least else Decimal(0),
    )


def prices(row: Row, *, from_least: bool = False) -> PriceGrid:
    least = number(row["minPrice"])
    return PriceGrid(
        tick=number(row["tickSize"]),
        least=least,
        most=number(row["maxPrice"]),
        origin=least if from_least else Decimal(0),
    )


class Spot:
    """One spot pair, and the account that asks."""

    def __init__(self, venue: Direct, market: str = "BTCUSDT") -> None:
        self.venue, self.market = venue, market
        (row,) = public(venue, SPOT, "/api/v3/exchangeInfo", symbol=market)["symbols"]
        self.terms = spot_terms(row)

    @property
    def reference(self) -> Reference:
        listing = self.venue.exchange.spot(self.market)
        now = self.venue.clock.now
        return Reference(
            last=self.venue.spot_last(self.market),
            mark=None,
            average=listing.average(now, self.terms.band.minutes or 5) if self.terms.band else None,
        )

    @property
    def book(self) -> OrderBook:
        answer = public(self.venue, SPOT, "/api/v3/depth", symbol=self.market, limit=1000)
        return book(answer, self.terms.symbol)

    @property
    def standing(self) -> Standing:
        rows = {row["asset"]: row for row in self.venue.ok("GET", "/api/v3/account")["balances"]}
        base, quote = rows.get(self.terms.base), rows.get(self.terms.quote)
        return Standing(
            position_mode=None,
            held=(),
            free_base=number(base["free"]) if base else Decimal(0),
            locked_base=number(base["locked"]) if base else Decimal(0),
            free_quote=number(quote["free"]) if quote else Decimal(0),
            equity=None,
            wallet_balance=None,
            leverage=None,
            margin_mode=None,
            fees=Fees(maker=Decimal("0.001"), taker=Decimal("0.001"), source="the account's own rate"),
            brackets=(),
            maintenance_others=None,
            unrealised_others=None,
            resting=tuple(
                Resting(
                    order_id=str(row["orderId"]),
                    client_order_id=row["clientOrderId"],
                    side=row["side"].lower(),
                    type=SPOT_TYPES.get(row["type"]),
                    amount=number(row["origQty"]) - number(row["executedQty"]),
                    price=number(row["price"]) or None,
                    trigger_price=number(row["stopPrice"]) or None,
                    is_reduce_only=False,
                    closes_position=False,
                    is_conditional=False,
                )
                for row in self.venue.ok("GET", "/api/v3/openOrders", symbol=self.market)
            ),
            as_of_ms=self.venue.clock.now,
        )


class Usdm:
    """One contract, and the account that asks."""

    def __init__(self, venue: Direct, market: str = "BTCUSDT") -> None:
        self.venue, self.market = venue, market
        rows = {row["symbol"]: row for row in venue.ok("GET", "/fapi/v1/exchangeInfo")["symbols"]}
        self._brackets = venue.ok("GET", "/fapi/v1/leverageBracket", symbol=market)
        self.terms = usdm_terms(rows[market], self._brackets)

    @property
    def reference(self) -> Reference:
        answer = self.venue.ok("GET", "/fapi/v1/premiumIndex", symbol=self.market)
        return Reference(
            last=self.venue.usdm_last(self.market), mark=number(answer["markPrice"]), average=None
        )

    @property
    def book(self) -> OrderBook:
        answer = public(self.venue, USDM, "/fapi/v1/depth", symbol=self.market, limit=1000)
        return book(answer, self.terms.symbol)

    @property
    def standing(self) -> Standing:
        ask = self.venue.ok
        account = ask("GET", "/fapi/v2/account")
        asset = next(row for row in account["assets"] if row["asset"] == "USDT")
        config = ask("GET", "/fapi/v1/symbolConfig", symbol=self.market)[0]
        fee = ask("GET", "/fapi/v1/commissionRate", symbol=self.market)
        positions = account["positions"]
        mine = [row for row in positions if row["symbol"] == self.market]
        others = [row for row in positions if row["symbol"] != self.market]
        orders = ask("GET", "/fapi/v1/openOrders", symbol=self.market)
        stops = ask("GET", "/fapi/v1/openAlgoOrders", symbol=self.market)
        return Standing(
            position_mode="hedge"
            if ask("GET", "/fapi/v1/positionSide/dual")["dualSidePosition"]
            else "one_way",
            held=tuple(
                Held(
                    side="long" if number(row["positionAmt"]) > 0 else "short",
                    amount=abs(number(row["positionAmt"])),
                    entry_price=number(row["entryPrice"]),
                )
                for row in mine
                if number(row["positionAmt"])
            ),
            free_base=None,
            free_quote=number(asset["availableBalance"]),
            equity=number(asset["marginBalance"]),
            wallet_balance=number(asset["crossWalletBalance"]),
            leverage=int(config["leverage"]),
            margin_mode="cross" if config["marginType"] == "CROSSED" else "isolated",
            fees=Fees(
                maker=number(fee["makerCommissionRate"]),
                taker=number(fee["takerCommissionRate"]),
                source="the account's own rate",
                asset="USDT",
            ),
            brackets=tuple(
                Bracket(
                    floor=number(level["notionalFloor"]),
                    cap=number(level["notionalCap"]),
                    rate=number(level["maintMarginRatio"]),
                    deduction=number(level["cum"]),
                    max_leverage=level["initialLeverage"],
                )
                for level in self._brackets["brackets"]
            ),
            maintenance_others=sum((number(row["maintMargin"]) for row in others), Decimal(0)),
            unrealised_others=sum((number(row["unrealizedProfit"]) for row in others), Decimal(0)),
            resting=(
                *(
                    Resting(
                        order_id=str(row["orderId"]),
                        client_order_id=row["clientOrderId"],
                        side=row["side"].lower(),
                        type=OrderType(row["type"].lower()),
                        amount=number(row["origQty"]) - number(row["executedQty"]),
                        price=number(row["price"]) or None,
                        trigger_price=None,
                        is_reduce_only=row["reduceOnly"],
                        closes_position=False,
                        is_conditional=False,
                    )
                    for row in orders
                ),
                *(
                    Resting(
                        order_id=str(row["algoId"]),
                        client_order_id=row["clientAlgoId"],
                        side=row["side"].lower(),
                        type=USDM_STOPS.get(row["orderType"]),
                        amount=None if row["closePosition"] else number(row["quantity"]),
                        price=number(row["price"]) or None,
                        trigger_price=number(row["triggerPrice"]),
                        is_reduce_only=row["reduceOnly"],
                        closes_position=row["closePosition"],
                        is_conditional=True,
                    )
                    for row in stops
                ),
            ),
            as_of_ms=self.venue.clock.now,
        )


SPOT_TYPES = {
    "LIMIT": OrderType.LIMIT,
    "LIMIT_MAKER": OrderType.LIMIT,
    "STOP_LOSS": OrderType.STOP_MARKET,
    "STOP_LOSS_LIMIT": OrderType.STOP_LIMIT,
}
USDM_STOPS = {"STOP": OrderType.STOP_LIMIT, "STOP_MARKET": OrderType.STOP_MARKET}


def public(venue: Direct, host: str, path: str, **params: object) -> Any:  # noqa: ANN401 - JSON
    """What an endpoint answers that wants no signature."""
    return json.loads(Venue(venue.exchange).answer(Request(host, "GET", path, urlencode(params))).body)


def book(answer: Row, symbol: str) -> OrderBook:
    bids, asks = (
        tuple((number(price), number(amount)) for price, amount in answer[side]) for side in ("bids", "asks")
    )
    return OrderBook(
        account="main",
        symbol=symbol,
        bids=bids,
        asks=asks,
        levels=len(bids),
        amount_unit="base",
        contract_size=None,
        time=None,
    )
