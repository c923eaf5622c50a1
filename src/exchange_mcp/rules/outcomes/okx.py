"""OKX: what its answers to writes prove. One set of endpoints serves every market type.

A request that is refused as a whole has its code at the top, with the status that its page gives. One that was read
has code `1` there, and the order's own code in `sCode`, with status 200.
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
    "what the limit of an account (`50061`) left behind; codes from 54031 on and those of the account, "
    "leverage among them; orders of the algo and batch endpoints"
)

_DOCS: Final = "https://www.okx.com/docs-v5/en/"
_ERRORS: Final = f"{_DOCS}#error-code-rest-api-public"
# The code of a request that was rejected for its rate, by this page.
_LIMITS: Final = f"{_DOCS}#overview-rate-limits"
_HOSTS: Final = frozenset({"www.okx.com"})
_MEMBERS: Final = frozenset({"code", "msg", "data", "inTime", "outTime"})
_OK: Final = (200,)

# Of the whole request, each with the status in the page's second column.
_WHOLE: Final = (
    refusals(_LIMITS, (200, 429), "50011")
    | refusals(_ERRORS, (400,), "50000", "50002", "50006", "50014", "50015", "50016", "50100", "51000")
    | refusals(_ERRORS, (401,), *(str(code) for code in range(50101, 50115)))
    | refusals(_ERRORS, (403,), "50035")
    | refusals(_ERRORS, (405,), "50115")
    | refusals(_ERRORS, (410,), "50005")
    | refusals(
        *(_ERRORS, _OK, "50007", "50008", "50009", "50012", "50024", "50025", "50027", "50029", "50030"),
        *("50036", "50037", "50038", "50041", "50051", "50059", "50060", "50119", "50120", "50121"),
    )
)
_GENERAL: Final = (
    doubts(_ERRORS, "means by its page neither that it succeeded nor that it failed", "50004", "51149")
    | doubts(_ERRORS, "is an error of its own, and says nothing of the order", "50001", "50013", "50026")
    | doubts(_ERRORS, "is a timeout, after which the request may have been executed", "51054")
    | doubts(
        _ERRORS,
        "is a limit of which its page does not say that nothing was executed",
        "50040",
        "50061",
    )
)
_PLACE: Final = refusals(_LIMITS, _OK, "50011") | refusals(
    *(_ERRORS, _OK, "50014", "50015", "50016", "50024", "50027", "50028", "50029", "50032", "50033"),
    *("50037", "50051", "50052", "50122"),
    *("51000", "51001", "51002", "51004", "51005", "51006", "51007", "51008", "51009", "51010", "51012"),
    *("51015", "51020", "51021", "51022", "51023", "51024", "51025", "51027", "51028", "51029", "51030"),
    *("51031", "51033", "51037", "51046", "51047", "51048", "51049", "51050", "51051", "51052", "51053"),
    *("51087", "51100", "51101", "51102", "51103", "51104", "51105", "51106", "51107", "51109", "51110"),
    *("51112", "51116", "51117", "51120", "51121", "51122", "51124", "51127", "51128", "51129", "51131"),
    *("51132", "51133", "51134", "51135", "51136", "51137", "51138", "51139", "51140", "51142", "51143"),
    *("51147", "51148", "51150", "51155", "51169", "51170", "51174", "51185", "51186", "51187", "51196"),
    *("51197", "51201", "51202", "51203", "51204", "51205", "51206", "51209", "51210", "51211", "51213"),
    *("51277", "51278", "51279", "51280", "54000", "54005", "54006", "54007", "54024", "54025", "54030"),
)
_IN_USE: Final = doubts(
    _ERRORS,
    "says that an id or the request is there already: an order of ours may be there, and has to be looked for",
    *("50042", "50071", "51011", "51016", "51065"),
)
_CANCELLING: Final = doubts(
    _ERRORS,
    "says that there is nothing to cancel any more, or not yet, which is a question",
    *("51400", "51401", "51402", "51405", "51410", "51412", "51416", "51603"),
)


def _whole(ambiguous: dict[Code, Doubt], duplicate: dict[Code, Doubt]) -> Codes:
    return Codes(
        members=_MEMBERS,
        code=("code",),
        message=("msg",),
        definite=_WHOLE,
        ambiguous=ambiguous,
        duplicate=duplicate,
        empty=(("data",),),
    )


def _single(
    definite: dict[Code, Refusal], ambiguous: dict[Code, Doubt], duplicate: dict[Code, Doubt]
) -> Codes:
    return Codes(
        members=_MEMBERS,
        code=("data", 0, "sCode"),
        must={("code",): frozenset({"1"})},
        definite=definite,
        ambiguous=ambiguous,
        duplicate=duplicate,
    )


def _taken(page: str) -> Acceptance:
    return Acceptance(
        page=page,
        must={("code",): frozenset({"0"}), ("data", 0, "sCode"): frozenset({"0"})},
        order_id=("data", 0, "ordId"),
        client_id=("data", 0, "clOrdId"),
    )


_SINGLE_PLACE: Final = Codes(
    members=_MEMBERS,
    code=("data", 0, "sCode"),
    message=("data", 0, "sMsg"),
    must={("code",): frozenset({"1"})},
    definite=_PLACE,
    ambiguous=_GENERAL,
    duplicate=_IN_USE,
    empty=(("data", 0, "ordId"),),
)

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        action="place",
        market="spot and contracts",
        hosts=_HOSTS,
        path=re.compile(r"/api/v5/trade/order"),
        codes=(_SINGLE_PLACE, _whole(_GENERAL, _IN_USE)),
        acceptance=_taken(f"{_DOCS}#order-book-trading-trade-post-place-order"),
    ),
    Route(
        action="cancel",
        market="spot and contracts",
        hosts=_HOSTS,
        path=re.compile(r"/api/v5/trade/cancel-order"),
        codes=(
            _single(
                refusals(_ERRORS, _OK, "51000", "51403", "51404", "51407", "51408", "51413"),
                _GENERAL | _CANCELLING,
                {},
            ),
            _whole(_GENERAL | _CANCELLING, {}),
        ),
        acceptance=Acceptance(
            page=f"{_DOCS}#order-book-trading-trade-post-cancel-order",
            must={("code",): frozenset({"0"}), ("data", 0, "sCode"): frozenset({"0"})},
            order_id=("data", 0, "ordId"),
            client_id=("data", 0, "clOrdId"),
            remark="The request was taken; whether the order was still there has to be read.",
        ),
    ),
    Route(
        action="leverage",
        market="contracts",
        hosts=_HOSTS,
        path=re.compile(r"/api/v5/account/set-leverage"),
        codes=(_whole(_GENERAL, {}),),
        acceptance=Acceptance(
            page=f"{_DOCS}#trading-account-rest-api-set-leverage",
            must={("code",): frozenset({"0"})},
            leverage=("data", 0, "lever"),
            present=(("data", 0, "instId"), ("data", 0, "mgnMode")),
        ),
    ),
)
