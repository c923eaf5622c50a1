"""What a USD-M account earned and paid, under /fapi/v1/income: the profit and the commission of every trade.

Source: https://developers.binance.com/docs/derivatives/usds-margined-futures/account/rest-api/Get-Income-History.
Positions here pay no funding, and nothing is transferred.
"""

from collections.abc import Iterator

from exchange_mcp.sim import order_params
from exchange_mcp.sim.digits import fixed
from exchange_mcp.sim.matching import Trade
from exchange_mcp.sim.routes import Routes, SignedCall, SignedRoute
from exchange_mcp.sim.usdm_trading import known_symbol
from exchange_mcp.sim.wire import Payload

_DEFAULT_LIMIT = 100


def income(call: SignedCall) -> Payload:
    """Answer the entries of a time, oldest first, a page of them."""
    symbol, kind = known_symbol(call), call.params.text("incomeType")
    start, end = order_params.span(call.params)
    size, page = order_params.limit(call.params, _DEFAULT_LIMIT), call.params.integer("page") or 1
    found = [
        entry
        for trade in call.account.usdm_trades
        if symbol in {None, trade.instrument.name} and start <= trade.at_ms <= end
        for entry in _entries(trade)
        if kind in {None, entry["incomeType"]}
    ]
    return found[(page - 1) * size : page * size]


def _entries(trade: Trade) -> Iterator[dict[str, object]]:
    common: dict[str, object] = {
        "symbol": trade.instrument.name,
        "asset": trade.commission_asset,
        "time": trade.at_ms,
        "tranId": trade.trade_id,
        "tradeId": str(trade.trade_id),
    }
    if trade.realized:
        yield {
            **common,
            "incomeType": "REALIZED_PNL",
            "income": fixed(trade.realized),
            "info": "REALIZED_PNL",
            "asset": trade.instrument.quote,
        }
    yield {**common, "incomeType": "COMMISSION", "income": fixed(-trade.commission), "info": "COMMISSION"}


ROUTES: Routes = {
    ("GET", "/fapi/v1/income"): SignedRoute(
        income, frozenset({"symbol", "incomeType", "startTime", "endTime", "page", "limit"}), weight=30
    ),
}
