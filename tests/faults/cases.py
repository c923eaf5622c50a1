"""The faults, and what each proves by itself: what a client can know from what reached it, worked out by hand.

`proves` is the outcome for an order. Where a venue's own answer came whole, that is what it says; where nothing could
leave, it was not sent; everything else is unknown, whatever the venue did.
"""

from dataclasses import dataclass
from typing import Final

from exchange_mcp.model.outcomes import Outcome

from .fault_proxy import At, Ending, Fault

UNKNOWN, ACCEPTED, REJECTED, NOT_SENT = (
    Outcome.UNKNOWN,
    Outcome.ACCEPTED,
    Outcome.REJECTED,
    Outcome.NOT_SENT,
)


@dataclass(frozen=True, slots=True)
class Case:
    """One fault and what it proves; `needs_body` where the request has to have one to be cut there."""

    name: str
    fault: Fault
    proves: Outcome = UNKNOWN
    needs_body: bool = False


def says(status: int, body: str, kind: str = "application/json", *headers: str) -> bytes:
    content = body.encode()
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(content)}", f"content-type: {kind}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + content


_HTML: Final = "<html><body>Bad gateway</body></html>"
_PARTS: Final = (At.NOTHING, At.FIRST_LINE, At.HEADERS, At.BODY, At.HALF, At.LAST)
_ENDINGS: Final[tuple[Ending, ...]] = ("closed", "reset", "half-closed")

_CUTS: Final = (
    *(
        Case(
            f"the venue got {at.value}, {ending}",
            Fault(request=at, ending=ending),
            needs_body=at in {At.BODY, At.HALF},
        )
        for at in _PARTS
        for ending in _ENDINGS
    ),
    *(
        Case(f"of the answer came {at.value}, {ending}", Fault(answer=at, ending=ending))
        for at in _PARTS
        for ending in _ENDINGS
    ),
    *(
        Case(f"of the answer came all of it, {ending}", Fault(ending=ending), ACCEPTED)
        for ending in (*_ENDINGS, "left hanging")
    ),
)

_INSTEAD: Final[tuple[tuple[str, bytes], ...]] = (
    *(
        (f"{status} with a page", says(status, _HTML, "text/html"))
        for status in (500, 502, 503, 504, 521, 530)
    ),
    (
        "503 that says unknown",
        says(503, '{"code":-1000,"msg":"Unknown error, please check your request or try again later."}'),
    ),
    (
        "500 in the venue's form",
        says(500, '{"code":-1001,"msg":"Internal error; unable to process your request."}'),
    ),
    (
        "408 that timed out",
        says(408, '{"code":-1007,"msg":"Timeout waiting for response from backend server."}'),
    ),
    (
        "400 that timed out",
        says(400, '{"code":-1006,"msg":"An unexpected response was received from the message bus."}'),
    ),
    *((f"{status} without a body", says(status, "")) for status in (200, 201, 202, 423, 499, 524)),
    ("204", b"HTTP/1.1 204 X\r\n\r\n"),
    *(
        (
            f"{status} to elsewhere",
            says(status, "", "text/plain", "location: https://api.binance.com/api/v3/order"),
        )
        for status in (301, 302, 303, 307, 308)
    ),
    ("200 with garbage", says(200, "\u0000\u0001%%% not json")),
    ("200 with a page", says(200, _HTML, "text/html")),
    ("200 with {}", says(200, "{}")),
    ("200 with []", says(200, "[]")),
    ("200 with null", says(200, "null")),
    ("200 cut off", says(200, '{"symbol":"BTCUSDT","orderId":28,"clientOrderId":"xm')),
    (
        "200 about another order",
        says(
            200,
            '{"symbol":"BTCUSDT","orderId":28,"orderListId":-1,"clientOrderId":"another","transactTime":1507725176595}',
        ),
    ),
    ("200 with a code and no order", says(200, '{"code":0,"msg":"success"}')),
    ("423 in the venue's form", says(423, '{"code":-1,"msg":"locked"}')),
    ("400 that the id is used on spot", says(400, '{"code":-2010,"msg":"Duplicate order sent."}')),
    ("400 that the id is used on USD-M", says(400, '{"code":-4116,"msg":"ClientOrderId is duplicated."}')),
    ("400 with a code that nobody knows", says(400, '{"code":-9999,"msg":"?"}')),
)
_SWAPPED: Final = tuple(
    Case(
        f"{name}, {'after the venue acted' if taken else 'and the venue never heard'}",
        Fault(instead=answer, is_taken=taken),
    )
    for name, answer in _INSTEAD
    for taken in (True, False)
)
_LATE: Final = (Case("delayed past its window", Fault(is_late=True), REJECTED),)

EVERY: Final = (*_CUTS, *_SWAPPED, *_LATE)
FEW: Final = (
    *(case for case in _CUTS if case.fault.ending == "closed"),
    *(case for case in _SWAPPED if case.name.startswith(("502", "200 with garbage", "204", "307", "524"))),
    *_LATE,
)
"""For the writes whose way is the same."""

HANGING: Final = (
    Case("no answer in time, and the venue never heard", Fault(request=At.LAST, ending="left hanging")),
    Case("no answer in time, after the venue acted", Fault(answer=At.NOTHING, ending="left hanging")),
    Case("half an answer in time", Fault(answer=At.HALF, ending="left hanging")),
    Case(
        "no answer in time, and past its window",
        Fault(answer=At.NOTHING, ending="left hanging", is_late=True),
    ),
)
"""With a client that waits a moment only."""
