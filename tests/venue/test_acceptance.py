"""What an operator is shown before accepting another ccxt, and an account at a venue where nothing may leave."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.model.coverage import Sources
from exchange_mcp.model.errors import EgressRefusedError, ErrorCode, NothingAnsweredError
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.rules.endpoints import WRITES, EndpointClass
from exchange_mcp.tools.asking import ask
from exchange_mcp.tools.handed import ReadHanded
from exchange_mcp.venue.acceptance import installed_proposals, proposals
from exchange_mcp.venue.closed import ClosedVenue
from exchange_mcp.venue.endpoints import decide
from exchange_mcp.venue.explanation import as_text

from .opened import MovedClock
from .test_endpoints_versions import NEW, NEWER, READ_BEFORE, reaching

WIDER: Final = reaching(EndpointClass.READ, NEW)
ACCOUNT: Final = Account(
    AccountName("main"), "binance", Environment.LIVE, (MarketType.SPOT, MarketType.LINEAR), has_key=True
)


def test_with_the_ccxt_that_was_read_there_is_nothing_to_accept() -> None:
    assert not list(proposals([(READ_BEFORE, READ_BEFORE)]))
    assert not list(installed_proposals())


def test_accepting_wider_reads_opens_everything_that_was_reviewed() -> None:
    (proposal,) = proposals([(READ_BEFORE, WIDER)])
    assert not any(proposal.now.allowed.values())
    pinned = decide(READ_BEFORE, READ_BEFORE).allowed
    assert proposal.opened() == {cls: endpoints for cls, endpoints in pinned.items() if endpoints}


def test_accepting_a_mere_version_opens_the_writes_alone() -> None:
    (proposal,) = proposals([(READ_BEFORE, NEWER)])
    assert proposal.opened().keys() == WRITES


def test_what_is_accepted_already_opens_nothing_more() -> None:
    (first,) = proposals([(READ_BEFORE, WIDER)])
    (again,) = proposals([(READ_BEFORE, WIDER)], [first.change.digest])
    assert again.opened() == {}


def test_the_explanation_shows_the_difference_and_why_nothing_may_leave() -> None:
    shown = as_text(decide(READ_BEFORE, WIDER))
    assert "binance, ccxt 4.5.999: no requests may leave" in shown
    assert "  + read GET sapi made/up\n" in shown
    assert "  read: ccxt 4.5.999 is installed and 4.5.90 was read; its reads reach more" in shown


def closed(*, is_changed: bool = True) -> ClosedVenue:
    change = decide(READ_BEFORE, WIDER).change
    return ClosedVenue(ACCOUNT, "binance is closed for a reason", change if is_changed else None)


Question = Callable[[ReadVenue], Sources[Any]]

QUESTIONS: Final[dict[str, Question]] = {
    "balances": lambda venue: venue.balances(),
    "positions": lambda venue: venue.positions(),
    "open orders": lambda venue: venue.open_orders(None),
    "ticker": lambda venue: venue.ticker("BTC/USDT"),
    "order book": lambda venue: venue.order_book("BTC/USDT", 5),
}


@pytest.mark.anyio
@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
async def test_every_question_to_a_closed_venue_is_answered_with_the_reason_and_the_next_step(
    question: Question,
) -> None:
    clock = MovedClock()
    handed = ReadHanded(
        venues={"main": closed()},
        clock=clock,
        deadline=clock.monotonic() + 5,
        caller=Caller("test", frozenset({Scope.READ})),
    )
    with pytest.raises(NothingAnsweredError) as caught:
        await ask(handed, None, question)
    body = caught.value.body()
    assert (body.code, body.retry) == (ErrorCode.EGRESS_REFUSED, "never")
    assert body.message.endswith("binance is closed for a reason")
    change = decide(READ_BEFORE, WIDER).change
    assert change is not None
    assert f"exchange-mcp egress accept {change.digest}" in body.hint


def test_where_there_is_nothing_to_accept_the_operator_is_sent_to_the_explanation() -> None:
    (unread,) = closed(is_changed=False).balances().unread
    assert isinstance(unread.error, EgressRefusedError)
    assert unread.error.next_step == "The operator sees why with exchange-mcp egress explain binance."
