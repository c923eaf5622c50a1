"""https://developers.binance.com/docs/binance-spot-api-docs/errors and .../rest-api/trading-endpoints.

Statuses: .../rest-api/http-return-codes. The limit of unfilled orders: .../faqs/order_count_decrement.
"""

from exchange_mcp.model.outcomes import Action, Outcome

from .answers import ACCEPTED, OURS, REJECTED, UNKNOWN, Answer, as_json

URL = "https://api.binance.com/api/v3/order"


def _error(code: int, says: str, proves: Outcome, status: int = 400, action: Action = "place") -> Answer:
    return Answer(
        venue="binance",
        action=action,
        url=URL,
        status=status,
        body=as_json({"code": code, "msg": says}),
        proves=proves,
        says=f"{code} {says}",
    )


PLACED = {
    "symbol": "BTCUSDT",
    "orderId": 28,
    "orderListId": -1,
    "clientOrderId": OURS,
    "transactTime": 1507725176595,
}
CANCELLED = {
    "symbol": "LTCBTC",
    "origClientOrderId": OURS,
    "orderId": 4,
    "orderListId": -1,
    "clientOrderId": "cancelMyOrder1",
    "transactTime": 1684804350068,
    "price": "2.00000000",
    "origQty": "1.00000000",
    "executedQty": "0.00000000",
    "cummulativeQuoteQty": "0.00000000",
    "status": "CANCELED",
    "timeInForce": "GTC",
    "type": "LIMIT",
    "side": "BUY",
    "selfTradePreventionMode": "NONE",
}


def _answer(body: object, says: str, proves: Outcome, action: Action = "place") -> Answer:
    return Answer(
        venue="binance",
        action=action,
        url=URL,
        status=200,
        body=as_json(body),
        proves=proves,
        says=says,
        is_error=False,
    )


ANSWERS = (
    _error(-1000, "An unknown error occurred while processing the request.", UNKNOWN),
    _error(-1001, "Internal error; unable to process your request. Please try again.", UNKNOWN, 503),
    _error(-1002, "You are not authorized to execute this request.", REJECTED, 401),
    _error(-1003, "Too many requests queued.", UNKNOWN, 429),
    _error(-1003, "Way too much request weight used; IP banned until 1659146400000.", UNKNOWN, 418),
    _error(
        -1006, "An unexpected response was received from the message bus. Execution status unknown.", UNKNOWN
    ),
    _error(
        -1007,
        "Timeout waiting for response from backend server. Send status unknown; execution status unknown.",
        UNKNOWN,
        408,
    ),
    _error(
        -1008, "Server is currently overloaded with other requests. Please try again later.", UNKNOWN, 503
    ),
    _error(-1013, "Filter failure: PRICE_FILTER", REJECTED),
    _error(-1013, "Filter failure: LOT_SIZE", REJECTED),
    _error(-1013, "Filter failure: NOTIONAL", REJECTED),
    _error(-1013, "Filter failure: MAX_NUM_ORDERS", REJECTED),
    _error(-1013, "Filter failure: NOTIONAL", UNKNOWN, 500),
    _error(-1014, "Unsupported order combination.", REJECTED),
    _error(-1015, "Too many new orders; current limit is 50 orders per 10 SECOND.", REJECTED, 429),
    _error(-1015, "Too many new orders.", UNKNOWN, 400),
    _error(-1016, "This service is no longer available.", UNKNOWN, 503),
    _error(-1020, "This operation is not supported.", REJECTED),
    _error(-1021, "Timestamp for this request is outside of the recvWindow.", REJECTED),
    _error(-1021, "Timestamp for this request was 1000ms ahead of the server's time.", REJECTED),
    _error(-1022, "Signature for this request is not valid.", REJECTED),
    _error(-1100, "Illegal characters found in parameter 'price'.", REJECTED),
    _error(-1102, "Mandatory parameter 'quantity' was not sent, was empty/null, or malformed.", REJECTED),
    _error(-1104, "Not all sent parameters were read; read '8' parameter(s) but was sent '9'.", REJECTED),
    _error(-1106, "Parameter 'timeInForce' sent when not required.", REJECTED),
    _error(-1111, "Parameter 'quantity' has too much precision.", REJECTED),
    _error(-1115, "Invalid timeInForce.", REJECTED),
    _error(-1116, "Invalid orderType.", REJECTED),
    _error(-1117, "Invalid side.", REJECTED),
    _error(-1121, "Invalid symbol.", REJECTED),
    _error(-1121, "Invalid symbol.", UNKNOWN, 502),
    _error(-1130, "Data sent for parameter 'quantity' is not valid.", REJECTED),
    _error(-1999, "A code that is on no page.", UNKNOWN),
    _error(-2010, "Account has insufficient balance for requested action.", REJECTED),
    _error(-2010, "Duplicate order sent.", UNKNOWN),
    _error(-2010, "Market is closed.", REJECTED),
    _error(-2010, "Order would immediately match and take.", REJECTED),
    _error(-2010, "Order would trigger immediately.", REJECTED),
    _error(-2010, "This symbol is not permitted for this account.", REJECTED),
    _error(-2010, "Something that no page has.", UNKNOWN),
    _error(-1010, "This action is disabled on this account.", REJECTED),
    _error(-2014, "API-key format invalid.", REJECTED, 401),
    _error(-2015, "Invalid API-key, IP, or permissions for action.", REJECTED, 401),
    _error(-2011, "Unknown order sent.", UNKNOWN, action="cancel"),
    _error(-2011, "Order was not canceled due to cancel restrictions.", UNKNOWN, action="cancel"),
    _error(-2013, "Order does not exist.", UNKNOWN, action="cancel"),
    _error(-1021, "Timestamp for this request is outside of the recvWindow.", REJECTED, action="cancel"),
    _error(-1102, "Param 'origClientOrderId' or 'orderId' must be sent.", REJECTED, action="cancel"),
    _error(-1013, "Filter failure: PRICE_FILTER", UNKNOWN, action="cancel"),
    _error(-1007, "Timeout waiting for response from backend server.", UNKNOWN, 504, action="cancel"),
    _answer(PLACED, "ACK", ACCEPTED),
    _answer(PLACED | {"status": "NEW", "executedQty": "0"}, "FULL", ACCEPTED),
    _answer(PLACED | {"status": "EXPIRED", "executedQty": "0.5"}, "an IOC that expired", ACCEPTED),
    _answer(PLACED | {"status": "EXPIRED_IN_MATCH"}, "self-trade prevention ended it", ACCEPTED),
    _answer(PLACED | {"status": "REJECTED"}, "not accepted by the engine", UNKNOWN),
    _answer(PLACED | {"clientOrderId": "another"}, "another client's order", UNKNOWN),
    _answer(CANCELLED, "cancelled", ACCEPTED, "cancel"),
    _answer(CANCELLED | {"status": "FILLED"}, "filled meanwhile", UNKNOWN, "cancel"),
    _answer(CANCELLED | {"origClientOrderId": "another"}, "another's order", UNKNOWN, "cancel"),
)
