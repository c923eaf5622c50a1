"""What a good answer to a read looks like, so that a bad one is never taken for an empty account or market.

ccxt parses an HTML page, `{}` or a cut-off body into empty balances, books and catalogues without a word. Any
answer must be a JSON object or array; where a list in it would be rendered as "nothing there", the list itself
must be present; where there is always something, it must not be empty.
"""

from typing import Final, cast

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.venues import VENUES

# (venue, ccxt api section, path)
_Endpoint = tuple[str, str, str]

# The members, by dotted path, that must be lists; "" is the answer itself, "*" the first of a list or object.
# binance spot: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/account-endpoints
# binance USD-M: https://developers.binance.com/docs/derivatives/usds-margined-futures/account/rest-api
#                https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api
# bybit: https://bybit-exchange.github.io/docs/v5/market/instrument and .../orderbook
# okx: https://www.okx.com/docs-v5/en/#public-data-rest-api-get-instruments
# kraken: https://docs.kraken.com/api/docs/rest-api/get-order-book
# coinbase: https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/public
# kucoin: https://www.kucoin.com/docs-new/rest/spot-trading/market-data and .../futures-trading/market-data
# bitget: https://www.bitget.com/api-doc/spot/market and .../contract/market
# gate: https://www.gate.com/docs/developers/apiv4/en/
_LISTS: Final[dict[_Endpoint, tuple[str, ...]]] = {
    ("binance", "public", "exchangeInfo"): ("symbols",),
    ("binance", "public", "depth"): ("bids", "asks"),
    ("binance", "private", "account"): ("balances",),
    ("binance", "private", "openOrders"): ("",),
    ("binance", "fapiPublic", "exchangeInfo"): ("symbols",),
    ("binance", "fapiPublic", "depth"): ("bids", "asks"),
    ("binance", "fapiPrivateV3", "account"): ("assets",),
    ("binance", "fapiPrivateV2", "positionRisk"): ("",),
    ("binance", "fapiPrivate", "openOrders"): ("",),
    ("binance", "fapiPrivate", "openAlgoOrders"): ("",),
    ("binance", "dapiPublic", "exchangeInfo"): ("symbols",),
    ("binance", "dapiPublic", "depth"): ("bids", "asks"),
    ("bybit", "private", "v5/account/wallet-balance"): ("result.list",),
    ("bybit", "private", "v5/position/list"): ("result.list",),
    ("bybit", "private", "v5/order/realtime"): ("result.list",),
    ("bybit", "public", "v5/market/instruments-info"): ("result.list",),
    ("bybit", "public", "v5/market/orderbook"): ("result.b", "result.a"),
    ("okx", "private", "account/balance"): ("data", "data.*.details"),
    ("okx", "private", "account/positions"): ("data",),
    ("okx", "private", "trade/orders-pending"): ("data",),
    ("okx", "private", "trade/orders-algo-pending"): ("data",),
    ("okx", "public", "public/instruments"): ("data",),
    ("okx", "public", "market/books"): ("data.*.bids", "data.*.asks"),
    ("kraken", "public", "Depth"): ("result.*.bids", "result.*.asks"),
    ("coinbase", "v3/private", "brokerage/accounts"): ("accounts",),
    ("coinbase", "v3/private", "brokerage/orders/historical/batch"): ("orders",),
    ("coinbase", "v3/public", "brokerage/market/products"): ("products",),
    ("coinbase", "v3/public", "brokerage/market/product_book"): ("pricebook.bids", "pricebook.asks"),
    ("kucoin", "private", "accounts"): ("data",),
    ("kucoin", "private", "hf/orders/active/symbols"): ("data.symbols",),
    ("kucoin", "private", "hf/orders/active"): ("data",),
    ("kucoin", "private", "stop-order"): ("data.items",),
    ("kucoin", "futuresPrivate", "positions"): ("data",),
    ("kucoin", "futuresPrivate", "orders"): ("data.items",),
    ("kucoin", "futuresPrivate", "stopOrders"): ("data.items",),
    ("kucoin", "utaPrivate", "{accountMode}/account/balance"): ("data.accounts",),
    ("kucoin", "utaPrivate", "{accountMode}/position/open-list"): ("data",),
    ("kucoin", "utaPrivate", "{accountMode}/order/open-list"): ("data.items",),
    ("kucoin", "public", "symbols"): ("data",),
    ("kucoin", "public", "market/orderbook/level{level}_{limit}"): ("data.bids", "data.asks"),
    ("kucoin", "futuresPublic", "contracts/active"): ("data",),
    ("kucoin", "futuresPublic", "level2/depth20"): ("data.bids", "data.asks"),
    ("kucoin", "futuresPublic", "level2/depth100"): ("data.bids", "data.asks"),
    ("bitget", "private/spot", "v2/spot/account/assets"): ("data",),
    ("bitget", "private/spot", "v2/spot/trade/unfilled-orders"): ("data",),
    ("bitget", "private/spot", "v2/spot/trade/current-plan-order"): ("data.orderList",),
    ("bitget", "private/mix", "v2/mix/account/accounts"): ("data",),
    ("bitget", "private/mix", "v2/mix/position/all-position"): ("data",),
    ("bitget", "private/uta", "v3/account/assets"): ("data.assets",),
    ("bitget", "private/uta", "v3/trade/unfilled-orders"): ("data.list",),
    ("bitget", "private/uta", "v3/trade/unfilled-strategy-orders"): ("data",),
    ("bitget", "public/spot", "v2/spot/public/symbols"): ("data",),
    ("bitget", "public/spot", "v2/spot/market/orderbook"): ("data.bids", "data.asks"),
    ("bitget", "public/margin", "v2/margin/currencies"): ("data",),
    ("bitget", "public/mix", "v2/mix/market/contracts"): ("data",),
    ("bitget", "public/mix", "v2/mix/market/merge-depth"): ("data.bids", "data.asks"),
    ("gate", "private/spot", "accounts"): ("",),
    ("gate", "private/spot", "open_orders"): ("",),
    ("gate", "private/spot", "price_orders"): ("",),
    ("gate", "private/futures", "{settle}/positions"): ("",),
    ("gate", "private/futures", "{settle}/orders"): ("",),
    ("gate", "private/futures", "{settle}/price_orders"): ("",),
    ("gate", "private/delivery", "{settle}/positions"): ("",),
    ("gate", "private/delivery", "{settle}/orders"): ("",),
    ("gate", "private/delivery", "{settle}/price_orders"): ("",),
    ("gate", "public/spot", "currency_pairs"): ("",),
    ("gate", "public/spot", "order_book"): ("bids", "asks"),
    ("gate", "public/margin", "currency_pairs"): ("",),
    ("gate", "public/futures", "{settle}/contracts"): ("",),
    ("gate", "public/futures", "{settle}/order_book"): ("bids", "asks"),
    ("gate", "public/delivery", "{settle}/contracts"): ("",),
    ("gate", "public/delivery", "{settle}/order_book"): ("bids", "asks"),
}

