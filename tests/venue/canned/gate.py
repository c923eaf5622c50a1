"""Gate, v4.

https://www.gate.com/docs/developers/apiv4/en/#query-all-supported-currency-pairs
https://www.gate.com/docs/developers/apiv4/en/#list-all-supported-currency-pairs-supported-in-margin-trading
https://www.gate.com/docs/developers/apiv4/en/#get-currency-pair-ticker-information
https://www.gate.com/docs/developers/apiv4/en/#get-market-depth-information
https://www.gate.com/docs/developers/apiv4/en/#query-all-futures-contracts
https://www.gate.com/docs/developers/apiv4/en/#get-all-futures-trading-statistics
https://www.gate.com/docs/developers/apiv4/en/#query-futures-market-depth-information

Futures count in contracts, here of 0.0001 BTC; `volume_24h` too, while `volume_24h_base` is base. The time of
their book is a JSON number of seconds.
"""

from .case import Case, Market

_HOST = "api.gateio.ws/api/v4"

CASE = Case(
    venue="gate",
    # ccxt asks for the margin pairs with the spot ones, and for the contracts of every settlement currency.
    loading=frozenset(
        {
            f"{_HOST}/spot/currency_pairs",
            f"{_HOST}/margin/currency_pairs",
            f"{_HOST}/futures/usdt/contracts",
            f"{_HOST}/futures/btc/contracts",
            f"{_HOST}/delivery/usdt/contracts",
        }
    ),
    hollow="{}",
    answers={
        f"{_HOST}/spot/currency_pairs": [
            {
                "id": "BTC_USDT",
                "base": "BTC",
                "base_name": "Bitcoin",
                "quote": "USDT",
                "quote_name": "Tether",
                "fee": "0.2",
                "min_base_amount": "0.000001",
                "min_quote_amount": "3",
                "max_quote_amount": "5000000",
                "amount_precision": 6,
                "precision": 1,
                "trade_status": "tradable",
                "sell_start": 0,
                "buy_start": 0,
                "type": "normal",
            }
        ],
        f"{_HOST}/margin/currency_pairs": [
            {
                "id": "BTC_USDT",
                "base": "BTC",
                "quote": "USDT",
                "leverage": 10,
                "min_base_amount": "0.0001",
                "min_quote_amount": "1",
                "max_quote_amount": "1000000",
                "status": 1,
            }
        ],
        f"{_HOST}/futures/usdt/contracts": [
            {
                "name": "BTC_USDT",
                "type": "direct",
                "quanto_multiplier": "0.0001",
                "ref_discount_rate": "0",
                "order_price_deviate": "0.5",
                "maintenance_rate": "0.005",
                "mark_type": "index",
                "last_price": "97290.1",
                "mark_price": "97290.26",
                "index_price": "97270",
                "funding_rate_indicative": "0.000219",
                "mark_price_round": "0.01",
                "funding_offset": 0,
                "in_delisting": False,
                "risk_limit_base": "1000000",
                "interest_rate": "0.0003",
                "order_price_round": "0.1",
                "order_size_min": 1,
                "ref_rebate_rate": "0.2",
                "funding_interval": 28800,
                "risk_limit_step": "1000000",
                "leverage_min": "1",
                "leverage_max": "100",
                "risk_limit_max": "8000000",
                "maker_fee_rate": "-0.00025",
                "taker_fee_rate": "0.00075",
                "funding_rate": "0.002053",
                "order_size_max": 1000000,
                "funding_next_apply": 1767283200,
                "config_change_time": 1609899548,
                "short_users": 977,
                "trade_size": 28530850594,
                "position_size": 5223816,
                "long_users": 455,
                "funding_impact_value": "60000",
                "orders_limit": 50,
                "trade_id": 10851092,
                "orderbook_id": 2129638396,
                "create_time": 1609899548,
            }
        ],
        f"{_HOST}/futures/btc/contracts": [],
        f"{_HOST}/delivery/usdt/contracts": [],
        f"{_HOST}/spot/tickers": [
            {
                "currency_pair": "BTC_USDT",
                "last": "97300.400000000010",
                "lowest_ask": "97300.50",
                "highest_bid": "97300.40",
                "change_percentage": "-1.180",
                "base_volume": "12190.5368786500",
                "quote_volume": "1186102739.875450",
                "high_24h": "98000.40",
                "low_24h": "96000.50",
            }
        ],
        f"{_HOST}/spot/order_book": {
            "id": 6358770031,
            "current": 1767268800020,
            "update": 1767268800019,
            "asks": [["97300.50", "0.124498270000000"], ["100000", "200.0"]],
            "bids": [["97300.40", "0.0000010"], ["9999.9", "243.983"]],
        },
        f"{_HOST}/futures/usdt/tickers": [
            {
                "contract": "BTC_USDT",
                "last": "97290.10",
                "low_24h": "96000.0",
                "high_24h": "98000.0",
                "change_percentage": "4.43",
                "total_size": "32323904",
                "volume_24h": "286132200",
                "volume_24h_base": "28613.2200",
                "volume_24h_quote": "2783784112.0",
                "volume_24h_settle": "2783784112",
                "mark_price": "97290.26",
                "funding_rate": "0.0001",
                "funding_rate_indicative": "0.0001",
                "index_price": "97270",
                "highest_bid": "97290.0",
                "highest_size": "41844",
                "lowest_ask": "97290.10",
                "lowest_size": "24909",
            }
        ],
        f"{_HOST}/futures/usdt/order_book": (
            '{"id":123456,"current":1767268800.021,"update":1767268799.990,'
            '"asks":[{"s":24909,"p":"97290.10"},{"s":2E+3,"p":"97290.20"}],'
            '"bids":[{"s":41844,"p":"97290.0"},{"s":1.50,"p":"9999.9"}]}'
        ),
    },
    spot=Market(
        symbol="BTC/USDT",
        ticker_url=f"{_HOST}/spot/tickers?currency_pair=BTC_USDT",
        figures=(
            "97300.400000000010",
            "97300.40",
            "97300.50",
            "98000.40",
            "96000.50",
            "12190.5368786500",
            "1186102739.875450",
        ),
        time=None,
        book_url=f"{_HOST}/spot/order_book?currency_pair=BTC_USDT&limit=2&with_id=true",
        bids=(("97300.40", "0.0000010"), ("9999.9", "243.983")),
        asks=(("97300.50", "0.124498270000000"), ("100000", "200.0")),
    ),
    linear=Market(
        symbol="BTC/USDT:USDT",
        ticker_url=f"{_HOST}/futures/usdt/tickers?contract=BTC_USDT",
        figures=("97290.10", "97290.0", "97290.10", "98000.0", "96000.0", "28613.2200", "2783784112.0"),
        time=None,
        book_url=f"{_HOST}/futures/usdt/order_book?contract=BTC_USDT&limit=2&with_id=true",
        bids=(("97290.0", "4.1844"), ("9999.9", "0.000150")),  # contracts of 0.0001
        asks=(("97290.10", "2.4909"), ("97290.20", "0.2")),  # 2E+3 has one digit
        contract_size="0.0001",
    ),
)
