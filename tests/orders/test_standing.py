"""From the parts that sources told to an account's standing: nothing that is missing becomes a figure."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

import pytest

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.readings import (
    AccountModes,
    MarginAccount,
    OpenPositions,
    Prices,
    RestingOrders,
    SpotWallet,
    StandingPart,
)
from exchange_mcp.model.terms import AmountGrid, Held, MarketTerms, PriceGrid, Reference, Standing
from exchange_mcp.orders.standing import Assembled, assembled

D = Decimal
NOT_TOLD: Final = {"held": None, "resting": None, "brackets": ()}


def terms(market_type: MarketType = MarketType.SPOT) -> MarketTerms:
    return MarketTerms(
        venue="x",
        symbol="A/Q",
        market_id="AQ",
        market_type=market_type,
        base="A",
        quote="Q",
        settle=None if market_type is MarketType.SPOT else "Q",
        contract_size=None,
        is_trading=True,
        order_types=frozenset(),
        takes_cost=False,
        amount=AmountGrid(step=D(1), least=None, most=None),
        market_amount=None,
        price=PriceGrid(tick=D(1), least=None, most=None),
        notional=None,
        band=None,
        max_orders=None,
        max_conditional_orders=None,
        max_leverage=None,
    )


def made(*parts: StandingPart, market_type: MarketType = MarketType.SPOT) -> Assembled:
    return assembled(terms(market_type), (), parts, as_of_ms=7)


def wallet(free: Mapping[str, str], *, whole: bool = True, lists: int = 1, **locked: str) -> SpotWallet:
    return SpotWallet(
        free={asset: D(amount) for asset, amount in {**dict.fromkeys(locked, "0"), **free}.items()},
        locked={asset: D(amount) for asset, amount in {**dict.fromkeys(free, "0"), **locked}.items()},
        is_whole=whole,
        lists=lists,
    )


def prices(**told: str) -> Prices:
    return Prices(of=lambda symbol: D(told[name]) if (name := symbol.replace("/", "_")) in told else None)


MARGIN: Final = MarginAccount(
    available=D(1), equity=D(2), wallet_balance=D(3), maintenance_others=D(4), unrealised_others=D(5)
)
ONE_WAY: Final = AccountModes(position_mode="one_way", shares_margin=False)
LONG: Final = Held(side="long", amount=D(1), entry_price=None)


@pytest.mark.parametrize("market_type", MarketType)
def test_of_nothing_that_was_told_nothing_is_known(market_type: MarketType) -> None:
    standing = made(market_type=market_type).standing
    told = {name: getattr(standing, name) for name in Standing.__slots__ if name != "as_of_ms"}
    flat = () if market_type is MarketType.SPOT else None
    assert told == {**dict.fromkeys(told), **NOT_TOLD, "held": flat}
    assert standing.as_of_ms == 7


def test_an_asset_that_a_whole_list_leaves_out_is_zero_and_of_another_list_not_told() -> None:
    whole, cut = made(wallet({"Q": "5"})), made(wallet({"Q": "5"}, whole=False))
    assert (whole.standing.free_base, whole.standing.locked_base) == (D(0), D(0))
    assert (cut.standing.free_base, cut.standing.free_quote) == (None, D(5))
    assert cut.untold["free A"] == "the venue does not tell how much of it is free"


@pytest.mark.parametrize(
    ("free", "locked", "figure", "untold"),
    [
        ({}, {"A": D(0)}, "free_base", "free A"),
        ({}, {}, "free_base", "free A"),
        ({"A": D(1)}, {}, "locked_base", "locked A"),
    ],
    ids=["free is not told", "neither is told", "what orders hold back is not told"],
)
def test_an_asset_that_is_listed_without_its_amount_is_not_told_and_never_zero(
    free: dict[str, Decimal], locked: dict[str, Decimal], figure: str, untold: str
) -> None:
    part = SpotWallet(free=free, locked=locked, is_whole=True, listed=frozenset({"A"}))
    found = made(part, prices(A_Q="3"))
    assert getattr(found.standing, figure) is None
    assert found.standing.equity is None
    assert {untold, "worth of the account"} <= found.untold.keys()


def test_what_is_in_two_wallets_can_be_spent_from_neither_for_sure() -> None:
    found = made(wallet({"A": "1", "Q": "2"}, whole=False, lists=2), wallet({"A": "3"}, whole=False, lists=2))
    assert (found.standing.free_base, found.standing.free_quote) == (None, D(2))
    assert "more than one wallet" in found.untold["free A"]


def test_of_two_wallets_one_tells_nothing_of_the_account() -> None:
    standing = made(wallet({"A": "1", "Q": "2"}, lists=2), prices(A_Q="3")).standing
    assert (standing.free_base, standing.free_quote, standing.equity) == (None, None, None)


@pytest.mark.parametrize(
    ("held", "told", "worth"),
    [
        ({"Q": "5", "A": "2"}, {"A_Q": "3"}, "11"),
        ({"A": "2"}, {"Q_A": "4"}, "0.5"),
        ({"B": "2"}, {"B_USDT": "3", "USDT_Q": "5"}, "30"),
        ({"B": "2"}, {"BTC_B": "4", "Q_BTC": "8"}, "0.0625"),
        ({"B": "0", "Q": "1"}, {}, "1"),
        ({"Q": "1"}, {}, "1"),
    ],
    ids=["direct", "turned round", "over another", "both turned round", "nothing of it", "quote alone"],
)
def test_what_an_account_is_worth_is_worked_out_over_at_most_one_other_asset(
    held: dict[str, str], told: dict[str, str], worth: str
) -> None:
    assert made(wallet(held), prices(**told)).standing.equity == D(worth)


def test_what_is_on_order_belongs_to_the_worth() -> None:
    assert made(wallet({"Q": "5"}, Q="2", A="1"), prices(A_Q="3")).standing.equity == D(10)


def test_an_account_with_something_without_a_price_is_worth_what_nobody_knows() -> None:
    held = {"Q": "5", **{f"X{number}": "1" for number in range(7)}}
    found = made(wallet(held), prices(X0_Q="1"))
    assert found.standing.equity is None
    assert found.untold["worth of the account"] == (
        "it holds X1, X2, X3, X4, X5 and others, which has no price in Q"
    )


def test_a_list_that_is_not_whole_is_worth_what_nobody_knows() -> None:
    found = made(wallet({"Q": "5"}, whole=False), prices())
    assert found.standing.equity is None
    assert found.untold["worth of the account"] == "the venue does not list every asset"


def test_of_two_lists_of_positions_or_orders_one_tells_nothing() -> None:
    linear = MarketType.LINEAR
    one = made(OpenPositions(held=(LONG,), lists=2), RestingOrders(orders=(), lists=2), market_type=linear)
    assert (one.standing.held, one.standing.resting) == (None, None)
    both = made(
        *(OpenPositions(held=(LONG,), lists=2), OpenPositions(held=(), lists=2)),
        *(RestingOrders(orders=(), lists=2), RestingOrders(orders=(), lists=2)),
        market_type=linear,
    )
    assert (both.standing.held, both.standing.resting) == ((LONG,), ())


def test_a_mode_that_two_lists_tell_differently_is_not_known() -> None:
    found = made(
        OpenPositions(held=(LONG,), position_mode="hedge", lists=2),
        OpenPositions(held=(LONG,), position_mode="one_way", lists=2),
        market_type=MarketType.LINEAR,
    )
    assert found.standing.position_mode is None


def test_margin_counts_only_where_it_is_known_that_nothing_else_is_margin() -> None:
    linear = MarketType.LINEAR
    whole = made(MARGIN, ONE_WAY, market_type=linear).standing
    assert (whole.free_quote, whole.equity, whole.wallet_balance) == (D(1), D(2), D(3))
    assert (whole.maintenance_others, whole.unrealised_others) == (D(4), D(5))
    for modes in ((), (AccountModes(position_mode="one_way", shares_margin=True),)):
        found = made(MARGIN, *modes, market_type=linear)
        assert (found.standing.free_quote, found.standing.equity, found.standing.wallet_balance) == (
            *(D(1), None, None),
        )
        assert "margin" in found.untold


def test_prices_of_several_sources_make_one_reference() -> None:
    references = [
        Reference(last=D(1), mark=None, average=None),
        Reference(last=None, mark=D(2), average=None),
    ]
    found = assembled(terms(), references, (), as_of_ms=7)
    assert found.reference == Reference(last=D(1), mark=D(2), average=None)
