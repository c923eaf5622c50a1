"""KuCoin: client order ids. Its look-ups by one are in no reviewed list, so nothing is sought here yet.

https://www.kucoin.com/docs-new/rest/spot-trading/orders/add-order
https://www.kucoin.com/docs-new/rest/futures-trading/orders/add-order
"""

from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.findings import Source
from exchange_mcp.rules.client_ids.declared import Gap, IdRules, LookUps, OrderIds, Unique, WindowRules
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.private.declared import CONTRACTS, SPOT

_DOCS: Final = "https://www.kucoin.com/docs-new/rest"
_UNREVIEWED: Final = "is not among the endpoints that were reviewed"


def _of(types: tuple[MarketType, ...], route: Endpoint, page: str) -> OrderIds:
    return OrderIds(
        types=types,
        is_conditional=None,
        ids=IdRules(
            longest=40,
            pattern=r"[A-Za-z0-9_-]{1,40}",
            fields={route: "clientOid"},
            unique=Unique.ALWAYS,
            unique_for="a second order with it is refused; for how long is not said",
            is_echoed=True,
            page=page,
        ),
        window=WindowRules(
            travels="nowhere",
            default_ms=None,
            longest_ms=None,
            early_ms=None,
            # The signature's time is compared with the venue's clock, and no page calls it a deadline of the order.
            refuses_late=False,
            is_sent=False,
            page="https://www.kucoin.com/docs-new/authentication",
        ),
        lookups=LookUps(
            exact_gap=f"its look-up by client order id {_UNREVIEWED}",
            lists=tuple(
                Gap(source=source, why=_UNREVIEWED)
                for source in (
                    Source.OPEN_ORDERS,
                    Source.CONDITIONAL_ORDERS,
                    Source.CLOSED_ORDERS,
                    Source.TRADES,
                )
            ),
            lag_ms=600_000,
            lag_is_documented=False,
            lag_page="",
            keeps_ms=None,
            clock=("futuresPublicGetTimestamp", "data", "ms") if types == CONTRACTS else None,
        ),
    )


ORDER_IDS: Final = (
    _of(SPOT, Endpoint("POST", "private", "hf/orders"), f"{_DOCS}/spot-trading/orders/add-order"),
    _of(CONTRACTS, Endpoint("POST", "futuresPrivate", "orders"), f"{_DOCS}/futures-trading/orders/add-order"),
)
