"""What a finished or failed send proves. Pure: the same evidence is always the same verdict.

Nothing left: not sent. The venue's own answer, whole, of the shape that its page shows, with its order id and ours:
accepted. A status and code that the rules list as a refusal: rejected. Everything else is unknown, which is no
failure and no success but a question: the order has to be looked for.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, cast
from urllib.parse import urlsplit

from exchange_mcp.model.outcomes import Evidence, Outcome, Verdict
from exchange_mcp.rules.outcomes import ROUTES
from exchange_mcp.rules.outcomes.exceptions import Ruling, ruling
from exchange_mcp.rules.outcomes.shapes import Acceptance, Code, Codes, Doubt, Path, Refusal, Route
from exchange_mcp.venue.bodies import UnreadableError, members

_OK: Final = 200
_TEXT_ID: Final = re.compile(r"(?!0+$)[A-Za-z0-9_.:-]{1,80}")
_LARGEST_ID: Final = 2**63
# A code that is not listed is shown only if it can be nothing but a code.
_PLAIN_CODE: Final = re.compile(r"-?[0-9]{1,9}|[A-Z]+(?:_[A-Z]+)*")
_LONGEST_CODE: Final = 60
# A code for bad parameters in general may come for a client order id that is in use, and no page says that it does not.
# Two searches, each of them linear, for a body may be long.
_OF_AN_ID: Final = re.compile(r"(?i)client|order|link|oid\b|\bid\b")
_TAKEN: Final = re.compile(r"(?i)duplicat|repeat|already|in use")
_KRAKENS_ID: Final = "cl_ord_id"
_MISSING: Final = object()


class _UnprovenError(Exception):
    """What stands against any proof: a sentence, and its ground."""

    def __init__(self, reason: str, ground: str) -> None:
        super().__init__(reason)
        self.verdict = _unknown(reason, ground)


def judge(evidence: Evidence) -> Verdict:
    """The outcome that this evidence proves, and by what."""
    if not evidence.is_sent:
        return _unsent(evidence)
    try:
        route, answer = _answered(evidence)
        return (
            _by_code(evidence, route, answer)
            or _accepted(evidence, route, answer)
            or _unlisted(evidence, route, answer)
        )
    except _UnprovenError as fault:
        return fault.verdict


def _unsent(evidence: Evidence) -> Verdict:
    if evidence.is_token_spent:
        return _unknown("another attempt at this write spent its one send", "token")
    if evidence.status is not None or evidence.body:
        return _unknown("an answer came although nothing is said to have left", "contradiction")
    return Verdict(outcome=Outcome.NOT_SENT, reason="no byte of it left this machine", ground="not sent")


def _unknown(reason: str, ground: str) -> Verdict:
    return Verdict(outcome=Outcome.UNKNOWN, reason=reason, ground=ground)


def _answered(evidence: Evidence) -> tuple[Route, Mapping[str, Any]]:
    """The rules of the endpoint and its whole answer.

    Raises:
        _UnprovenError: there is no such answer.
    """
    if evidence.is_token_spent:
        raise _UnprovenError(
            "a second send of this write was stopped, and what is seen may speak of that one", "token"
        )
    if evidence.venue not in ROUTES:
        raise _UnprovenError(
            f"the venues with rules are {', '.join(ROUTES)}; this is none of them", "no venue"
        )
    route = _route(evidence)
    if route is None:
        raise _UnprovenError("no rule describes what is answered at this place", "no rule")
    if evidence.status is None:
        raise _UnprovenError("it was sent and no answer came", "no status")
    if evidence.body is None:
        raise _UnprovenError(f"of an answer with status {evidence.status} no whole body came", "no body")
    try:
        answer = members(evidence.body)
    except UnreadableError as fault:
        raise _UnprovenError(f"the answer {fault} (status {evidence.status})", "unreadable") from None
    if ruling(evidence.exception) is Ruling.NO_ANSWER:
        raise _UnprovenError("what was raised says that this is not the answer", evidence.exception or "")
    return route, answer


def _route(evidence: Evidence) -> Route | None:
    # urlsplit drops line ends, tabs and spaces in front, and whoever sent the request may not have.
    if not evidence.url.isascii() or not evidence.url.isprintable() or " " in evidence.url:
        return None
    try:
        parts = urlsplit(evidence.url)
        is_plain = parts.scheme == "https" and parts.port in {None, 443} and parts.username is None
        host = parts.hostname
    except ValueError:
        return None
    if not is_plain or host is None:
        return None
    return next(
        (
            route
            for route in ROUTES.get(evidence.venue, ())
            if route.action == evidence.action and host in route.hosts and route.path.fullmatch(parts.path)
        ),
        None,
    )


def _at(answer: object, path: Path) -> object:
    """What the way leads to; the only element of a list counts, and the first of several does not.

    Raises:
        _UnprovenError: a name on the way is written with other capitals: the venue does not write it so.
    """
    value = answer
    for step in path:
        if isinstance(step, str):
            if not isinstance(value, dict):
                return _MISSING
            named = cast("dict[str, object]", value)
            if step not in named and any(name.lower() == step.lower() for name in named):
                raise _UnprovenError(
                    "a name in the answer is not written as the venue writes it", "look-alike"
                )
            value = named.get(step, _MISSING)
        else:
            if not isinstance(value, list) or len(cast("list[object]", value)) != 1:
                return _MISSING
            value = cast("list[object]", value)[0]
    return value


def _is_one_of(value: object, allowed: frozenset[Any]) -> bool:
    # By type too: true is no 1, and "0" no 0.
    return any(type(value) is type(each) and value == each for each in allowed)


def _holds(answer: object, musts: Mapping[Path, frozenset[Any]]) -> bool:
    return all(_is_one_of(_at(answer, path), allowed) for path, allowed in musts.items())


def _is_empty(value: object) -> bool:
    """Whether nothing is in it, however deep: an order's id may stand in a list or under another name too."""
    if isinstance(value, dict):
        return all(map(_is_empty, cast("dict[str, object]", value).values()))
    if isinstance(value, list):
        return all(map(_is_empty, cast("list[object]", value)))
    return value is _MISSING or value is None or value == ""


