"""Bitget: what may be asked, of the classic account and of the unified one.

Not reviewed, so not allowed although ccxt's source reaches them: margin, the venue's clock, and the unified account's
funding wallet, history and fees.
"""

from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.endpoints.classes import EndpointClass, Reviewed, lines

_ALL: Final = (MarketType.SPOT, MarketType.LINEAR, MarketType.INVERSE)
_SPOT: Final = (MarketType.SPOT,)
_CONTRACTS: Final = (MarketType.LINEAR, MarketType.INVERSE)
_DOCS: Final = "https://www.bitget.com/api-doc"
_SDK: Final = "https://github.com/BitgetLimited/agent_hub/blob/main/packages/bitget-core/src"

REVIEWED: Final[tuple[Reviewed, ...]] = (
    *lines(
        EndpointClass.MARKETS, _SPOT, f"{_SDK}/tools/spot-market.ts", "GET public/spot v2/spot/public/symbols"
    ),
    *lines(
        EndpointClass.MARKETS,
        _SPOT,
        f"{_DOCS}/margin/common/support-currencies",
        "GET public/margin v2/margin/currencies",
        note="which spot pairs have margin; ccxt asks it with the symbols; the page was read in a copy elsewhere",
    ),
    *lines(
        EndpointClass.MARKETS,
        _CONTRACTS,
        f"{_DOCS}/contract/market/Get-All-Symbols-Contracts",
        "GET public/mix v2/mix/market/contracts",
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_DOCS}/spot/market/Get-Orderbook",
        "GET public/spot v2/spot/market/orderbook",
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_SDK}/tools/spot-market.ts",
        "GET public/spot v2/spot/market/candles",
        "GET public/spot v2/spot/market/tickers",
    ),
    *lines(
        EndpointClass.READ,
        _CONTRACTS,
        f"{_SDK}/tools/futures-market.ts",
        "GET public/mix v2/mix/market/candles",
        "GET public/mix v2/mix/market/current-fund-rate",
        "GET public/mix v2/mix/market/merge-depth",
        "GET public/mix v2/mix/market/ticker",
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_DOCS}/spot/account/Get-Account-Assets",
        "GET private/spot v2/spot/account/assets",
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_SDK}/tools/spot-trade.ts",
        "GET private/spot v2/spot/trade/current-plan-order",
        "GET private/spot v2/spot/trade/fills",
        "GET private/spot v2/spot/trade/history-orders",
        "GET private/spot v2/spot/trade/history-plan-order",
        "GET private/spot v2/spot/trade/orderInfo",
        "GET private/spot v2/spot/trade/unfilled-orders",
    ),
    *lines(
        EndpointClass.READ,
        _CONTRACTS,
        f"{_SDK}/tools/account.ts",
        "GET private/mix v2/mix/account/accounts",
    ),
    *lines(
        EndpointClass.READ,
        _CONTRACTS,
        f"{_SDK}/tools/futures-trade.ts",
        "GET private/mix v2/mix/order/detail",
        "GET private/mix v2/mix/order/fills",
        "GET private/mix v2/mix/order/orders-history",
        "GET private/mix v2/mix/order/orders-pending",
    ),
    *lines(
        EndpointClass.READ,
        _CONTRACTS,
        f"{_DOCS}/contract/position/get-all-position",
        "GET private/mix v2/mix/position/all-position",
    ),
    *lines(
        EndpointClass.READ,
        _CONTRACTS,
        f"{_DOCS}/contract/plan/get-orders-plan-pending",
        "GET private/mix v2/mix/order/orders-plan-pending",
    ),
    *lines(
        EndpointClass.READ,
        _ALL,
        f"{_DOCS}/uta/account/Get-Account-Setting",
        "GET private/uta v3/account/settings",
        note="which type of account it is; the page was read in a copy elsewhere",
    ),
    *lines(
        EndpointClass.READ,
        _ALL,
        f"{_DOCS}/uta/account/Get-Account",
        "GET private/uta v3/account/assets",
        note="the page was read in a copy elsewhere",
    ),
    *lines(
        EndpointClass.READ,
        _CONTRACTS,
        f"{_DOCS}/uta/trade/Get-Position",
        "GET private/uta v3/position/current-position",
        note="the page was read in a copy elsewhere",
    ),
    *lines(
        EndpointClass.READ,
        _ALL,
        f"{_DOCS}/uta/trade/Get-Order-Pending",
        "GET private/uta v3/trade/unfilled-orders",
        note="the page was read in a copy elsewhere",
    ),
    *lines(
        EndpointClass.READ,
        _CONTRACTS,
        f"{_DOCS}/uta/strategy/Get-Unfilled-Strategy-Orders",
        "GET private/uta v3/trade/unfilled-strategy-orders",
        note="stops and targets; the page was read in a copy elsewhere",
    ),
    *lines(
        EndpointClass.SCOPE,
        _ALL,
        f"{_DOCS}/spot/account/Get-Account-Info",
        "GET private/spot v2/spot/account/info",
    ),
)
