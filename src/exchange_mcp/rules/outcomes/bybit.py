"""Bybit: what its answers to writes prove. One set of endpoints serves every market type.

A business error comes with status 200 and a `retCode`. A placing or cancelling answer is an acknowledgement: the order
itself follows, and is read back.
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
    "what a call limit (`10006`, 403, 429) or an expired request (`-1`) left behind; whether an "
    "acknowledged order came to be; which leverage is in force after it was set"
)

_DOCS: Final = "https://bybit-exchange.github.io/docs/v5"
_ERRORS: Final = f"{_DOCS}/error"
_HOSTS: Final = frozenset({"api.bybit.com", "api.bytick.com", "api-testnet.bybit.com", "api-demo.bybit.com"})
_OK: Final = (200,)

_GENERAL: Final = (
    doubts(_ERRORS, "is an error of its own, and says nothing of the order", 10016, 170001, 170032, 170234)
    | doubts(_ERRORS, "is a timeout, after which the request may have been executed", 10000, 170007)
    | doubts(
        _ERRORS,
        "is a limit of which its page does not say that nothing was executed",
        429,
        10006,
        10018,
        170005,
    )
    | doubts(_ERRORS, "says that the request expired, without saying where", -1)
)
_REQUEST: Final = refusals(
    *(_ERRORS, _OK, -2015, 33004),
    *(10001, 10002, 10003, 10004, 10005, 10007, 10008, 10009, 10010, 10024, 10027, 10028, 10029),
)
_PLACE: Final = _REQUEST | refusals(
    *(_ERRORS, _OK, 30133, 30134, 30208),
    *(110003, 110004, 110006, 110007, 110009, 110012, 110017, 110020, 110021, 110023, 110029, 110032),
    *(110040, 110042, 110044, 110045, 110049, 110051, 110052, 110053, 110057, 110063, 110066, 110067),
    *(110068, 110069, 110070, 110074, 110086, 110087, 110088, 110089, 110090, 110092, 110093, 110094),
    *(110098, 110099, 110103, 110119, 110120, 110121),
    *(170033, 170105, 170115, 170116, 170117, 170121, 170124, 170130, 170131, 170132, 170133),
    *(170134, 170136, 170137, 170140, 170148, 170151, 170157, 170159, 170192, 170193, 170194, 170201),
    *(170202, 170203, 170204, 170206, 170210, 170217, 170218, 170221, 170224, 170227, 170228, 170229),
    *(170341, 170344, 170371, 170372, 170381, 170382, 170810),
)
_IN_USE: Final = doubts(
    _ERRORS,
    "says that the client order id or the request is a duplicate: an order of ours may be there, and has to be "
    "looked for",
    *(10014, 110072, 170141),
)
_PLACING: Final = doubts(
    _ERRORS, "does not say what became of the order", 110005, 110079, 170035, 170146, 170149
)
_CANCELLING: Final = doubts(
    _ERRORS,
    "says that there is nothing to cancel any more, or not yet, which is a question",
    *(110001, 110008, 110010, 110079, 170139, 170142, 170143, 170144, 170147, 170150, 170190, 170191),
    *(170212, 170213),
)
_UNCHANGED: Final = doubts(_ERRORS, "says that the leverage is this one already", 110043)


def _shape(
    definite: dict[Code, Refusal], ambiguous: dict[Code, Doubt], duplicate: dict[Code, Doubt] | None = None
) -> Codes:
    return Codes(
        members=frozenset({"retCode", "retMsg", "result", "retExtInfo", "time"}),
        code=("retCode",),
        message=("retMsg",),
        definite=definite,
        ambiguous=ambiguous,
        duplicate=duplicate or {},
        empty=(("result",),),
    )


def _acknowledged(page: str) -> Acceptance:
    return Acceptance(
        page=page,
        must={("retCode",): frozenset({0})},
        order_id=("result", "orderId"),
        client_id=("result", "orderLinkId"),
        remark="It is an acknowledgement: what became of the order has to be read.",
    )


ROUTES: Final[tuple[Route, ...]] = (
    Route(
        action="place",
        market="spot and contracts",
        hosts=_HOSTS,
        path=re.compile(r"/v5/order/create"),
        codes=(_shape(_PLACE, _GENERAL | _PLACING, _IN_USE),),
        acceptance=_acknowledged(f"{_DOCS}/order/create-order"),
    ),
    Route(
        action="cancel",
        market="spot and contracts",
        hosts=_HOSTS,
        path=re.compile(r"/v5/order/cancel"),
        codes=(_shape(_REQUEST | refusals(_ERRORS, _OK, 170145), _GENERAL | _CANCELLING),),
        acceptance=_acknowledged(f"{_DOCS}/order/cancel-order"),
    ),
    Route(
        action="leverage",
        market="contracts",
        hosts=_HOSTS,
        path=re.compile(r"/v5/position/set-leverage"),
        codes=(
            _shape(
                _REQUEST | refusals(_ERRORS, _OK, 30135, 30136, 110013, 110036, 110038, 110087),
                _GENERAL | _UNCHANGED,
            ),
        ),
        acceptance=Acceptance(
            page=f"{_DOCS}/position/leverage",
            must={("retCode",): frozenset({0}), ("retMsg",): frozenset({"OK"})},
            remark="The answer does not repeat the leverage.",
        ),
    ),
)