# A code


def _by_code(evidence: Evidence, route: Route, answer: Mapping[str, Any]) -> Verdict | None:
    """What the answer's code means, if it has the shape of one and its code is listed. A doubt outweighs a refusal."""
    refused: Verdict | None = None
    for codes in route.codes:
        code = _code(codes, answer)
        if code is None:
            continue
        words = None if codes.message is None else _at(answer, codes.message)
        for doubts in (codes.duplicate, codes.ambiguous):
            doubt = doubts.get(code)
            if doubt is not None and _fits(doubt, words):
                return _unknown(f"{evidence.venue}'s code {code} {doubt.why}", str(code))
        refusal = _refusal(codes, code)
        if refusal is None or not _fits(refusal, words):
            continue
        if evidence.action == "place" and _speaks_of_another(code, words):
            return _unknown(
                f"{evidence.venue}'s code {_shown(code, refusal)} comes with words about a client order id in use: "
                "an order of ours may be there, and has to be looked for",
                _shown(code, refusal),
            )
        if evidence.status not in refusal.statuses:
            return _unknown(
                f"{evidence.venue}'s code {_shown(code, refusal)} is a refusal, but not with status {evidence.status}",
                _shown(code, refusal),
            )
        refused = Verdict(
            outcome=Outcome.REJECTED,
            reason=f"{evidence.venue} refused it, by its code {_shown(code, refusal)} (status {evidence.status})",
            ground=_shown(code, refusal),
        )
    return refused


def _code(codes: Codes, answer: Mapping[str, Any]) -> Code | None:
    """The code, if the answer has the shape that codes come in."""
    if not answer.keys() <= codes.members or not _holds(answer, codes.must):
        return None
    if not all(_is_empty(_at(answer, path)) for path in codes.empty):
        return None
    value = _at(answer, codes.code)
    if type(value) is int or type(value) is str:
        # `1 == True` and `"1" == Fraction("1")`: only these two types are codes, and each only as itself.
        return value
    return None


def _refusal(codes: Codes, code: Code) -> Refusal | None:
    exact = codes.definite.get(code)
    if exact is not None or isinstance(code, int):
        return exact
    category, colon, rest = code.partition(":")
    listed = codes.definite.get(f"{category}{colon}{rest.partition(':')[0]}")
    return listed if listed is not None and listed.may_have_detail else None


def _fits(entry: Doubt | Refusal, words: object) -> bool:
    return entry.words is None or (type(words) is str and entry.words.fullmatch(words) is not None)


def _speaks_of_another(code: Code, words: object) -> bool:
    """Whether what the venue says beside a code may mean that our client order id is taken."""
    said = [each for each in (code, words) if isinstance(each, str)]
    return any(_KRAKENS_ID in each or (_OF_AN_ID.search(each) and _TAKEN.search(each)) for each in said)


def _shown(code: Code, refusal: Refusal) -> str:
    text = str(code)
    return ":".join(text.split(":")[:2]) if refusal.may_have_detail else text


