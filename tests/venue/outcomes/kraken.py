"""https://docs.kraken.com/api/docs/guides/spot-errors and .../spot-ratelimits/,
and the pages of AddOrder and CancelOrder.
"""

from exchange_mcp.model.outcomes import Action, Outcome

from .answers import ACCEPTED, REJECTED, UNKNOWN, Answer, as_json

HOST = "https://api.kraken.com/0/private"
URLS: dict[Action, str] = {"place": f"{HOST}/AddOrder", "cancel": f"{HOST}/CancelOrder"}


def _errors(proves: Outcome, *errors: str, action: Action = "place", status: int = 200) -> Answer:
    return Answer(
        venue="kraken",
        action=action,
        url=URLS[action],
        status=status,
        body=as_json({"error": errors}),
        proves=proves,
        says=", ".join(errors),
    )


def _result(result: object, says: str, proves: Outcome, action: Action = "place") -> Answer:
    return Answer(
        venue="kraken",
        action=action,
        url=URLS[action],
        status=200,
        body=as_json({"error": [], "result": result}),
        proves=proves,
        says=says,
        is_error=False,
    )


DESCRIBED = {"order": "buy 1.25000000 XBTUSD @ limit 27500.0"}

ANSWERS = (
    _errors(REJECTED, "EGeneral:Invalid arguments"),
    _errors(REJECTED, "EGeneral:Invalid arguments:Index unavailable"),
    _errors(UNKNOWN, "EGeneral:Invalid arguments:cl_ord_id"),
    _errors(REJECTED, "EGeneral:Temporary lockout"),
    _errors(REJECTED, "EGeneral:Permission denied"),
    _errors(UNKNOWN, "EGeneral:Internal error"),
    _errors(UNKNOWN, "EGeneral:Internal error:5401"),
    _errors(UNKNOWN, "EService:Unavailable"),
    _errors(UNKNOWN, "EService:Busy"),
    _errors(UNKNOWN, "EService:Deadline elapsed"),
    _errors(REJECTED, "EService:Market in cancel_only mode"),
    _errors(REJECTED, "EService:Market in post_only mode"),
    _errors(REJECTED, "EAPI:Invalid key"),
    _errors(REJECTED, "EAPI:Invalid signature"),
    _errors(REJECTED, "EAPI:Invalid nonce"),
    _errors(UNKNOWN, "EAPI:Rate limit exceeded"),
    _errors(REJECTED, "EOrder:Insufficient funds"),
    _errors(UNKNOWN, "EOrder:Insufficient funds", status=502),
    _errors(UNKNOWN, "EOrder:Insufficient funds", "EGeneral:Internal error"),
    _errors(UNKNOWN, "eorder:insufficient funds"),
    _errors(REJECTED, "EOrder:Order minimum not met"),
    _errors(REJECTED, "EOrder:Cost minimum not met"),
    _errors(REJECTED, "EOrder:Tick size check failed"),
    _errors(REJECTED, "EOrder:Rate limit exceeded"),
    _errors(REJECTED, "EOrder:Orders limit exceeded"),
    _errors(REJECTED, "EOrder:Reduce only:No position exists"),
    _errors(UNKNOWN, "EOrder:Reduce only:Position is closed"),
    _errors(UNKNOWN, "EOrder:Something that no page has"),
    _errors(UNKNOWN, "EOrder:Unknown order", action="cancel"),
    _errors(UNKNOWN, "EOrder:Insufficient funds", action="cancel"),
    _errors(REJECTED, "EAPI:Invalid nonce", action="cancel"),
    _errors(UNKNOWN, "EService:Unavailable", action="cancel"),
    _result({"descr": DESCRIBED, "txid": ["OUF4EM-FRGI2-MQMWZD"]}, "placed", ACCEPTED),
    _result({"descr": DESCRIBED}, "validated only", UNKNOWN),
    _result(
        {"descr": DESCRIBED, "txid": ["OUF4EM-FRGI2-MQMWZD", "OB5VMB-B4U2U-DK2WRW"]}, "two of them", UNKNOWN
    ),
    _result({"count": 1}, "cancelled", ACCEPTED, "cancel"),
    _result({"count": 1, "pending": True}, "pending", ACCEPTED, "cancel"),
    _result({"count": 0}, "none cancelled", UNKNOWN, "cancel"),
    _result({"count": 2}, "two cancelled", UNKNOWN, "cancel"),
)
