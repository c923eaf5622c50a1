"""Binance: what its answers to writes prove. Spot, and USD-M with its own route for conditional orders.

A 4XX is the sender's fault by Binance's page; 403, 418 and 429 are limits of which it does not say that nothing
was executed, but for spot's limit of unfilled orders, and of a 5XX it says that execution is unknown. USD-M names
three messages of a 503 that are failures, and a code for one of them; the others have no code on its page, so they
are not listed.
"""

import re
from typing import Final

from exchange_mcp.rules.outcomes.shapes import (
    Acceptance,
    Code,
    Codes,
    Doubt,
    Path,
    Refusal,
    Route,
    doubts,
    one_of,
    refusals,
)

UNTOLD: Final = (
    "what a firewall's 403, a 418 and most 429s left behind; which code comes with USD-M's other two 503 "
    "messages that are failures; what `-1013` and `-2010` mean on USD-M, where the page has only their "
    "names; everything of margin, COIN-M, options and portfolio margin"
)

_SPOT: Final = "https://developers.binance.com/docs/binance-spot-api-docs/errors"
_LIMIT: Final = "https://developers.binance.com/docs/binance-spot-api-docs/faqs/order_count_decrement"
_SPOT_TRADING: Final = "https://developers.binance.com/docs/binance-spot-api-docs/rest-api/trading-endpoints"
_FUTURES: Final = "https://developers.binance.com/docs/derivatives/usds-margined-futures"
_CODES: Final = f"{_FUTURES}/error-code"
_GENERAL: Final = f"{_FUTURES}/general-info"
_TRADE: Final = f"{_FUTURES}/trade/rest-api"

_SPOT_HOSTS: Final = frozenset(
    {
        *("api.binance.com", "api-gcp.binance.com"),
        *(f"api{n}.binance.com" for n in range(1, 5)),
        *("testnet.binance.vision", "demo-api.binance.com"),
    }
)
_FUTURES_HOSTS: Final = frozenset({"fapi.binance.com", "demo-fapi.binance.com", "testnet.binancefuture.com"})

_BAD: Final = (400,)
_KEY: Final = (400, 401)
# Of the messages that come with USD-M's -1008, the only one that its page calls a failure.
_THROTTLED: Final = one_of(
    "Request throttled by system-level protection. Reduce-only/close-position orders are exempt. Please try again."
)

# What a matching engine or the API says of an order that it does not take; the same codes carry "Duplicate order
# sent." and "Unknown order sent.", so here the message decides.
_NOT_TAKEN: Final = one_of(
    "Market is closed.",
    "Account has insufficient balance for requested action.",
    "Market orders are not supported for this symbol.",
    "Iceberg orders are not supported for this symbol.",
    "Stop loss orders are not supported for this symbol.",
    "Stop loss limit orders are not supported for this symbol.",
    "Take profit orders are not supported for this symbol.",
    "Take profit limit orders are not supported for this symbol.",
    "Price * QTY is zero or less.",
    "IcebergQty exceeds QTY.",
    "This action is disabled on this account.",
    "This account may not place or cancel orders.",
    "Unsupported order combination",
    "Order would trigger immediately.",
    "Order would immediately match and take.",
    "Quote order qty market orders are not support for this symbol.",
    "Trailing stop orders are not supported for this symbol.",
    "This symbol is not permitted for this account.",
    "This symbol is restricted for this account.",
    "Rest API trading is not enabled.",
    "Order book liquidity is less than `LOT_SIZE` filter minimum quantity.",
    "Order book liquidity is less than `MARKET_LOT_SIZE` filter minimum quantity.",
    "Order book liquidity is less than symbol minimum quantity.",
)

# The request itself was refused, whatever it asked for; the same words stand on both pages.
_OF_THE_REQUEST: Final = (-1100, -1101, -1102, -1103, -1104, -1105, -1106, -1121, -1128, -1130)


def _request(page: str) -> dict[Code, Refusal]:
    return refusals(page, _BAD, -1020, -1021, *_OF_THE_REQUEST) | refusals(
        page, _KEY, -1002, -1022, -2014, -2015
    )


def _general(page: str) -> dict[Code, Doubt]:
    return (
        doubts(page, "is an error of its own, and says nothing of the order", -1000, -1001)
        | doubts(page, "means by its page that the execution is unknown", -1006, -1007)
        | doubts(page, "is a limit of which its page does not say that nothing was executed", -1003)
        | doubts(page, "means that a service ended, not that the request did nothing", -1016)
    )


