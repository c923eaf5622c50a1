from decimal import Decimal
from itertools import pairwise

import pytest

from exchange_mcp.sim.brackets import BRACKETS
from exchange_mcp.sim.margin import Leg, bracket_of, brackets, liquidation_price
from exchange_mcp.sim.usdm_public import funding_rate

# The vendor's page: https://www.binance.com/en/support/faq/b3c689c1f50a44cabb3a84e663b81d93
BITCOIN = BRACKETS["BTCUSDT"]
CENT = Decimal("0.00000001")


def liquidation(*legs: Leg, mark: str, equity: str) -> Decimal | None:
    price = liquidation_price(legs, BITCOIN, mark=Decimal(mark), equity=Decimal(equity))
    return None if price is None else price.quantize(CENT)


def leg(direction: int, size: str, entry: str) -> Leg:
    return Leg(direction, Decimal(size), Decimal(entry))


def test_the_maintenance_amount_of_the_third_level_is_the_vendors_1300() -> None:
    assert [level.amount for level in BITCOIN[:3]] == [0, 50, 1_300]


def test_a_position_of_264000_usdt_has_the_vendors_maintenance_rate_of_one_per_cent() -> None:
    assert bracket_of(BITCOIN, Decimal(264_000)).rate == Decimal("0.01")


def test_maintenance_is_notional_times_rate_less_the_maintenance_amount() -> None:
    # By hand: 500,000 * 1 % - 1,300
    assert bracket_of(BITCOIN, Decimal(500_000)).maintenance(Decimal(500_000)) == 3_700


def test_a_notional_at_a_cap_belongs_to_the_next_bracket() -> None:
    assert bracket_of(BITCOIN, Decimal(50_000)).number == 2


def test_a_notional_above_the_last_cap_stays_in_the_last_bracket() -> None:
    assert bracket_of(BITCOIN, Decimal(10**12)).number == len(BITCOIN)


def test_maintenance_does_not_jump_where_brackets_meet() -> None:
    for table in BRACKETS.values():
        for lower, upper in pairwise(table):
            assert lower.maintenance(lower.cap) == upper.maintenance(lower.cap)


def test_a_long_is_liquidated_below_its_entry_with_the_bracket_of_the_price_found() -> None:
    # At the mark the second bracket holds: (10,000 + 50 - 50,000) / (0.005 - 1) = 40,150.75; there the first
    # one does: (10,000 - 50,000) / (0.004 - 1) = 40,160.64257028.
    assert liquidation(leg(1, "1", "50000"), mark="50000", equity="10000") == Decimal("40160.64257028")


def test_a_short_is_liquidated_above_its_entry() -> None:
    # (1,500 + 2 * 3,000) / (2 * 0.004 + 2) = 7,500 / 2.008
    assert liquidation(leg(-1, "2", "3000"), mark="3000", equity="1500") == Decimal("3735.05976096")


def test_the_legs_of_a_hedge_share_one_liquidation_price() -> None:
    # (1,000 - 2 * 3,000 + 0.8 * 3,100) / (2 * 0.004 + 0.8 * 0.004 - 2 + 0.8) = -2,520 / -1.1888
    legs = (leg(1, "2", "3000"), leg(-1, "0.8", "3100"))
    assert liquidation(*legs, mark="3050", equity="1000") == Decimal("2119.78465680")


def test_a_long_with_more_equity_than_it_cost_has_no_liquidation_price() -> None:
    assert liquidation(leg(1, "1", "1000"), mark="1000", equity="2000") is None


@pytest.mark.parametrize(
    ("premium", "rate"),
    [
        # Within 0.05 % of the interest rate of 0.01 % the rate is the interest rate.
        ("0.0001", "0.0001"),
        ("0.0003", "0.0001"),
        ("-0.0004", "0.0001"),
        # Beyond that it is the premium, 0.05 % nearer.
        ("0.0020", "0.0015"),
        ("-0.0020", "-0.0015"),
    ],
)
def test_funding_is_the_interest_rate_unless_the_premium_is_far_from_it(premium: str, rate: str) -> None:
    assert funding_rate(Decimal(premium)) == Decimal(rate)


def test_a_table_whose_rate_cancels_the_size_has_no_liquidation_price() -> None:
    table = brackets([(10**9, 1, "1")])
    assert liquidation_price([leg(1, "1", "1000")], table, mark=Decimal(1000), equity=Decimal(10)) is None
