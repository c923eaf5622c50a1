import re
from collections.abc import Iterator, Mapping
from typing import get_args

import pytest

from exchange_mcp.model import errors
from exchange_mcp.model.errors import (
    DESK_CODES,
    ORDER_CODES,
    PROPOSAL_CODES,
    AuthenticationFailedError,
    CallerError,
    DeskError,
    ErrorCode,
    ExchangeMcpError,
    NothingAnsweredError,
    OrderRefusedError,
    Outcome,
    ProposalRefusedError,
    RateLimitedError,
    Retry,
    ServerError,
    VenueError,
    VenueUnreachableError,
)

# An instance of the last two takes its code from what failed, or from the rule that was broken.
WITHOUT_OWN_CODE = {
    ExchangeMcpError,
    CallerError,
    ServerError,
    VenueError,
    NothingAnsweredError,
    OrderRefusedError,
    ProposalRefusedError,
    DeskError,
}


def descendants(root: type[ExchangeMcpError]) -> Iterator[type[ExchangeMcpError]]:
    if root.__module__ == errors.__name__:  # the venue's own kinds of them are no business of a client's
        yield root
    for child in root.__subclasses__():
        yield from descendants(child)


EVERY = tuple(descendants(ExchangeMcpError))
CODED = tuple(error for error in EVERY if error not in WITHOUT_OWN_CODE)


def drawn() -> dict[str, tuple[int, str | None]]:
    """Class name to depth and code, as the module's docstring draws them."""
    assert errors.__doc__ is not None
    pattern = re.compile(r"^([│├└─ ]*)(\w+Error)(?: +([A-Z_]{3,})\b)?", re.MULTILINE)
    return {m[2]: (len(m[1]) // 4, m[3]) for m in pattern.finditer(errors.__doc__)}


def test_the_drawing_shows_every_class_where_it_stands_and_nothing_else() -> None:
    depths = {error.__name__: error.__mro__.index(ExchangeMcpError) for error in EVERY}
    assert {name: depth for name, (depth, _) in drawn().items()} == depths


def test_the_drawing_shows_every_class_with_its_own_code() -> None:
    assert {n: code for n, (_, code) in drawn().items() if code} == {e.__name__: e.code.value for e in CODED}


def test_every_code_belongs_to_exactly_one_class() -> None:
    assigned = [*(error.code for error in CODED), *ORDER_CODES, *PROPOSAL_CODES, *DESK_CODES]
    assert sorted(assigned) == sorted(ErrorCode)


@pytest.mark.parametrize("error", CODED)
def test_every_error_says_what_its_caller_may_conclude(error: type[ExchangeMcpError]) -> None:
    assert error.outcome in get_args(Outcome)
    assert error.retry in get_args(Retry)


@pytest.mark.parametrize("error", CODED)
def test_every_error_has_a_next_step(error: type[ExchangeMcpError]) -> None:
    body = error("what and why").body()
    assert body.message == "what and why"
    assert body.hint.endswith(".")


@pytest.mark.parametrize("code", sorted(ORDER_CODES))
def test_a_refused_order_has_a_code_and_a_next_step_and_was_not_sent(code: ErrorCode) -> None:
    error = OrderRefusedError(code, "what and why")
    assert (error.body().code, error.outcome, error.retry) == (code, "not_sent", "never")
    assert error.body().hint.endswith(".")


@pytest.mark.parametrize(("kind", "codes"), [(ProposalRefusedError, PROPOSAL_CODES), (DeskError, DESK_CODES)])
def test_what_a_desk_refuses_was_not_sent_and_its_code_says_whether_to_ask_again(
    kind: type[ProposalRefusedError | DeskError], codes: Mapping[ErrorCode, Retry]
) -> None:
    for code, retry in codes.items():
        error = kind(code, "what and why")
        assert (error.body().code, error.outcome, error.retry) == (code, "not_sent", retry)
        assert error.body().hint.endswith(".")
    with pytest.raises(ValueError, match="does not speak of"):
        kind(ErrorCode.BUSY, "what and why")


def test_a_code_that_speaks_of_no_order_refuses_none() -> None:
    with pytest.raises(ValueError, match="does not speak of an order"):
        OrderRefusedError(ErrorCode.BUSY, "what and why")


@pytest.mark.parametrize("error", [e for e in CODED if issubclass(e, CallerError)])
def test_a_wrong_request_was_not_sent_and_is_wrong_again_when_repeated(error: type[ExchangeMcpError]) -> None:
    assert (error.outcome, error.retry) == ("not_sent", "never")


@pytest.mark.parametrize("error", [e for e in CODED if e.outcome == "rejected"])
def test_only_a_venue_can_have_rejected(error: type[ExchangeMcpError]) -> None:
    assert issubclass(error, VenueError)


def test_a_hint_of_its_own_replaces_the_one_of_the_class() -> None:
    assert CallerError("m", hint="h").next_step == "h"


def test_nothing_answered_speaks_as_the_first_failure_and_names_all() -> None:
    error = NothingAnsweredError(
        [("main spot", AuthenticationFailedError("bad key")), ("main linear", RateLimitedError("slow down"))]
    )
    assert error.code is ErrorCode.AUTHENTICATION_FAILED
    assert error.outcome == "rejected"
    assert error.message == "main spot: bad key; main linear: slow down"
    assert error.next_step == AuthenticationFailedError.hint


def test_nothing_answered_may_be_retried_if_any_failure_may() -> None:
    never, safe = AuthenticationFailedError("bad key"), VenueUnreachableError("reset")
    assert NothingAnsweredError([("a", never), ("b", safe)]).retry == "safe"
    assert NothingAnsweredError([("a", never), ("b", never)]).retry == "never"
