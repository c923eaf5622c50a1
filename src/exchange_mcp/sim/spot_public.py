"""Public spot endpoints, under /api/v3.

Source: https://github.com/binance/binance-spot-api-docs/blob/master/rest-api.md (general, market data)
"""

from collections.abc import Callable

from exchange_mcp.sim import tickers
from exchange_mcp.sim.books import Tape
from exchange_mcp.sim.digits import fixed
from exchange_mcp.sim.errors import invalid
from exchange_mcp.sim.history import MINUTE_MS
from exchange_mcp.sim.limits import SPOT_AVERAGE_MINUTES
from exchange_mcp.sim.listings import Listing
from exchange_mcp.sim.routes import PublicCall, PublicRoute, Routes
from exchange_mcp.sim.spot_rules import exchange_info
from exchange_mcp.sim.wire import Payload

DEFAULT_DEPTH = 100
MAX_DEPTH = 5_000


def ping(_call: PublicCall) -> Payload:
    """Answer that the venue is there."""
    return b"{}"


def time(call: PublicCall) -> Payload:
    """Answer the venue's time."""
    return {"serverTime": call.now_ms}


def depth(call: PublicCall) -> Payload:
    """Answer the book of a pair, 100 levels unless asked for more; more than 5,000 are cut to 5,000."""
    tape = call.exchange.spot(call.params.mandatory_symbol()).tape
    limit = call.params.integer("limit")
    if limit == 0:
        raise invalid("limit")
    limit = min(limit or DEFAULT_DEPTH, MAX_DEPTH)
    return {
        "lastUpdateId": call.now_ms,
        "bids": tickers.levels(tape, tape.bids(call.now_ms, limit)),
        "asks": tickers.levels(tape, tape.asks(call.now_ms, limit)),
    }


def ticker_day(call: PublicCall) -> Payload:
    """Answer the last 24 hours, in full or MINI."""
    kind = call.params.text("type") or "FULL"
    if kind not in {"FULL", "MINI"}:
        raise invalid("type")
    return _for_each(call, lambda listing: _day(listing, call.now_ms, is_full=kind == "FULL"))


def ticker_price(call: PublicCall) -> Payload:
    """Answer the price of the last trade."""
    return _for_each(
        call,
        lambda listing: {
            "symbol": listing.tape.instrument.name,
            "price": listing.tape.price_text(listing.tape.last(call.now_ms)),
        },
    )


def ticker_book(call: PublicCall) -> Payload:
    """Answer the best bid and ask."""
    return _for_each(
        call,
        lambda listing: {
            "symbol": listing.tape.instrument.name,
            **tickers.best(listing.tape, call.now_ms),
        },
    )


def average_price(call: PublicCall) -> Payload:
    """Answer what a pair averaged over the minutes that its filters name, and when the last of them ended."""
    listing = call.exchange.spot(call.params.mandatory_symbol())
    return {
        "mins": SPOT_AVERAGE_MINUTES,
        "price": fixed(listing.average(call.now_ms, SPOT_AVERAGE_MINUTES)),
        "closeTime": call.now_ms - call.now_ms % MINUTE_MS - 1,
    }


def _for_each(call: PublicCall, write: Callable[[Listing], dict[str, object]]) -> Payload:
    names = tickers.symbols(call.params)
    if names is not None:
        return [write(call.exchange.spot(name)) for name in names]
    symbol = call.params.symbol()
    if symbol is not None:
        return write(call.exchange.spot(symbol))
    return [write(listing) for listing in call.exchange.spot_listings]


def _day(listing: Listing, at_ms: int, *, is_full: bool) -> dict[str, object]:
    tape = listing.tape
    day = listing.statistics.day(at_ms)
    last = tape.price_text(day.last)
    return {
        "symbol": tape.instrument.name,
        **({**tickers.change(tape, day), "weightedAvgPrice": tickers.average(tape, day)} if is_full else {}),
        **(_trades(tape, at_ms, previous=tape.price_text(day.open)) if is_full else {}),
        "lastPrice": last,
        "openPrice": tape.price_text(day.open),
        "highPrice": tape.price_text(day.high),
        "lowPrice": tape.price_text(day.low),
        "volume": tape.lots_text(day.lots),
        "quoteVolume": tickers.turnover(tape, day, 8),
        "openTime": day.open_ms,
        "closeTime": day.close_ms,
        "firstId": day.first_trade,
        "lastId": day.last_trade,
        "count": day.last_trade - day.first_trade + (1 if day.lots else 0),
    }


def _trades(tape: Tape, at_ms: int, *, previous: str) -> dict[str, object]:
    return {
        "prevClosePrice": previous,
        "lastQty": tape.lots_text(tape.last_lots(at_ms)),
        **tickers.best(tape, at_ms),
    }


_ONE_OR_MANY = frozenset({"symbol", "symbols"})

ROUTES: Routes = {
    ("GET", "/api/v3/ping"): PublicRoute(ping),
    ("GET", "/api/v3/time"): PublicRoute(time),
    ("GET", "/api/v3/exchangeInfo"): PublicRoute(
        exchange_info, _ONE_OR_MANY | {"permissions", "showPermissionSets", "symbolStatus"}, weight=20
    ),
    ("GET", "/api/v3/depth"): PublicRoute(depth, frozenset({"symbol", "limit"}), weight=5),
    ("GET", "/api/v3/avgPrice"): PublicRoute(average_price, frozenset({"symbol"}), weight=2),
    ("GET", "/api/v3/ticker/24hr"): PublicRoute(ticker_day, _ONE_OR_MANY | {"type"}, weight=2),
    ("GET", "/api/v3/ticker/price"): PublicRoute(ticker_price, _ONE_OR_MANY, weight=2),
    ("GET", "/api/v3/ticker/bookTicker"): PublicRoute(ticker_book, _ONE_OR_MANY, weight=2),
}
