"""What the decision page says of an order, held against what the order does: no word that is surer than the facts."""

import pytest

from exchange_mcp.desk.console.drift import parted
from orders.made import holding, long, short, stop

from .proposals import Proposed, cancel, leverage, order, spot
from .visiting import Desk, words

pytestmark = pytest.mark.anyio


async def said(proposed: Proposed) -> str:
    async with Desk() as desk:
        intent = desk.office.propose(proposed)
        return words((await desk.see(await desk.opened(intent))).text)


async def test_an_order_that_only_reduces_says_so_in_the_sentence_that_is_read_first() -> None:
    told = await said(order(amount="0.4", reduce_only=True))
    assert "CLOSES your position" in told
    assert "Sell 0.4 BTC at the market, reduce-only Amount" in told


async def test_a_market_order_is_promised_no_bound_and_a_limit_has_one() -> None:
    assert "by the book as read; a market order has no bound" in await said(order())
    bounded = await said(spot())
    assert "the most it can come to" in bounded
    assert "has no bound" not in bounded


async def test_of_an_order_by_its_cost_the_cost_is_the_amount_that_is_shown_and_typed() -> None:
    told = await said(spot(type="market", amount=None, price=None, cost="60000"))
    assert "Amount 60 000 USDT about 0.599 BTC" in told.replace("\u202f", " ")
    assert "Type the amount, 60000 , to approve" in told
    assert "the most it can come to" in told


async def test_of_a_stop_that_is_taken_away_the_price_from_which_it_works_is_shown() -> None:
    resting = stop(is_conditional=False)
    told = (await said(cancel(holding(long("0.4"), resting=(resting,))))).replace("\u202f", " ")
    assert "TAKES AWAY THE PROTECTION of what you hold" in told
    assert (
        "Removes 1 BTC sell, stop-market order, reduce-only Once the price is 90 000 USDT At market" in told
    )


async def test_what_stays_as_it_is_is_not_shown_as_a_change() -> None:
    told = await said(leverage(times=5, standing=holding(short("0.1"))))
    assert "unchanged" in told


async def test_a_figure_without_a_value_is_named_as_the_page_names_it() -> None:
    assert "notional percent" not in await said(spot())


@pytest.mark.parametrize(
    "sentence",
    [
        "worth was: 32335.38 USDT (243.658% of the account); is now: 32335.32 USDT (243.6582% of the account)",
        "position was: short 0.05 BTC, worth 5387.1 USDT; is now: short 0.05 BTC, worth 5387.2 USDT",
        "liquidation was: 370463.9 USDT now, none then; is now: 370464.1 USDT now, none then",
        "book was: 1000 levels with 7 BTC were read, 1 of them used; is now: 9 levels with 8 BTC were read",
    ],
)
def test_what_follows_the_market_by_less_than_one_percent_is_folded(sentence: str) -> None:
    assert parted([sentence]) == ((), (sentence,))


@pytest.mark.parametrize(
    "sentence",
    [
        "worth was: 32335 USDT; is now: 32659 USDT",
        "worth was: 0 USDT; is now: 1 USDT",
        "liquidation was: 370463.9 USDT now, none then; is now: 370463.9 USDT now, 370463.9 USDT then",
        "fee was: about 1 USDT (the account's own rate); is now: about 1 USDT (the venue's general rate)",
        "position was: short 0.05 BTC, worth 5387.1 USDT; is now: short 0.0501 BTC, worth 5387.2 USDT",
        "position was: long 0.400 BTC now, short 0.6 BTC then; is now: long 0.401 BTC now, short 0.599 BTC then",
        "held was: 1 ETH now, 2 ETH then; is now: 1.001 ETH now, 2.001 ETH then",
        "effect was: reduces; is now: flips",
        "leverage was: 100x, margin cross, mode one-way; is now: 100x, margin isolated, mode one-way",
        "new warning: it turns the position round",
        "no longer stays: stop_market order 7",
        "the limits would refuse it now: a symbol",
        "worth was: 1 USDT; is now: 1 USDT; is now: 900 USDT",
    ],
)
def test_what_has_to_be_read_is_never_folded(sentence: str) -> None:
    assert parted([sentence]) == ((sentence,), ())
