"""Kraken: what its answers to writes prove. Spot.

Every answer has status 200 and a list of errors; one that is empty is success. Several errors at once are none that
is listed. Kraken never repeats a client order id, and its market has no leverage to set.
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
    refusals,
)

UNTOLD: Final = (
    "what a call limit (`EAPI:Rate limit exceeded`) or an elapsed deadline left behind; what a repeated "
    "client order id answers; which order an acceptance is about, since it repeats no id of ours"
)

_ERRORS: Final = "https://docs.kraken.com/api/docs/guides/spot-errors"
_LIMITS: Final = "https://docs.kraken.com/api/docs/guides/spot-ratelimits/"
_HOSTS: Final = frozenset({"api.kraken.com"})
_OK: Final = (200,)

_REQUEST: Final = (
    refusals(
        *(_ERRORS, _OK, "EAPI:Invalid key", "EAPI:Invalid signature", "EAPI:Invalid nonce"),
        *("EGeneral:Permission denied", "EGeneral:Temporary lockout", "EAccount:Invalid permissions"),
        *("EAuth:Account temporary disabled", "EAuth:Account unconfirmed"),
    )
    | refusals(_ERRORS, _OK, "EGeneral:Invalid arguments", may_have_detail=True)
    # Of a limit's page: the engine answers with this rejection.
    | refusals(_LIMITS, _OK, "EOrder:Rate limit exceeded")
)
_PLACE: Final = _REQUEST | refusals(
    *(_ERRORS, _OK, "EService:Market in cancel_only mode", "EService:Market in post_only mode"),
    *("EOrder:Cannot open opposing position", "EOrder:Cannot open position"),
    *("EOrder:Margin allowance exceeded", "EOrder:Margin level too low"),
    *("EOrder:Margin position size exceeded", "EOrder:Insufficient margin", "EOrder:Insufficient funds"),
    *("EOrder:Order minimum not met", "EOrder:Cost minimum not met", "EOrder:Tick size check failed"),
    *("EOrder:Orders limit exceeded", "EOrder:Invalid price", "EOrder:Positions limit exceeded"),
    *("EOrder:Scheduled orders limit exceeded", "EOrder:Reduce only:No position exists"),
    *("EBM:limit exceeded:CAL",),
)
_GENERAL: Final = (
    doubts(_ERRORS, "is an error of its own, and says nothing of the order", "EGeneral:Internal error")
    | doubts(
        _ERRORS,
        "means that the engine or the API is not there, not that nothing was executed",
        *("EService:Unavailable", "EService:Busy"),
    )
    | doubts(
        _ERRORS,
        "is a timeout by its page, which does not say that nothing was executed",
        "EService:Deadline elapsed",
    )
    | doubts(
        _ERRORS,
        "is a limit of which its page does not say that nothing was executed",
        *("EAPI:Rate limit exceeded", "EAuth:Rate limit exceeded", "EAuth:Too many requests"),
        "EOrder:Domain rate limit exceeded",
    )
)
_PLACING: Final = doubts(
    _ERRORS,
    "means by its page that the order matched as much as it could before the rest was cancelled",
    "EOrder:Reduce only:Position is closed",
)
_CANCELLING: Final = doubts(
    _ERRORS, "says that it knows no such order, which may also be one that just ended", "EOrder:Unknown order"
)


def _shape(definite: dict[Code, Refusal], ambiguous: dict[Code, Doubt]) -> Codes:
    return Codes(
        members=frozenset({"error", "result"}),
        code=("error", 0),
        definite=definite,
        ambiguous=ambiguous,
        empty=(("result",),),
    )


ROUTES: Final[tuple[Route, ...]] = (
    Route(
        action="place",
        market="spot",
        hosts=_HOSTS,
        path=re.compile(r"/0/private/AddOrder"),
        codes=(_shape(_PLACE, _GENERAL | _PLACING),),
        acceptance=Acceptance(
            page="https://docs.kraken.com/api/docs/rest-api/add-order",
            no_errors=("error",),
            order_id=("result", "txid", 0),
            present=(("result", "descr", "order"),),
        ),
    ),
    Route(
        action="cancel",
        market="spot",
        hosts=_HOSTS,
        path=re.compile(r"/0/private/CancelOrder"),
        codes=(_shape(_REQUEST, _GENERAL | _CANCELLING),),
        acceptance=Acceptance(
            page="https://docs.kraken.com/api-reference/trading/cancel-order",
            no_errors=("error",),
            must={("result", "count"): frozenset({1})},
            may={("result", "pending"): frozenset({True, False})},
            remark="The answer counts orders and names none.",
        ),
    ),
)
