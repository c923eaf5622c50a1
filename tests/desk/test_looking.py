"""By which known order a look-up is shown to work."""

from dataclasses import replace
from pathlib import Path

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.looking import known_order
from exchange_mcp.desk.records import Intent, Proposal
from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.outcomes import Outcome

from .on_disk import opened
from .proposals import buy, claimed, plan, proposal, settled
from .virtual import NOON_MS


def of(number: int, market_type: MarketType) -> Proposal:
    """An order on the pair or on its perpetual, which this venue gives one id; a later one for its own sake."""
    planned = plan(buy(number))
    planned = replace(planned, market=replace(planned.market, market_type=market_type))
    return replace(proposal(number), plan=planned, distinct_from=f"i{number - 1}" if number > 1 else None)


def placed(journal: Journal, asked: Proposal) -> Intent:
    intent = settled(journal, asked, Outcome.ACCEPTED)
    return journal.read_back(intent.id, State.PLACED, proof={}, reason="found open")


def test_a_look_up_is_shown_to_work_by_an_order_of_the_same_market_and_not_of_one_with_the_same_id(
    tmp_path: Path,
) -> None:
    journal = opened(tmp_path)
    on_spot = placed(journal, of(1, MarketType.SPOT))
    on_perpetual = placed(journal, of(2, MarketType.LINEAR))
    sought = claimed(journal, of(3, MarketType.SPOT))
    assert known_order(journal, sought, NOON_MS) == on_spot.client_order_id
    assert (
        known_order(journal, on_spot, NOON_MS) is None
    )  # only the perpetual's is left, and no order is its own witness
    assert known_order(journal, on_perpetual, NOON_MS) is None
    journal.close()
