"""No change to an answer makes it prove anything, unless what it proves then stands in it by the rules' own ground.

The ground is looked for here by other means than the verdict's: in the plain JSON, anywhere.
"""

import json
from collections.abc import Iterator
from typing import Any, cast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exchange_mcp.model.outcomes import Evidence, Outcome, Verdict
from exchange_mcp.rules.outcomes import ROUTES
from exchange_mcp.venue.verdict import judge

from .outcomes import ANSWERS
from .outcomes.answers import OURS, Answer

bounded = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
answers = st.sampled_from(ANSWERS)


def scalars(value: object) -> Iterator[object]:
    match value:
        case dict():
            for below in cast("dict[str, object]", value).values():
                yield from scalars(below)
        case list():
            for below in cast("list[object]", value):
                yield from scalars(below)
        case _:
            yield value


def listed(evidence: Evidence, code: object) -> bool:
    """Whether any table of this venue and action lists the code as a refusal with this status."""
    return any(
        type(entry) is type(code)
        and (entry == code or (refusal.may_have_detail and str(code).startswith(f"{entry}:")))
        and evidence.status in refusal.statuses
        for route in ROUTES[evidence.venue]
        if route.action == evidence.action
        for codes in route.codes
        for entry, refusal in codes.definite.items()
    )


def check_ground(evidence: Evidence, verdict: Verdict) -> None:
    """Raise if something is proved that does not stand in the answer."""
    if verdict.outcome is Outcome.UNKNOWN:
        return
    assert evidence.body is not None
    assert "\ufffd" not in evidence.body
    held = list(scalars(json.loads(evidence.body)))
    if verdict.outcome is Outcome.REJECTED:
        assert any(listed(evidence, value) for value in held)
        return
    assert verdict.outcome is Outcome.ACCEPTED
    assert evidence.status == 200
    if evidence.action == "place":
        assert verdict.order_id in {str(value) for value in held}
        assert evidence.venue == "kraken" or OURS in held
    if evidence.action == "cancel" and evidence.venue in {"binance", "bybit", "okx", "bitget"}:
        assert OURS in held


def judged(evidence: Evidence) -> None:
    check_ground(evidence, judge(evidence))


def edited(body: str, edits: list[tuple[int, int, bytes]]) -> str:
    """The body with bytes replaced, put in or left out, as it would have been received."""
    raw = bytearray(body.encode())
    for at, length, new in edits:
        start = at % (len(raw) + 1)
        raw[start : start + length] = new
    return raw.decode(errors="replace")


edits = st.lists(
    st.tuples(st.integers(0, 4000), st.integers(0, 6), st.binary(max_size=4)), min_size=1, max_size=4
)


@bounded
@given(answers, edits)
def test_bytes_that_are_changed_prove_nothing_of_their_own(answer: Answer, changes: list[Any]) -> None:
    judged(answer.evidence(body=edited(answer.body, changes)))


@bounded
@given(answers, st.integers(0, 4000), st.integers(0, 7))
def test_one_bit_that_flips_proves_nothing_of_its_own(answer: Answer, at: int, bit: int) -> None:
    raw = bytearray(answer.body.encode())
    raw[at % len(raw)] ^= 1 << bit
    judged(answer.evidence(body=raw.decode(errors="replace")))


def changed(value: object, data: st.DataObject) -> object:
    """The value with one member or element of it replaced, renamed, left out or put in, at some depth."""
    if isinstance(value, dict) and value:
        return changed_members(cast("dict[str, object]", value), data)
    if isinstance(value, list) and value:
        rows = cast("list[object]", value)
        return data.draw(st.sampled_from(([*rows, *rows], [], rows[0], [changed(rows[0], data), *rows[1:]])))
    return data.draw(strange)


def changed_members(members: dict[str, object], data: st.DataObject) -> dict[str, object]:
    name = data.draw(st.sampled_from(sorted(members)))
    new = data.draw(st.sampled_from((name.upper(), f"{name}s", f" {name}", "code", "msg", "orderId", "data")))
    match data.draw(st.sampled_from(("below", "replace", "rename", "drop", "add"))):
        case "below":
            return members | {name: changed(members[name], data)}
        case "replace":
            return members | {name: data.draw(strange)}
        case "rename":
            return {new if each == name else each: below for each, below in members.items()}
        case "drop":
            return {each: below for each, below in members.items() if each != name}
        case _:
            return members | {new: data.draw(strange)}


strange = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.text(max_size=8),
    st.just([]),
    st.just({}),
    st.sampled_from(sorted({each for answer in ANSWERS for each in (OURS, answer.says.split()[0])})),
)


@bounded
@given(answers, st.data())
def test_members_that_are_changed_prove_nothing_of_their_own(answer: Answer, data: st.DataObject) -> None:
    value: object = json.loads(answer.body)
    for _ in range(data.draw(st.integers(1, 3))):
        value = changed(value, data)
    judged(answer.evidence(body=json.dumps(value)))


@bounded
@given(answers, answers, st.sampled_from((None, 200, 400, 401, 429, 500, 503)))
def test_another_answers_body_proves_nothing_but_its_own(
    answer: Answer, other: Answer, status: int | None
) -> None:
    evidence = answer.evidence(body=other.body, status=other.status if status is None else status)
    verdict = judge(evidence)
    if other.venue != answer.venue:
        assert verdict.outcome is Outcome.UNKNOWN
    check_ground(evidence, verdict)


@bounded
@given(
    answers,
    st.recursive(
        strange,
        lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=6), below, max_size=3),
        max_leaves=6,
    ),
)
def test_any_json_proves_nothing(answer: Answer, value: object) -> None:
    assert judge(answer.evidence(body=json.dumps(value))).outcome is Outcome.UNKNOWN


@bounded
@given(answers, st.text() | st.binary().map(lambda raw: raw.decode(errors="replace")))
def test_any_text_proves_nothing(answer: Answer, body: str) -> None:
    assert judge(answer.evidence(body=body)).outcome is Outcome.UNKNOWN


@bounded
@given(answers, st.text(max_size=60), st.integers(-5, 1000), st.text(max_size=30), st.text(max_size=20))
def test_no_evidence_raises(answer: Answer, url: str, status: int, exception: str, ours: str) -> None:
    judge(answer.evidence(url=url, status=status, exception=exception, client_order_id=ours))
    judge(answer.evidence(url=f"https://{url}", venue=ours))