# The members that must be objects: a missing one would be rendered as "nothing there" just so.
# kraken: https://docs.kraken.com/api/docs/rest-api/get-extended-balance and .../get-open-orders
# gate: https://github.com/gate/gateapi-csharp/blob/master/docs/UnifiedApi.md
_OBJECTS: Final[dict[_Endpoint, str]] = {
    ("kraken", "private", "BalanceEx"): "result",
    ("kraken", "private", "OpenOrders"): "result.open",
    ("kucoin", "futuresPrivate", "account-overview"): "data",
    ("gate", "private/unified", "accounts"): "balances",
}

# The members that must be there, as a list or as null, which these write for an empty list.
# bitget: https://www.bitget.com/api-doc/contract/trade/Get-Orders-Pending, https://www.bitget.com/api-doc/uta/trade/Get-Position
_LISTS_OR_NULL: Final[dict[_Endpoint, tuple[str, str]]] = {
    ("bitget", "private/mix", "v2/mix/order/orders-pending"): ("data", "entrustedList"),
    ("bitget", "private/mix", "v2/mix/order/orders-plan-pending"): ("data", "entrustedList"),
    ("bitget", "private/uta", "v3/position/current-position"): ("data", "list"),
}

# Those that are never empty: each of these venues lists markets of each of these kinds at any time.
# kraken: https://docs.kraken.com/api/docs/rest-api/get-tradable-asset-pairs
_FILLED: Final[dict[_Endpoint, str]] = {
    ("binance", "public", "exchangeInfo"): "symbols",
    ("binance", "fapiPublic", "exchangeInfo"): "symbols",
    ("binance", "dapiPublic", "exchangeInfo"): "symbols",
    ("okx", "public", "public/instruments"): "data",
    ("kraken", "public", "AssetPairs"): "result",
    ("kucoin", "public", "symbols"): "data",
    ("kucoin", "futuresPublic", "contracts/active"): "data",
    ("bitget", "public/spot", "v2/spot/public/symbols"): "data",
    ("gate", "public/spot", "currency_pairs"): "",
}


