"""https://developers.binance.com/docs/derivatives/usds-margined-futures/error-code, .../general-info (statuses), and
.../trade/rest-api/ for New-Order, New-Algo-Order, Cancel-Order, Cancel-Algo-Order, Change-Initial-Leverage.
"""

from exchange_mcp.model.outcomes import Action, Outcome

from .answers import ACCEPTED, OURS, REJECTED, UNKNOWN, Answer, as_json

HOST = "https://fapi.binance.com"
ORDER, ALGO, LEVERAGE = f"{HOST}/fapi/v1/order", f"{HOST}/fapi/v1/algoOrder", f"{HOST}/fapi/v1/leverage"


def _error(  # noqa: PLR0917 - what an error is told by, in the page's order
    code: int,
    says: str,
    proves: Outcome,
    status: int = 400,
    action: Action = "place",
    url: str = ORDER,
) -> Answer:
    return Answer(
        venue="binance",
        action=action,
        url=url,
        status=status,
        body=as_json({"code": code, "msg": says}),
        proves=proves,
        says=f"{code} {says}",
    )


PLACED = {
    "clientOrderId": OURS,
    "cumQty": "0",
    "executedQty": "0",
    "orderId": 22542179,
    "origQty": "10",
    "reduceOnly": False,
    "side": "SELL",
    "status": "NEW",
    "symbol": "BTCUSDT",
    "type": "LIMIT",
    "updateTime": 1566818724722,
}
WAITING = {
    "algoId": 2146760,
    "clientAlgoId": OURS,
    "algoType": "CONDITIONAL",
    "orderType": "STOP_MARKET",
    "symbol": "BNBUSDT",
    "side": "SELL",
    "quantity": "0.01",
    "algoStatus": "NEW",
    "triggerPrice": "750.000",
}


def _answer(body: object, says: str, proves: Outcome, action: Action = "place", url: str = ORDER) -> Answer:
    return Answer(
        venue="binance",
        action=action,
        url=url,
        status=200,
        body=as_json(body),
        proves=proves,
        says=says,
        is_error=False,
    )


