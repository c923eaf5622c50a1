"""Bitget, v2.

https://www.bitget.com/api-doc/spot/market/Get-Symbols
https://www.bitget.com/api-doc/margin/common/support-currencies
https://www.bitget.com/api-doc/spot/market/Get-Tickers
https://www.bitget.com/api-doc/spot/market/Get-Orderbook
https://www.bitget.com/api-doc/contract/market/Get-All-Symbols-Contracts
https://www.bitget.com/api-doc/contract/market/Get-Ticker
https://www.bitget.com/api-doc/contract/market/Get-Merge-Depth

Contracts count in base. The merged book sends JSON numbers, so it is text here.
"""

from .case import Case, Market

_HOST = "api.bitget.com/api/v2"
_PRODUCTS = (
    "USDT-FUTURES",
    "COIN-FUTURES",
    "USDC-FUTURES",
    "SUSDT-FUTURES",
    "SCOIN-FUTURES",
    "SUSDC-FUTURES",
)


def _data(data: object) -> dict[str, object]:
    return {"code": "00000", "msg": "success", "requestTime": 1767268800000, "data": data}


_CONTRACT = {
    "symbol": "BTCUSDT",
    "baseCoin": "BTC",
    "quoteCoin": "USDT",
    "buyLimitPriceRatio": "0.05",
    "sellLimitPriceRatio": "0.05",
    "feeRateUpRatio": "0.005",
    "makerFeeRate": "0.0002",
    "takerFeeRate": "0.0006",
    "openCostUpRatio": "0.01",
    "supportMarginCoins": ["USDT"],
    "minTradeNum": "0.0001",
    "priceEndStep": "1",
    "volumePlace": "4",
    "pricePlace": "1",
    "sizeMultiplier": "0.0001",
    "symbolType": "perpetual",
    "minTradeUSDT": "5",
    "maxSymbolOrderNum": "200",
    "maxProductOrderNum": "1000",
    "maxPositionNum": "150",
    "symbolStatus": "normal",
    "offTime": "-1",
    "limitOpenTime": "-1",
    "deliveryTime": "",
    "deliveryStartTime": "",
    "launchTime": "",
    "fundInterval": "8",
    "minLever": "1",
    "maxLever": "150",
    "posLimit": "0.1",
    "maintainTime": "",
}

