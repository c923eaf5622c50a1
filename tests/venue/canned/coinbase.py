"""Coinbase Advanced Trade.

https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/public/list-public-products
https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/public/get-public-market-trades
https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/public/get-public-product-book
"""

from .case import Case, Market

_HOST = "api.coinbase.com/api/v3/brokerage/market"

UNUSED = f"{_HOST}/products?product_type=FUTURE"
"""ccxt asks for the futures too, which this version does not serve, and has no option for less."""

CASE = Case(
    venue="coinbase",
    loading=frozenset({f"{_HOST}/products", UNUSED}),
    hollow="{}",
    answers={
        UNUSED: {"products": [], "num_products": 0},
        f"{_HOST}/products": {
            "products": [
                {
                    "product_id": "BTC-USD",
                    "price": "97140.21",
                    "price_percentage_change_24h": "0.943",
                    "volume_24h": "9808.25",
                    "volume_percentage_change_24h": "9.43",
                    "base_increment": "0.00000001",
                    "quote_increment": "0.01",
                    "quote_min_size": "1",
                    "quote_max_size": "150000000",
                    "base_min_size": "0.00000001",
                    "base_max_size": "3400",
                    "base_name": "Bitcoin",
                    "quote_name": "US Dollar",
                    "is_disabled": False,
                    "status": "online",
                    "trading_disabled": False,
                    "product_type": "SPOT",
                    "quote_currency_id": "USD",
                    "base_currency_id": "BTC",
                    "alias": "",
                    "alias_to": ["BTC-USDC"],
                    "price_increment": "0.01",
                }
            ],
            "num_products": 1,
        },
        f"{_HOST}/products/BTC-USD/ticker": {
            "trades": [
                {
                    "trade_id": "34b080bf-fcfd-445a-832b-46b5ddc65601",
                    "product_id": "BTC-USD",
                    "price": "97140.91000000000010",
                    "size": "0.00400",
                    "time": "2026-01-01T12:00:00.010000Z",
                    "side": "BUY",
                    "exchange": "",
                }
            ],
            "best_bid": "97140.90",
            "best_ask": "97140.920",
        },
        f"{_HOST}/product_book": {
            "pricebook": {
                "product_id": "BTC-USD",
                "bids": [{"price": "97140.90", "size": "0.00000100"}, {"price": "9999.00", "size": "4.10"}],
                "asks": [
                    {"price": "97140.92", "size": "1.2345678901234500"},
                    {"price": "100000.00", "size": "5"},
                ],
                "time": "2026-01-01T12:00:00.011000Z",
            },
            "last": "97140.91",
            "mid_market": "97140.91",
            "spread_bps": "0.002",
            "spread_absolute": "0.02",
        },
    },
    spot=Market(
        symbol="BTC/USD",
        ticker_url=f"{_HOST}/products/BTC-USD/ticker?limit=1",
        figures=("97140.91000000000010", "97140.90", "97140.920", None, None, None, None),
        time=1767268800010,
        book_url=f"{_HOST}/product_book?product_id=BTC-USD&limit=2",
        bids=(("97140.90", "0.00000100"), ("9999.00", "4.10")),
        asks=(("97140.92", "1.2345678901234500"), ("100000.00", "5")),
    ),
)