ANSWERS = (
    _error(-1000, "An unknown error occured while processing the request.", UNKNOWN),
    _error(-1001, "Internal error; unable to process your request. Please try again.", UNKNOWN),
    _error(-1000, "Unknown error, please check your request or try again later.", UNKNOWN, 503),
    _error(-1003, "Too many requests; current limit is 2400 requests per minute.", UNKNOWN, 429),
    _error(-1006, "An unexpected response was received from the message bus.", UNKNOWN),
    _error(-1007, "Timeout waiting for response from backend server.", UNKNOWN, 408),
    _error(
        -1008,
        "Request throttled by system-level protection. Reduce-only/close-position orders are exempt. "
        "Please try again.",
        REJECTED,
        503,
    ),
    _error(
        -1008,
        "Server is currently overloaded with other requests. Please try again in a few minutes.",
        UNKNOWN,
        503,
    ),
    _error(-1008, "Request throttled by system-level protection.", UNKNOWN, 503, "cancel"),
    _error(-1008, "Request throttled by system-level protection.", UNKNOWN, 503, url=ALGO),
    _error(-1008, "Request throttled by system-level protection.", UNKNOWN, 429),
    _error(-1013, "INVALID_MESSAGE.", UNKNOWN),
    _error(-1015, "Too many new orders.", UNKNOWN, 429),
    _error(-1021, "Timestamp for this request is outside of the recvWindow.", REJECTED),
    _error(-1022, "Signature for this request is not valid.", REJECTED),
    _error(-1102, "Mandatory parameter 'price' was not sent, was empty/null, or malformed.", REJECTED),
    _error(-1111, "Precision is over the maximum defined for this asset.", REJECTED),
    _error(-1112, "No orders on book for symbol.", REJECTED),
    _error(-1121, "Invalid symbol.", REJECTED),
    _error(-2010, "NEW_ORDER_REJECTED", UNKNOWN),
    _error(-2014, "API-key format invalid.", REJECTED, 401),
    _error(-2015, "Invalid API-key, IP, or permissions for action.", REJECTED, 401),
    _error(-2018, "Balance is insufficient.", REJECTED),
    _error(-2019, "Margin is insufficient.", REJECTED),
    _error(-2019, "Margin is insufficient.", UNKNOWN, 503),
    _error(-2019, "Margin is insufficient.", UNKNOWN, 200),
    _error(-2019, "Margin is insufficient.", UNKNOWN, url="https://fapi.binance.com/fapi/v1/batchOrders"),
    _error(-2020, "Unable to fill.", UNKNOWN),
    _error(-2021, "Order would immediately trigger.", REJECTED),
    _error(-2022, "ReduceOnly Order is rejected.", REJECTED),
    _error(-2023, "User in liquidation mode now.", REJECTED),
    _error(-2025, "Reach max open order limit.", REJECTED),
    _error(-2027, "Exceeded the maximum allowable position at current leverage.", REJECTED),
    _error(-4003, "Quantity less than zero.", REJECTED),
    _error(-4014, "Price not increased by tick size.", REJECTED),
    _error(-4015, "Client order id length should not be more than 36 chars", REJECTED),
    _error(-4061, "Order's position side does not match user's setting.", REJECTED),
    _error(-4116, "clientOrderId is duplicated", UNKNOWN),
    _error(-4117, "stop order is triggering", UNKNOWN, url=ALGO),
    _error(-4131, "The counterparty's best price does not meet the PERCENT_PRICE filter limit", REJECTED),
    _error(-4164, "Order's notional must be no smaller than 5.0 (unless you choose reduce only)", REJECTED),
    _error(-4192, "Trade forbidden due to Cooling-off Period.", REJECTED),
    _error(
        -5021, "Due to the order could not be filled immediately, the FOK order has been rejected.", REJECTED
    ),
    _error(-5022, "Due to the order could not be executed as maker, the order will be rejected.", REJECTED),
    _error(-5028, "Timestamp for this request is outside of the ME recvWindow.", REJECTED),
    _error(-2021, "Order would immediately trigger.", REJECTED, url=ALGO),
    _error(-4045, "Reach max stop order limit.", REJECTED, url=ALGO),
    _error(-4116, "clientOrderId is duplicated", UNKNOWN, url=ALGO),
    _error(-2011, "Unknown order sent.", UNKNOWN, action="cancel"),
    _error(-2011, "Unknown order sent.", UNKNOWN, action="cancel", url=ALGO),
    _error(-2013, "Order does not exist.", UNKNOWN, action="cancel"),
    _error(-1022, "Signature for this request is not valid.", REJECTED, action="cancel"),
    _error(
        -2027,
        "Exceeded the maximum allowable position at current leverage.",
        REJECTED,
        400,
        "leverage",
        LEVERAGE,
    ),
    _error(-4028, "Leverage 200 is not valid", REJECTED, 400, "leverage", LEVERAGE),
    _error(-4028, "Leverage 20 already exist with 3", UNKNOWN, 400, "leverage", LEVERAGE),
    _error(
        -4161,
        "Leverage reduction is not supported in Isolated Margin Mode",
        REJECTED,
        400,
        "leverage",
        LEVERAGE,
    ),
    _error(-1007, "Timeout waiting for response from backend server.", UNKNOWN, 408, "leverage", LEVERAGE),
    _answer(PLACED, "placed", ACCEPTED),
    _answer(PLACED | {"status": "EXPIRED"}, "a FOK that expired", ACCEPTED),
    _answer(PLACED | {"status": "CANCELED"}, "the word of an answer to a cancel", UNKNOWN),
    _answer(PLACED | {"orderId": 0}, "no order id", UNKNOWN),
    _answer([PLACED], "a batch's answer", UNKNOWN),
    _answer(WAITING, "waiting for its trigger", ACCEPTED, url=ALGO),
    _answer(WAITING | {"clientAlgoId": "another"}, "another's", UNKNOWN, url=ALGO),
    _answer(PLACED, "the plain order's answer", UNKNOWN, url=ALGO),
    _answer(PLACED | {"status": "CANCELED"}, "cancelled", ACCEPTED, "cancel"),
    _answer(
        {"algoId": 2146760, "clientAlgoId": OURS, "code": "200", "msg": "success"},
        "cancelled before its trigger",
        ACCEPTED,
        "cancel",
        ALGO,
    ),
    _answer(
        {"leverage": 21, "maxNotionalValue": "1000000", "symbol": "BTCUSDT"},
        "changed",
        ACCEPTED,
        "leverage",
        LEVERAGE,
    ),
    _answer({"leverage": 21, "symbol": "BTCUSDT"}, "half of it", UNKNOWN, "leverage", LEVERAGE),
)
