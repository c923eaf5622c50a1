"""How an amount in one asset is stated in another: exactly, by a price that is stated with its age, or not at all."""

from dataclasses import replace
from decimal import Decimal

import pytest

from exchange_mcp.policy.decision import Rule
from exchange_mcp.policy.figures import Price, Unvalued, Valuation, Valued, plain

from .made import NOW, SPOT, counted, decided, denied_by, ruling

EURUSDT = Price(base="EUR", quote="USDT", rate=Decimal("1.08"), as_of_ms=NOW - 4200, source="main: EUR/USDT")
IN_EUR = replace(SPOT, symbol="BTC/EUR", quote="EUR", worst_notional=Decimal(900))


def valued(amounts: dict[str, str], *prices: Price, reference: str = "USDT") -> Valued | Unvalued:
    return Valuation(prices, reference, 30_000, NOW).value({k: Decimal(v) for k, v in amounts.items()})


def test_an_amount_in_the_reference_needs_no_price() -> None:
    assert valued({"USDT": "0.10"}) == Valued(Decimal("0.10"))


def test_an_amount_in_another_asset_is_stated_by_a_price_that_is_told_with_age_and_source() -> None:
    decision = decided(IN_EUR, prices=(EURUSDT,))
    assert decision.is_allowed
    # 900 EUR at 1.08 USDT
    assert ruling(decision, Rule.ORDER_NOTIONAL).sentence == (
        "the order is worth at most 972 USDT (at 1 EUR = 1.08 USDT, 4.2 s old, from main: EUR/USDT); "
        "1000 USDT is allowed."
    )
    over = replace(IN_EUR, worst_notional=Decimal("925.93"))  # 1000.0044 USDT
    assert denied_by(decided(over, prices=(EURUSDT,))) == [Rule.ORDER_NOTIONAL]


def test_without_a_price_an_amount_in_another_asset_is_refused() -> None:
    decision = decided(IN_EUR)
    assert denied_by(decision) == [Rule.ORDER_NOTIONAL, Rule.DAILY_NOTIONAL]
    assert (
        ruling(decision, Rule.ORDER_NOTIONAL).sentence
        == "there is no price of EUR in USDT, so it is refused."
    )


@pytest.mark.parametrize(("age", "allowed"), [(30_000, True), (30_001, False), (-1, False), (0, True)])
def test_a_price_may_be_exactly_as_old_as_is_allowed(age: int, *, allowed: bool) -> None:
    decision = decided(IN_EUR, prices=(replace(EURUSDT, as_of_ms=NOW - age),))
    assert decision.is_allowed is allowed


def test_a_stale_price_does_not_hide_a_fresh_one() -> None:
    stale = replace(EURUSDT, as_of_ms=NOW - 60_000, rate=Decimal(1))
    assert decided(IN_EUR, prices=(stale, EURUSDT)).is_allowed
    assert decided(IN_EUR, prices=(EURUSDT, stale)).is_allowed


@pytest.mark.parametrize(
    ("amount", "stated"),
    # 1/3 does not come out even: a cost or loss is rounded up, a gain down, at the eighteenth decimal.
    [("1", "0.333333333333333334"), ("-1", "-0.333333333333333333"), ("3", "1")],
)
def test_a_price_the_other_way_round_is_divided_by_against_whoever_spends(amount: str, stated: str) -> None:
    three = Price(base="USDT", quote="TRY", rate=Decimal(3), as_of_ms=NOW, source="a ticker")
    found = valued({"TRY": amount}, three)
    assert isinstance(found, Valued)
    assert plain(found.amount) == stated


def test_several_assets_are_added_and_each_price_is_told() -> None:
    btc = Price(base="BTC", quote="USDT", rate=Decimal(60_000), as_of_ms=NOW, source="a ticker")
    found = valued({"BTC": "0.001", "EUR": "-10", "USDT": "5"}, btc, EURUSDT)
    assert isinstance(found, Valued)
    assert found.amount == Decimal("54.2")  # 60 - 10.8 + 5
    assert found.stated == (
        " (at 1 BTC = 60000 USDT, 0 s old, from a ticker; 1 EUR = 1.08 USDT, 4.2 s old, from main: EUR/USDT)"
    )


def test_nothing_of_an_asset_needs_no_price_of_it() -> None:
    assert valued({"BNB": "0", "USDT": "7"}) == Valued(Decimal(7))


def test_a_loss_in_another_asset_is_counted_by_its_price() -> None:
    lost = counted(realised_pnl_24h={"EUR": Decimal(-90), "USDT": Decimal("-2.8")})
    swap = replace(IN_EUR, symbol="BTC/USDT")
    assert decided(swap, counters=lost, prices=(EURUSDT,)).is_allowed  # spot: nothing limits its loss


def test_a_price_chain_is_not_made_up() -> None:
    btc_eur = Price(base="BTC", quote="EUR", rate=Decimal(55_000), as_of_ms=NOW, source="a ticker")
    found = valued({"BTC": "1"}, btc_eur, EURUSDT)
    assert found == Unvalued("there is no price of BTC in USDT")


@pytest.mark.parametrize("rate", ["0", "-1", "NaN", "Infinity", "1e61"])
def test_a_price_is_a_finite_number_above_zero(rate: str) -> None:
    with pytest.raises(ValueError, match=r"price|number"):
        replace(EURUSDT, rate=Decimal(rate))


def test_an_asset_has_no_price_in_itself() -> None:
    with pytest.raises(ValueError, match="no price in itself"):
        replace(EURUSDT, quote="EUR")


@pytest.mark.parametrize(
    ("number", "written"),
    [
        ("1.00", "1"),
        ("100", "100"),
        ("1E+3", "1000"),
        ("0.10", "0.1"),
        ("-0", "0"),
        ("1E-10", "0.0000000001"),
    ],
)
def test_a_figure_is_written_in_full_without_trailing_zeros(number: str, written: str) -> None:
    assert plain(Decimal(number)) == written


def test_what_a_venue_wrote_beside_a_price_cannot_disturb_the_line() -> None:
    odd = replace(EURUSDT, source="\u202etick\n")
    sentence = ruling(decided(IN_EUR, prices=(odd,)), Rule.ORDER_NOTIONAL).sentence
    assert sentence.isascii()
    assert sentence.isprintable()
