"""KuCoin: what its answers to writes prove. Spot, and futures at a host of their own with codes of their own.

A refusal comes with its code and a message, with status 200 or with a 4XX. What a change of leverage answers, and what
a repeated client order id answers on spot, was found on no page: both are unknown.
"""

import re
from typing import Final

from exchange_mcp.rules.outcomes.shapes import (
    Acceptance,
    Code,
    Codes,
    Doubt,
    Refusal,
    Route,
    doubts,
    one_of,
    refusals,
)

UNTOLD: Final = (
    "what a call limit (`429000`, `200002` on futures) left behind; what a repeated client order id "
    "answers on spot; what a change of leverage answers; stop orders and cancels by our own id"
)

_DOCS: Final = "https://www.kucoin.com/docs"
_SPOT: Final = f"{_DOCS}/basic-info/errors-code/spot-errors-code"
_FUTURES: Final = f"{_DOCS}/basic-info/errors-code/futures-errors-code"
_SPOT_HOSTS: Final = frozenset({"api.kucoin.com"})
_FUTURES_HOSTS: Final = frozenset({"api-futures.kucoin.com"})
_BUSINESS: Final = (200, 400)
_KEY: Final = (200, 400, 401, 403)


def _request(page: str) -> dict[Code, Refusal]:
    return (
        refusals(page, _KEY, "400001", "400002", "400003", "400004", "400005", "400006", "400007", "411100")
        # The code also carries other sentences; these two are on the page.
        | refusals(page, _BUSINESS, "400100", words=one_of("Parameter Error", "Invalid Parameter"))
    )


def _general(page: str) -> dict[Code, Doubt]:
    return doubts(page, "is an error of its own, and says nothing of the order", "500000") | doubts(
        page, "is a limit of which its page does not say that nothing was executed", "429000", "1015"
    )


_SPOT_PLACE: Final = _request(_SPOT) | refusals(
    *(_SPOT, _BUSINESS, "200001", "200003", "200004", "200009", "400200", "400500", "400600", "400700"),
    "900001",
)
_FUTURES_PLACE: Final = (
    _request(_FUTURES)
    | refusals(_FUTURES, _BUSINESS, "300000", words=one_of("request parameter illegal"))
    | refusals(
        *(_FUTURES, _BUSINESS, "40010", "100001", "100003", "200003", "300001", "300002", "300003", "300004"),
        *("300005", "300006", "300007", "300008", "300009", "300011", "300012", "300013", "300014", "300015"),
        *("300016", "300017"),
    )
)
_FUTURES_IN_USE: Final = doubts(
    _FUTURES,
    "says that the client order id is in use: an order of ours may be there, and has to be looked for",
    "300018",
)
_FUTURES_GENERAL: Final = _general(_FUTURES) | doubts(
    _FUTURES, "does not say what became of the order", "100002", "200002", "300010"
)


def _shape(
    definite: dict[Code, Refusal], ambiguous: dict[Code, Doubt], duplicate: dict[Code, Doubt] | None = None
) -> Codes:
    return Codes(
        members=frozenset({"code", "msg", "data"}),
        code=("code",),
        message=("msg",),
        definite=definite,
        ambiguous=ambiguous,
        duplicate=duplicate or {},
        empty=(("data",),),
    )


def _placed(page: str) -> Acceptance:
    return Acceptance(
        page=page,
        must={("code",): frozenset({"200000"})},
        order_id=("data", "orderId"),
        client_id=("data", "clientOid"),
        remark="It was taken into the system; what became of the order has to be read.",
    )


_ID: Final = r"[A-Za-z0-9_-]{1,80}"
_BEGUN: Final = "The request was taken; whether the order was still there has to be read."
_SPOT_CANCEL: Final = _shape(_request(_SPOT) | refusals(_SPOT, _BUSINESS, "200002"), _general(_SPOT))


def _cancelled(page: str) -> Acceptance:
    return Acceptance(
        page=page,
        must={("code",): frozenset({"200000"})},
        order_id=("data", "orderId"),
        remark=_BEGUN,
    )


ROUTES: Final[tuple[Route, ...]] = (
    Route(
        action="place",
        market="spot",
        hosts=_SPOT_HOSTS,
        path=re.compile(r"/api/v1/(?:hf/)?orders"),
        codes=(_shape(_SPOT_PLACE, _general(_SPOT)),),
        acceptance=_placed(f"{_DOCS}-new/rest/spot-trading/orders/add-order"),
    ),
    Route(
        action="place",
        market="futures",
        hosts=_FUTURES_HOSTS,
        path=re.compile(r"/api/v1/orders"),
        codes=(_shape(_FUTURES_PLACE, _FUTURES_GENERAL, _FUTURES_IN_USE),),
        acceptance=_placed(f"{_DOCS}-new/rest/futures-trading/orders/add-order"),
    ),
    Route(
        action="cancel",
        market="spot",
        hosts=_SPOT_HOSTS,
        path=re.compile(rf"/api/v1/hf/orders/{_ID}"),
        codes=(_SPOT_CANCEL,),
        acceptance=_cancelled(
            f"{_DOCS}/rest/spot-trading/spot-hf-trade-pro-account/cancel-hf-order-by-orderid"
        ),
    ),
    Route(
        action="cancel",
        market="futures",
        hosts=_FUTURES_HOSTS,
        path=re.compile(rf"/api/v1/orders/{_ID}"),
        codes=(
            _shape(
                _request(_FUTURES) | refusals(_FUTURES, _BUSINESS, "300002", "300014", "300015"),
                _FUTURES_GENERAL
                | doubts(
                    _FUTURES, "says that the order is not there or cannot be cancelled, a question", "100004"
                ),
            ),
        ),
        acceptance=Acceptance(
            page=f"{_DOCS}/rest/futures-trading/orders/cancel-order-by-orderid",
            must={("code",): frozenset({"200000"})},
            order_id=("data", "cancelledOrderIds", 0),
            remark=_BEGUN,
        ),
    ),
)
