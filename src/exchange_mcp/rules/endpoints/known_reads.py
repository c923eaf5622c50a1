"""Requests that look like writes by their verb or by a word of their path, and only read. Pure data.

Each was judged by its own name, beside the ccxt method that asks it; none was read at its vendor's page, which the
reviewed list of a supported venue asks for. They decide one thing only: whether a sweep finds a write or a sign-in
among what the reads of an exchange class reach.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exchange_mcp.rules.endpoints.classes import Endpoint


def _reads(*requests: str) -> frozenset[Endpoint]:
    return frozenset(Endpoint.parse(request) for request in requests)


KNOWN_READS: Final[Mapping[str, frozenset[Endpoint]]] = MappingProxyType(
    {
        "binance": _reads(
            "POST sapi asset/get-funding-asset",
        ),
        "bitbns": _reads(
            "POST v1 currentCoinBalance/EVERYTHING",
            "POST v1 listExecutedOrders/{symbol}",
            "POST v1 orderStatus/{symbol}",
            "POST v2 getordersnew",
        ),
        "bitfinex": _reads(
            "POST private auth/r/orders",
            "POST private auth/r/orders/hist",
            "POST private auth/r/orders/{symbol}",
            "POST private auth/r/orders/{symbol}/hist",
            "POST private auth/r/positions",
            "POST private auth/r/summary",
            "POST private auth/r/trades/hist",
            "POST private auth/r/trades/{symbol}/hist",
            "POST private auth/r/wallets",
        ),
        "bithumb": _reads(
            "POST private info/balance",
            "POST private info/order_detail",
            "POST private info/orders",
        ),
        "bitstamp": _reads(
            "POST private account_balances/",
            "POST private fees/trading/",
            "POST private open_orders/all/",
            "POST private order_status/",
            "POST private user_transactions/",
            "POST private user_transactions/{pair}/",
        ),
        "btcbox": _reads(
            "POST private balance",
            "POST private trade_list",
            "POST private trade_view",
        ),
        "bybit": _reads(
            "GET private v5/asset/transfer/query-account-coins-balance",
        ),
        "cex": _reads(
            "POST private get_my_account_status_v3",
            "POST private get_my_current_fee",
            "POST private get_my_orders",
            "POST private get_my_wallet_balance",
            "POST public get_candles",
            "POST public get_currencies_info",
            "POST public get_order_book",
            "POST public get_pairs_info",
            "POST public get_processing_info",
            "POST public get_server_time",
            "POST public get_ticker",
        ),
        "coinbase": _reads(
            "GET v2/public prices/{symbol}/buy",
            "GET v2/public prices/{symbol}/sell",
        ),
        "coinmate": _reads(
            "POST private balances",
            "POST private openOrders",
            "POST private orderById",
            "POST private orderHistory",
            "POST private tradeHistory",
            "POST private traderFees",
        ),
        "coinone": _reads(
            "POST v2Private account/balance",
            "POST v2Private order/complete_orders",
            "POST v2Private order/query_order",
            "POST v2_1Private order/open_orders",
        ),
        "coinspot": _reads(
            "POST private my/balances",
            "POST private orders",
            "POST private ro/my/balances",
            "POST private ro/my/transactions",
        ),
        "cryptocom": _reads(
            "POST v1/private private/get-currency-networks",
            "POST v1/private private/get-fee-rate",
            "POST v1/private private/get-instrument-fee-rate",
            "POST v1/private private/get-open-orders",
            "POST v1/private private/get-order-detail",
            "POST v1/private private/get-order-history",
            "POST v1/private private/get-positions",
            "POST v1/private private/get-trades",
            "POST v1/private private/user-balance",
        ),
        "derive": _reads(
            "POST private get_all_portfolios",
            "POST private get_open_orders",
            "POST private get_order",
            "POST private get_order_history",
            "POST private get_positions",
            "POST private get_subaccount",
            "POST private get_trade_history",
            "POST private get_trigger_orders",
            "POST public get_all_instruments",
            "POST public get_funding_rate_history",
            "POST public get_index_chart_data",
            "POST public get_ticker",
            "POST public get_time",
            "POST public get_tradingview_chart_data",
        ),
        "gemini": _reads(
            "POST private v1/balances",
            "POST private v1/mytrades",
            "POST private v1/notionalvolume",
            "POST private v1/order/status",
            "POST private v1/orders",
        ),
        "grvt": _reads(
            "POST privateTrading full/v1/account_summary",
            "POST privateTrading full/v1/aggregated_account_summary",
            "POST privateTrading full/v1/fill_history",
            "POST privateTrading full/v1/get_all_initial_leverage",
            "POST privateTrading full/v1/get_authorized_builders",
            "POST privateTrading full/v1/get_sub_accounts",
            "POST privateTrading full/v1/open_orders",
            "POST privateTrading full/v1/order",
            "POST privateTrading full/v1/order_history",
            "POST privateTrading full/v1/positions",
            "POST publicMarket full/v1/all_instruments",
            "POST publicMarket full/v1/book",
            "POST publicMarket full/v1/currency",
            "POST publicMarket full/v1/kline",
            "POST publicMarket full/v1/ticker",
        ),
        "htx": _reads(
            "POST contract/private api/v1/contract_account_info",
            "POST contract/private api/v1/contract_openorders",
            "POST contract/private api/v1/contract_order_info",
            "POST contract/private api/v1/contract_position_info",
            "POST contract/private api/v1/contract_tpsl_hisorders",
            "POST contract/private api/v1/contract_tpsl_openorders",
            "POST contract/private api/v1/contract_track_hisorders",
            "POST contract/private api/v1/contract_track_openorders",
            "POST contract/private api/v1/contract_trigger_hisorders",
            "POST contract/private api/v1/contract_trigger_openorders",
            "POST contract/private api/v3/contract_hisorders",
            "POST contract/private api/v3/contract_matchresults_exact",
            "POST contract/private swap-api/v1/swap_account_info",
            "POST contract/private swap-api/v1/swap_openorders",
            "POST contract/private swap-api/v1/swap_order_info",
            "POST contract/private swap-api/v1/swap_position_info",
            "POST contract/private swap-api/v1/swap_tpsl_hisorders",
            "POST contract/private swap-api/v1/swap_tpsl_openorders",
            "POST contract/private swap-api/v1/swap_track_hisorders",
            "POST contract/private swap-api/v1/swap_track_openorders",
            "POST contract/private swap-api/v1/swap_trigger_hisorders",
            "POST contract/private swap-api/v1/swap_trigger_openorders",
            "POST contract/private swap-api/v3/swap_hisorders",
            "POST contract/private swap-api/v3/swap_matchresults_exact",
        ),
        "hyperliquid": _reads(
            "POST public info",
        ),
        "independentreserve": _reads(
            "POST private GetAccounts",
            "POST private GetBrokerageFees",
            "POST private GetClosedOrders",
            "POST private GetOpenOrders",
            "POST private GetOrderDetails",
            "POST private GetTrades",
        ),
        "indodax": _reads(
            "POST private getInfo",
            "POST private getOrder",
            "POST private openOrders",
            "POST private orderHistory",
        ),
        "kraken": _reads(
            "POST private BalanceEx",
            "POST private ClosedOrders",
            "POST private OpenOrders",
            "POST private OpenPositions",
            "POST private QueryOrders",
            "POST private TradeVolume",
            "POST private TradesHistory",
        ),
        "lbank": _reads(
            "GET spot/public withdrawConfigs",
            "POST spot/private orders_info",
            "POST spot/private supplement/customer_trade_fee",
            "POST spot/private supplement/orders_info",
            "POST spot/private supplement/orders_info_history",
            "POST spot/private supplement/orders_info_no_deal",
            "POST spot/private supplement/user_info",
            "POST spot/private supplement/user_info_account",
            "POST spot/private transaction_history",
            "POST spot/private user_info",
        ),
        "luno": _reads(
            "GET private send/networks",
        ),
        "mercado": _reads(
            "POST private get_account_info",
            "POST private get_order",
            "POST private list_orders",
        ),
        "modetrade": _reads(
            "GET v1/public public/token",
        ),
        "nado": _reads(
            "POST archive ",
            "POST trigger/private query",
        ),
        "p2b": _reads(
            "POST private account/balances",
            "POST private account/market_deal_history",
            "POST private account/order_history",
            "POST private orders",
        ),
        "whitebit": _reads(
            "POST v4/private collateral-account/balance",
            "POST v4/private collateral-account/positions/open",
            "POST v4/private main-account/balance",
            "POST v4/private orders",
            "POST v4/private trade-account/balance",
            "POST v4/private trade-account/executed-history",
            "POST v4/private trade-account/order/history",
        ),
        "woo": _reads(
            "GET v1/public token",
            "GET v1/public token_network",
        ),
        "woofipro": _reads(
            "GET v1/public public/token",
        ),
        "zaif": _reads(
            "POST private active_orders",
            "POST private get_info",
            "POST private trade_history",
        ),
        "zebpay": _reads(
            "POST public/swap v1/market/klines",
        ),
    }
)
"""By the name of the ccxt class; the classes that ccxt derives from it inherit them."""