CASE = Case(
    venue="bitget",
    # ccxt asks for every product and for the margin currencies, and has no option for less.
    loading=frozenset(
        {
            f"{_HOST}/spot/public/symbols",
            f"{_HOST}/margin/currencies",
            *(f"{_HOST}/mix/market/contracts?productType={product}" for product in _PRODUCTS),
        }
    ),
    hollow='{"code":"00000","msg":"success"}',
    answers={
        f"{_HOST}/spot/public/symbols": _data(
            [
                {
                    "symbol": "BTCUSDT",
                    "baseCoin": "BTC",
                    "quoteCoin": "USDT",
                    "minTradeAmount": "0",
                    "maxTradeAmount": "900000000000000000000",
                    "takerFeeRate": "0.002",
                    "makerFeeRate": "0.002",
                    "pricePrecision": "2",
                    "quantityPrecision": "6",
                    "quotePrecision": "8",
                    "status": "online",
                    "minTradeUSDT": "1",
                    "buyLimitPriceRatio": "0.05",
                    "sellLimitPriceRatio": "0.05",
                    "areaSymbol": "no",
                    "orderQuantity": "200",
                    "openTime": "1532454360000",
                    "offTime": "",
                }
            ]
        ),
        f"{_HOST}/margin/currencies": _data(
            [
                {
                    "symbol": "BTCUSDT",
                    "baseCoin": "BTC",
                    "quoteCoin": "USDT",
                    "maxCrossedLeverage": "3",
                    "maxIsolatedLeverage": "10",
                    "warningRiskRatio": "0.8",
                    "liquidationRiskRatio": "1",
                    "minTradeAmount": "0.0001",
                    "maxTradeAmount": "10000",
                    "takerFeeRate": "0.001",
                    "makerFeeRate": "0.001",
                    "pricePrecision": "2",
                    "quantityPrecision": "4",
                    "minTradeUSDT": "5",
                    "isBorrowable": True,
                    "isCrossBorrowable": True,
                    "isIsolatedBaseBorrowable": True,
                    "isIsolatedQuoteBorrowable": True,
                    "userMinBorrow": "0.00000001",
                    "status": "1",
                }
            ]
        ),
        **{f"{_HOST}/mix/market/contracts?productType={product}": _data([]) for product in _PRODUCTS[1:]},
        f"{_HOST}/mix/market/contracts?productType=USDT-FUTURES": _data([_CONTRACT]),
        f"{_HOST}/spot/market/tickers": _data(
            [
                {
                    "open": "96000.46",
                    "symbol": "BTCUSDT",
                    "high24h": "98000.750",
                    "low24h": "96000",
                    "lastPr": "97583.690000000010",
                    "quoteVolume": "519127705.3030",
                    "baseVolume": "13907.03860",
                    "usdtVolume": "519127705.302908",
                    "ts": "1767268800016",
                    "bidPr": "97583.680",
                    "askPr": "97583.69",
                    "bidSz": "0.0007",
                    "askSz": "0.0829",
                    "openUtc": "97449.4",
                    "changeUtc24h": "0.00359",
                    "change24h": "0.00321",
                }
            ]
        ),
        f"{_HOST}/spot/market/orderbook": _data(
            {
                "asks": [["97583.69", "0.0829000000000010"], ["100000.00", "1.10"]],
                "bids": [["97583.68", "0.0000010"], ["9999.00", "2.50"]],
                "ts": "1767268800017",
            }
        ),
        f"{_HOST}/mix/market/ticker": _data(
            [
                {
                    "symbol": "BTCUSDT",
                    "lastPr": "97580.10",
                    "askPr": "97580.10",
                    "bidPr": "97580.0",
                    "bidSz": "2",
                    "askSz": "1",
                    "high24h": "98000.0",
                    "low24h": "96000.0",
                    "ts": "1767268800018",
                    "change24h": "0.0123",
                    "baseVolume": "79089.5675000",
                    "quoteVolume": "7712345678.80485000",
                    "usdtVolume": "7712345678.80485",
                    "openUtc": "97000",
                    "changeUtc24h": "0.1",
                    "indexPrice": "97570",
                    "fundingRate": "0.0001",
                    "holdingAmount": "7452",
                    "deliveryStartTime": None,
                    "deliveryTime": None,
                    "deliveryStatus": "",
                    "open24h": "96400",
                    "markPrice": "97579.9",
                }
            ]
        ),
        f"{_HOST}/mix/market/merge-depth": (
            '{"code":"00000","msg":"success","requestTime":1767268800019,"data":{'
            '"asks":[[97580.1,6.3344000000000100],[97580.20,1E-4]],"bids":[[97580.0,9.75E+1],[9999.90,1.5]],'
            '"ts":"1767268800019","scale":"0.1","precision":"scale0","isMaxPrecision":"NO"}}'
        ),
    },
    spot=Market(
        symbol="BTC/USDT",
        ticker_url=f"{_HOST}/spot/market/tickers?symbol=BTCUSDT",
        figures=(
            "97583.690000000010",
            "97583.680",
            "97583.69",
            "98000.750",
            "96000",
            "13907.03860",
            "519127705.3030",
        ),
        time=1767268800016,
        book_url=f"{_HOST}/spot/market/orderbook?symbol=BTCUSDT&limit=2",
        bids=(("97583.68", "0.0000010"), ("9999.00", "2.50")),
        asks=(("97583.69", "0.0829000000000010"), ("100000.00", "1.10")),
    ),
    linear=Market(
        symbol="BTC/USDT:USDT",
        ticker_url=f"{_HOST}/mix/market/ticker?symbol=BTCUSDT&productType=USDT-FUTURES",
        figures=(
            "97580.10",
            "97580.0",
            "97580.10",
            "98000.0",
            "96000.0",
            "79089.5675000",
            "7712345678.80485000",
        ),
        time=1767268800018,
        book_url=f"{_HOST}/mix/market/merge-depth?symbol=BTCUSDT&limit=5&productType=USDT-FUTURES",
        bids=(("97580.0", "97.5"), ("9999.90", "1.5")),
        asks=(("97580.1", "6.3344000000000100"), ("97580.20", "0.0001")),
        contract_size="1",
    ),
)
