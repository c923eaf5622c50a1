"""Public USD-M endpoints, under /fapi/v1.

Source: https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api
"""

from collections.abc import Callable
from decimal import Decimal

from exchange_mcp.sim import tickers
from exchange_mcp.sim.digits import fixed
from exchange_mcp.sim.errors import bad_depth_limit
from exchange_mcp.sim.listings import Contract
from exchange_mcp.sim.routes import PublicCall, PublicRoute, Routes
from exchange_mcp.sim.usdm_rules import exchange_info
from exchange_mcp.sim.wire import Payload

DEFAULT_DEPTH = 500
DEPTHS = (5, 10, 20, 50, 100, 500, 1000)
FUNDING_MS = 8 * 3_600_000
_INTEREST = Decimal("0.0001")
_CLAMP = Decimal("0.0005")


def ping(_call: PublicCall) -> Payload:
    """Answer that the venue is there."""
    return b"{}"


def time(call: PublicCall) -> Payload:
    """Answer the venue's time."""
    return {"serverTime": call.now_ms}


def depth(call: PublicCall) -> Payload:
    """Answer the book of a contract at one of the documented depths, 500 unless asked otherwise."""
    tape = call.exchange.contract(call.params.mandatory_symbol()).tape
    limit = call.params.integer("limit")
    if limit is None:
        limit = DEFAULT_DEPTH
    if limit not in DEPTHS:
        raise bad_depth_limit(limit)
    return {
        "lastUpdateId": call.now_ms,
        "E": call.now_ms,
        "T": call.now_ms,
        "bids": tickers.levels(tape, tape.bids(call.now_ms, limit)),
        "asks": tickers.levels(tape, tape.asks(call.now_ms, limit)),
    }


def ticker_day(call: PublicCall) -> Payload:
    """Answer the last 24 hours."""
    return _for_each(call, _day)


def ticker_price(call: PublicCall) -> Payload:
    """Answer the price of the last trade."""
    return _for_each(
        call,
        lambda contract, now: {
            "symbol": contract.tape.instrument.name,
            "price": contract.tape.price_text(contract.tape.last(now)),
            "time": now,
        },
    )


def ticker_book(call: PublicCall) -> Payload:
    """Answer the best bid and ask."""
    return _for_each(
        call,
        lambda contract, now: {
            "symbol": contract.tape.instrument.name,
            **tickers.best(contract.tape, now),
            "time": now,
            "lastUpdateId": now,
        },
    )


def premium_index(call: PublicCall) -> Payload:
    """Answer mark price, index price and funding."""
    return _for_each(call, _premium)


def funding_rate(premium: Decimal) -> Decimal:
    """Return what a premium costs each eight hours: itself plus its distance to the interest rate, clamped.

    Interest is 0.01 %, the clamp 0.05 %: https://www.binance.com/en/support/faq/360033525031
    """
    return premium + max(-_CLAMP, min(_CLAMP, _INTEREST - premium))


def _for_each(call: PublicCall, write: Callable[[Contract, int], dict[str, object]]) -> Payload:
    symbol = call.params.symbol()
    if symbol is not None:
        return write(call.exchange.contract(symbol), call.now_ms)
    return [write(contract, call.now_ms) for contract in call.exchange.contracts]


def _day(contract: Contract, at_ms: int) -> dict[str, object]:
    tape = contract.tape
    day = contract.statistics.day(at_ms)
    return {
        "symbol": tape.instrument.name,
        **tickers.change(tape, day),
        "weightedAvgPrice": tickers.average(tape, day),
        "lastPrice": tape.price_text(day.last),
        "lastQty": tape.lots_text(tape.last_lots(at_ms)),
        "openPrice": tape.price_text(day.open),
        "highPrice": tape.price_text(day.high),
        "lowPrice": tape.price_text(day.low),
        "volume": tape.lots_text(day.lots),
        "quoteVolume": tickers.turnover(tape, day, 2),
        "openTime": day.open_ms,
        "closeTime": day.close_ms,
        "firstId": day.first_trade,
        "lastId": day.last_trade,
        "count": day.last_trade - day.first_trade + 1,
    }


def _premium(contract: Contract, at_ms: int) -> dict[str, object]:
    index = fixed(contract.index.price(at_ms))
    funded_ms = at_ms - at_ms % FUNDING_MS
    return {
        "symbol": contract.tape.instrument.name,
        "markPrice": fixed(contract.mark.price(at_ms)),
        "indexPrice": index,
        "estimatedSettlePrice": index,
        "lastFundingRate": fixed(funding_rate(contract.index.premium(funded_ms))),
        "interestRate": fixed(_INTEREST),
        "nextFundingTime": funded_ms + FUNDING_MS,
        "time": at_ms,
    }


_ONE = frozenset({"symbol"})

ROUTES: Routes = {
    ("GET", "/fapi/v1/ping"): PublicRoute(ping),
    ("GET", "/fapi/v1/time"): PublicRoute(time),
    ("GET", "/fapi/v1/exchangeInfo"): PublicRoute(exchange_info),
    ("GET", "/fapi/v1/depth"): PublicRoute(depth, _ONE | {"limit"}, weight=10),
    ("GET", "/fapi/v1/ticker/24hr"): PublicRoute(ticker_day, _ONE),
    ("GET", "/fapi/v1/ticker/price"): PublicRoute(ticker_price, _ONE),
    ("GET", "/fapi/v2/ticker/price"): PublicRoute(ticker_price, _ONE),
    ("GET", "/fapi/v1/ticker/bookTicker"): PublicRoute(ticker_book, _ONE, weight=2),
    ("GET", "/fapi/v1/premiumIndex"): PublicRoute(premium_index, _ONE),
}