def _unlisted(evidence: Evidence, route: Route, answer: Mapping[str, Any]) -> Verdict:
    for codes in route.codes:
        code = _code(codes, answer)
        if code is not None and len(str(code)) <= _LONGEST_CODE and _PLAIN_CODE.fullmatch(str(code)):
            return _unknown(
                f"{evidence.venue}'s code {code} is not listed as a refusal (status {evidence.status})",
                str(code),
            )
    return _unknown(
        f"the answer proves neither an acceptance nor a refusal (status {evidence.status})", "not listed"
    )


# An acceptance


def _accepted(evidence: Evidence, route: Route, answer: Mapping[str, Any]) -> Verdict | None:
    """The verdict on an answer that has the shape of an acceptance; None where it has not.

    Raises:
        _UnprovenError: it has, and may be about another write than this one.
    """
    shape = route.acceptance
    if shape is None or evidence.status != _OK or not _is_acceptance(shape, answer):
        return None
    order_id = _order_id(shape, answer)
    _check_ours(evidence, shape, answer, order_id)
    if ruling(evidence.exception) is Ruling.NOT_ACCEPTED:
        raise _UnprovenError(
            "the answer reads as an acceptance, and what was raised says otherwise", evidence.exception or ""
        )
    return Verdict(
        outcome=Outcome.ACCEPTED,
        reason=_acceptance_reason(evidence, shape, answer),
        ground="documented answer" if order_id is None else "order id",
        order_id=order_id,
    )


def _is_acceptance(shape: Acceptance, answer: Mapping[str, Any]) -> bool:
    return (
        _holds(answer, shape.must)
        and all(
            _at(answer, path) is _MISSING or _is_one_of(_at(answer, path), allowed)
            for path, allowed in shape.may.items()
        )
        and all(_is_something(_at(answer, path)) for path in shape.present)
        and all(_is_empty(_at(answer, path)) for path in shape.refuted_by)
        and (shape.no_errors is None or _at(answer, shape.no_errors) == [])
        and (shape.order_id is None or _order_id(shape, answer) is not None)
        and (shape.leverage is None or _leverage(shape, answer) is not None)
    )


def _is_something(value: object) -> bool:
    return (type(value) is int and value != 0) or (isinstance(value, str) and bool(value))


def _order_id(shape: Acceptance, answer: Mapping[str, Any]) -> str | None:
    value = None if shape.order_id is None else _at(answer, shape.order_id)
    if shape.id_kind == "number":
        return str(value) if type(value) is int and 0 < value < _LARGEST_ID else None
    return value if type(value) is str and _TEXT_ID.fullmatch(value) else None


def _leverage(shape: Acceptance, answer: Mapping[str, Any]) -> int | None:
    value = None if shape.leverage is None else _at(answer, shape.leverage)
    if type(value) is str and re.fullmatch(r"[1-9][0-9]{0,3}", value):
        return int(value)
    return value if type(value) is int and value > 0 else None


def _check_ours(
    evidence: Evidence, shape: Acceptance, answer: Mapping[str, Any], order_id: str | None
) -> None:
    if shape.client_id is not None:
        if evidence.client_order_id is None:
            if evidence.action == "place":
                raise _UnprovenError(
                    "without our client order id the answer cannot be told from another's", "client order id"
                )
        elif _at(answer, shape.client_id) != evidence.client_order_id:
            raise _UnprovenError(
                "the answer is about an order with another client order id", "client order id"
            )
    if evidence.order_id is not None and order_id not in {None, evidence.order_id}:
        raise _UnprovenError("the answer is about another order", "order id")
    if shape.leverage is not None and evidence.leverage not in {None, _leverage(shape, answer)}:
        raise _UnprovenError("the leverage in force is not the one that was asked for", "leverage")


def _acceptance_reason(evidence: Evidence, shape: Acceptance, answer: Mapping[str, Any]) -> str:
    match evidence.action:
        case "place":
            whose = "its order id" if shape.client_id is None else "its order id and our client order id"
            taken = f"{evidence.venue} took the order: the answer has {whose}"
        case "cancel":
            taken = f"{evidence.venue} took the cancel: the answer is the one that its page shows"
        case "leverage":
            taken = f"{evidence.venue} took the leverage: the answer is the one that its page shows"
    remarks = [
        "It ended at once, and may have filled in part."
        if shape.ended and _holds(answer, shape.ended)
        else "",
        shape.remark,
        ""
        if _names_one(evidence, shape)
        else "It was not compared with an id or a leverage that was asked for.",
    ]
    return ". ".join((taken, " ".join(filter(None, remarks)))).removesuffix(". ")


def _names_one(evidence: Evidence, shape: Acceptance) -> bool:
    """Whether the evidence says what was asked for, as far as this answer repeats it."""
    match evidence.action:
        case "place":
            return True
        case "cancel":
            return evidence.client_order_id is not None or evidence.order_id is not None
        case "leverage":
            return shape.leverage is None or evidence.leverage is not None