def _member(answer: object, path: str) -> object:
    for name in path.split(".") if path else ():
        members = cast("dict[str, object]", answer) if isinstance(answer, dict) else {}
        if name == "*":
            rows = cast("list[object]", answer) if isinstance(answer, list) else list(members.values())
            answer = rows[0] if rows else None
        else:
            answer = members.get(name)
    return answer


def fault(venue: str, api: str, path: str, answer: object) -> str | None:
    """What is wrong with the shape of an answer, as "an answer that …"; None where nothing is."""
    if not isinstance(answer, dict | list):
        return "an answer that is not JSON"
    value, endpoint = cast("object", answer), (venue, api, path)
    for member in _LISTS.get(endpoint, ()):
        if not isinstance(_member(value, member), list):
            return f"an answer to {path} without its list{f' of {member}' if member else ''}"
    named = _OBJECTS.get(endpoint)
    if named is not None and not isinstance(_member(value, named), dict):
        return f"an answer to {path} without its {named}"
    nullable = _LISTS_OR_NULL.get(endpoint)
    if nullable is not None:
        holder = _member(value, nullable[0])
        members = cast("dict[str, object]", holder) if isinstance(holder, dict) else {}
        if nullable[1] not in members or not isinstance(members[nullable[1]], list | None):
            return f"an answer to {path} without its list of {'.'.join(nullable)}"
    filled = _FILLED.get(endpoint)
    if filled is not None:
        content = _member(value, filled)
        if not isinstance(content, dict | list) or not cast("dict[str, object] | list[object]", content):
            return f"an answer to {path} with nothing in it"
    return None


def counts_in_base(venue: str, market_type: MarketType) -> bool:
    """Whether it was read what a venue's amounts count, so that they can be given in base.

    ccxt's size of a contract is no proof of it: at deribit, books count base or dollars, and never contracts.
    https://docs.deribit.com/#public-get_order_book
    """
    return venue in VENUES or market_type is MarketType.SPOT


# The depths that a venue's book request takes, where it does not take any number.
# binance USD-M: https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Order-Book
# binance COIN-M: https://developers.binance.com/docs/derivatives/coin-margined-futures/market-data/rest-api/Order-Book
# kucoin: https://www.kucoin.com/docs-new/rest/spot-trading/market-data/get-part-orderbook
# bitget: https://www.bitget.com/api-doc/contract/market/Get-Merge-Depth
# bitfinex: https://docs.bitfinex.com/reference/rest-public-book
_FUTURES_DEPTHS: Final = (5, 10, 20, 50, 100, 500, 1000)
_DEPTHS: Final[dict[tuple[str, MarketType], tuple[int, ...]]] = {
    ("binance", MarketType.LINEAR): _FUTURES_DEPTHS,
    ("binance", MarketType.INVERSE): _FUTURES_DEPTHS,
    **{("kucoin", market_type): (20, 100) for market_type in MarketType},
    ("bitget", MarketType.LINEAR): (1, 5, 15, 50),
    ("bitget", MarketType.INVERSE): (1, 5, 15, 50),
    **{("bitfinex", market_type): (1, 25, 100) for market_type in MarketType},
}

# The most levels that are asked for, where the vendor's page allows more than the usual number.
# binance spot: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints
# bybit: https://bybit-exchange.github.io/docs/v5/market/orderbook
# okx: https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-order-book
# kraken: https://docs.kraken.com/api/docs/rest-api/get-order-book
# bitget spot: https://www.bitget.com/api-doc/spot/market/Get-Orderbook
_USUAL_DEPTH: Final = 50
_DEEPEST: Final[dict[tuple[str, MarketType], int]] = {
    **{("binance", market_type): 1000 for market_type in MarketType},
    **{("bybit", market_type): 200 for market_type in MarketType},
    **{("okx", market_type): 400 for market_type in MarketType},
    ("kraken", MarketType.SPOT): 500,
    **{("kucoin", market_type): 100 for market_type in MarketType},
    ("bitget", MarketType.SPOT): 150,
}


def book_depth(venue: str, market_type: MarketType, levels: int) -> int | None:
    """The smallest depth that the venue's book request takes and that holds `levels`, or the deepest that it takes.

    None where nobody read which depths it takes: then it is asked for as many as it likes to give.
    """
    depths = _DEPTHS.get((venue, market_type), ())
    if not depths and venue not in VENUES:
        return None
    asked = min(levels, _DEEPEST.get((venue, market_type), _USUAL_DEPTH))
    return next((depth for depth in depths if depth >= asked), asked)