def _shape(
    definite: dict[Code, Refusal],
    ambiguous: dict[Code, Doubt],
    duplicate: dict[Code, Doubt] | None = None,
) -> Codes:
    return Codes(
        members=frozenset({"code", "msg"}),
        code=("code",),
        message=("msg",),
        definite=definite,
        ambiguous=ambiguous,
        duplicate=duplicate or {},
    )


def _count(page: str) -> dict[Code, Doubt]:
    return doubts(page, "is a limit of which its page does not say here that nothing was executed", -1015)


def _overload(page: str) -> dict[Code, Doubt]:
    return doubts(
        page, "means an overload, of which its page does not say here that nothing was executed", -1008
    )


_IN_USE: Final = (
    "says that the client order id is in use: an order of ours may be there, and has to be looked for"
)
_NO_ORDER: Final = "says that it knows no such order, which may also be one that just ended"

_SPOT_PLACE: Final = _shape(
    _request(_SPOT)
    | refusals(_SPOT, _BAD, -1013, -1014, -1108, -1111, -1112, -1114, -1115, -1116, -1117, -1118)
    | refusals(_SPOT, _BAD, -1010, -2010, words=_NOT_TAKEN)
    | refusals(_LIMIT, (429,), -1015),
    _general(_SPOT) | _overload(_SPOT),
    doubts(_SPOT, _IN_USE, -1010, -2010, words=one_of("Duplicate order sent.")),
)
_SPOT_CANCEL: Final = _shape(
    _request(_SPOT) | refusals(_SPOT, _BAD, -1119),
    _general(_SPOT) | _count(_SPOT) | _overload(_SPOT) | doubts(_SPOT, _NO_ORDER, -2011, -2013),
)

_FUTURES_REQUEST: Final = _request(_CODES) | refusals(_CODES, _KEY, -1011, -2017)
_FUTURES_GENERAL: Final = (
    _general(_CODES)
    | _count(_CODES)
    | doubts(_CODES, "has no meaning on its page beyond its name", -1010, -1013, -2010)
)
_UNFILLED: Final = doubts(_CODES, "says that it could not be filled, not that nothing of it was", -2020)
_FUTURES_ORDER: Final = (
    _FUTURES_REQUEST
    | refusals(_CODES, _BAD, -1014, -1109, -1110, -1111, -1112, -1114, -1115, -1116, -1117, -1118, -1122)
    | refusals(_CODES, _BAD, -1126, -1136)
    | refusals(_CODES, _BAD, -2018, -2019, *(-2000 - n for n in range(21, 29)))
    | refusals(_CODES, _BAD, *(-4000 - n for n in range(1, 8)), -4013, -4014, -4015, -4016, -4020)
    | refusals(_CODES, _BAD, -4022, -4023, -4024, -4031, -4045, -4060, -4061, -4062, -4084, -4087, -4088)
    | refusals(_CODES, _BAD, -4104, -4118, -4131, -4135, -4137, -4138, -4139, -4140, -4141, -4142, -4144)
    | refusals(_CODES, _BAD, -4164, -4183, -4184, -4192, -4210, -4211, -4400, -4401, -4402)
    | refusals(_CODES, _BAD, -5021, -5022, -5025, -5028, -5037, -5038, -5039, -5040, -5041)
)
_FUTURES_IN_USE: Final = doubts(_CODES, _IN_USE, -4116)
_TRIGGERING: Final = doubts(
    _CODES, "says that a stop is being triggered, not what became of the request", -4117
)

_OVERLOADED: Final = doubts(
    _CODES,
    "says that the server is overloaded, of which its page does not say here that nothing was executed",
    -1008,
    words=one_of("Server is currently overloaded with other requests. Please try again in a few minutes."),
)
_FUTURES_PLACE: Final = _shape(
    _FUTURES_ORDER
    # Named for this endpoint, for its 503 and with these words alone: "100% failure".
    | refusals(_GENERAL, (503,), -1008, words=_THROTTLED),
    _FUTURES_GENERAL | _OVERLOADED | _TRIGGERING | _UNFILLED,
    _FUTURES_IN_USE,
)
_FUTURES_ELSEWHERE: Final = _FUTURES_GENERAL | _overload(_CODES)
_FUTURES_CONDITIONAL: Final = _shape(
    _FUTURES_ORDER, _FUTURES_ELSEWHERE | _TRIGGERING | _UNFILLED, _FUTURES_IN_USE
)
_FUTURES_CANCEL: Final = _shape(
    _FUTURES_REQUEST | refusals(_CODES, _BAD, -1119),
    _FUTURES_ELSEWHERE | _TRIGGERING | doubts(_CODES, _NO_ORDER, -2011, -2013),
)
_FUTURES_LEVERAGE: Final = _shape(
    _FUTURES_REQUEST
    | refusals(_CODES, _BAD, -4028, words=one_of("Invalid leverage", "Leverage %s is not valid"))
    | refusals(_CODES, _BAD, -1122, -2027, -2028, -4141, -4144, -4161, -4192)
    | refusals(_CODES, _BAD, -4202, -4203, -4205, -4206, -4208, -4209, -4402, -4403),
    _FUTURES_ELSEWHERE,
)
_TAKEN: Final = frozenset({"NEW", "PENDING_NEW", "PARTIALLY_FILLED", "FILLED"})
# Taken, and ended at once by its own rules: FOK, IOC, market or self-trade prevention. It may have filled in part.
_ENDED: Final = frozenset({"EXPIRED", "EXPIRED_IN_MATCH"})
_ERROR: Final[tuple[Path, ...]] = (("code",), ("msg",))


