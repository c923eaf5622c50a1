"""Bitget: what its answers to writes prove. Spot and futures, version 2, with one table of codes.

An error comes with status 200 or 400. What a change of leverage answers tells three leverages at once, and which of
them is in force depends on the account: its success is unknown until it is read back.
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
    "what a call limit (`429`) left behind; the success of a change of leverage; codes of spot that are "
    "not in the table of futures, which is the one that was found; plan orders"
)

_ERRORS: Final = "https://www.bitget.com/legacy-docs/classic/contract/error-code/restapi"
_DOCS: Final = "https://www.bitget.com/api-doc"
_HOSTS: Final = frozenset({"api.bitget.com"})
_BUSINESS: Final = (200, 400)
_KEY: Final = (200, 400, 401, 403)

_REQUEST: Final = refusals(
    *(_ERRORS, _KEY, "40001", "40002", "40003", "40005", "40006", "40007", "40008", "40009", "40011"),
    *("40012", "40013", "40014", "40018", "40022", "40023", "40024", "40025", "40026", "40036", "40037"),
    *("40038", "40041", "40068", "40103"),
) | refusals(
    *(_ERRORS, _BUSINESS, "40017", "40019", "40020", "40034", "40035", "40053", "40057", "40064", "40078"),
    *("40079", "40102", "40301", "40404", "40409", "40724", "40808", "40811", "40813", "41002"),
    *("41101", "41103", "43011", "43058", "48001", "48002"),
)
_PLACE: Final = _REQUEST | refusals(
    *(_ERRORS, _BUSINESS, "22004", "22005", "22006", "22007", "22008", "22009", "22034", "22038", "22039"),
    *("22040", "22041", "22042", "40072", "40304", "40305", "40309", "40706", "40710", "40715", "40716"),
    *("40717", "40723", "40748", "40752", "40753", "40754", "40755", "40757", "40760", "40761", "40762"),
    *("40798", "40800", "40815", "40816", "40824", "40826", "40844", "40845", "40916", "40921", "40928"),
    *("42016", "43005", "43006", "43007", "43008", "43009", "43010", "43012", "43027", "43028", "43034"),
    *("43035", "43037", "43038", "43039", "43040", "43041", "43042", "43048", "43049", "43128", "43132"),
    *("45002", "45003", "45005", "45009", "45035", "45043", "45107", "45108", "45110", "45111", "45112"),
    *("45113", "45114", "45115", "45116", "45118", "45119", "45120", "45123"),
)
_LEVERAGE: Final = _REQUEST | refusals(
    *(_ERRORS, _BUSINESS, "40730", "40869", "40880", "40893", "40914", "43050", "45044", "45045", "45089"),
    "45097",
)
_GENERAL: Final = (
    doubts(
        _ERRORS,
        "is an error of its own, and says nothing of the order",
        *("40015", "40200", "40725", "40908", "43059", "45001"),
    )
    | doubts(_ERRORS, "says that a condition is not met, and not which one", "40812")
    | doubts(_ERRORS, "is a timeout, after which the request may have been executed", "40010", "40910")
    | doubts(_ERRORS, "is a limit of which its page does not say that nothing was executed", "429", "45129")
)
_PLACING: Final = doubts(_ERRORS, "does not say what became of the order", "43002", "43003", "45023")
_IN_USE: Final = doubts(
    _ERRORS,
    "says that the client order id is in use: an order of ours may be there, and has to be looked for",
    *("43118", "45034"),
)
_CANCELLING: Final = doubts(
    _ERRORS,
    "says that there is nothing to cancel any more, or not yet, which is a question",
    *("22001", "40109", "43001", "43004", "45024", "45031", "45055", "45057"),
)
_UNCHANGED: Final = doubts(_ERRORS, "says that the leverage is this one already", "40814", "45054")


def _shape(
    definite: dict[Code, Refusal], ambiguous: dict[Code, Doubt], duplicate: dict[Code, Doubt] | None = None
) -> Codes:
    return Codes(
        members=frozenset({"code", "msg", "requestTime", "data"}),
        code=("code",),
        message=("msg",),
        definite=definite,
        ambiguous=ambiguous,
        duplicate=duplicate or {},
        empty=(("data",),),
    )


def _taken(page: str, remark: str = "") -> Acceptance:
    return Acceptance(
        page=page,
        must={("code",): frozenset({"00000"}), ("msg",): frozenset({"success"})},
        order_id=("data", "orderId"),
        client_id=("data", "clientOid"),
        remark=remark,
    )


_BEGUN: Final = "The request was taken; whether the order was still there has to be read."
_PLACES: Final = _shape(_PLACE, _GENERAL | _PLACING, _IN_USE)
_CANCELS: Final = _shape(_REQUEST | refusals(_ERRORS, _BUSINESS, "45056"), _GENERAL | _CANCELLING)

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        action="place",
        market="spot",
        hosts=_HOSTS,
        path=re.compile(r"/api/v2/spot/trade/place-order"),
        codes=(_PLACES,),
        acceptance=_taken(f"{_DOCS}/spot/trade/Place-Order"),
    ),
    Route(
        action="place",
        market="futures",
        hosts=_HOSTS,
        path=re.compile(r"/api/v2/mix/order/place-order"),
        codes=(_PLACES,),
        acceptance=_taken(f"{_DOCS}/contract/trade/Place-Order"),
    ),
    Route(
        action="cancel",
        market="spot",
        hosts=_HOSTS,
        path=re.compile(r"/api/v2/spot/trade/cancel-order"),
        codes=(_CANCELS,),
        acceptance=_taken(f"{_DOCS}/spot/trade/Cancel-Order", _BEGUN),
    ),
    Route(
        action="cancel",
        market="futures",
        hosts=_HOSTS,
        path=re.compile(r"/api/v2/mix/order/cancel-order"),
        codes=(_CANCELS,),
        acceptance=_taken(f"{_DOCS}/contract/trade/Cancel-Order", _BEGUN),
    ),
    Route(
        action="leverage",
        market="futures",
        hosts=_HOSTS,
        path=re.compile(r"/api/v2/mix/account/set-leverage"),
        codes=(_shape(_LEVERAGE, _GENERAL | _UNCHANGED),),
        acceptance=None,
    ),
)