def _placed(page: str, order_id: str, client_id: str, status: str) -> Acceptance:
    return Acceptance(
        page=page,
        order_id=(order_id,),
        id_kind="number",
        client_id=(client_id,),
        # REJECTED is "not accepted by the engine": neither an acceptance nor a listed refusal. CANCELED is the word of
        # another answer, to a cancel.
        may={(status,): _TAKEN | _ENDED},
        ended={(status,): _ENDED},
        present=(("symbol",),),
        refuted_by=_ERROR,
    )


def _cancelled(page: str, client_id: str) -> Acceptance:
    return Acceptance(
        page=page,
        order_id=("orderId",),
        id_kind="number",
        client_id=(client_id,),
        must={("status",): frozenset({"CANCELED"})},
        present=(("symbol",),),
        refuted_by=_ERROR,
    )


ROUTES: Final[tuple[Route, ...]] = (
    Route(
        action="place",
        market="spot",
        hosts=_SPOT_HOSTS,
        path=re.compile(r"/api/v3/order"),
        codes=(_SPOT_PLACE,),
        acceptance=_placed(_SPOT_TRADING, "orderId", "clientOrderId", "status"),
    ),
    Route(
        action="cancel",
        market="spot",
        hosts=_SPOT_HOSTS,
        path=re.compile(r"/api/v3/order"),
        codes=(_SPOT_CANCEL,),
        acceptance=_cancelled(_SPOT_TRADING, "origClientOrderId"),
    ),
    Route(
        action="place",
        market="USD-M",
        hosts=_FUTURES_HOSTS,
        path=re.compile(r"/fapi/v1/order"),
        codes=(_FUTURES_PLACE,),
        acceptance=_placed(f"{_TRADE}/New-Order", "orderId", "clientOrderId", "status"),
    ),
    Route(
        action="place",
        market="USD-M conditional",
        hosts=_FUTURES_HOSTS,
        path=re.compile(r"/fapi/v1/algoOrder"),
        codes=(_FUTURES_CONDITIONAL,),
        acceptance=Acceptance(
            page=f"{_TRADE}/New-Algo-Order",
            order_id=("algoId",),
            id_kind="number",
            client_id=("clientAlgoId",),
            may={
                ("algoStatus",): frozenset(
                    {"NEW", "TRIGGERING", "TRIGGERED", "FINISHED", "CANCELED", "EXPIRED"}
                )
            },
            ended={("algoStatus",): frozenset({"EXPIRED"})},
            present=(("symbol",),),
            refuted_by=_ERROR,
        ),
    ),
    Route(
        action="cancel",
        market="USD-M",
        hosts=_FUTURES_HOSTS,
        path=re.compile(r"/fapi/v1/order"),
        codes=(_FUTURES_CANCEL,),
        acceptance=_cancelled(f"{_TRADE}/Cancel-Order", "clientOrderId"),
    ),
    Route(
        action="cancel",
        market="USD-M conditional",
        hosts=_FUTURES_HOSTS,
        path=re.compile(r"/fapi/v1/algoOrder"),
        codes=(_FUTURES_CANCEL,),
        acceptance=Acceptance(
            page=f"{_TRADE}/Cancel-Algo-Order",
            order_id=("algoId",),
            id_kind="number",
            client_id=("clientAlgoId",),
            must={("code",): frozenset({"200"}), ("msg",): frozenset({"success"})},
        ),
    ),
    Route(
        action="leverage",
        market="USD-M",
        hosts=_FUTURES_HOSTS,
        path=re.compile(r"/fapi/v1/leverage"),
        codes=(_FUTURES_LEVERAGE,),
        acceptance=Acceptance(
            page=f"{_TRADE}/Change-Initial-Leverage",
            leverage=("leverage",),
            present=(("symbol",), ("maxNotionalValue",)),
            refuted_by=_ERROR,
        ),
    ),
)
