from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from exchange_mcp.model.decimals import text
from exchange_mcp.model.errors import ErrorCode, InvalidArgumentError
from exchange_mcp.tools.position_size import (
    CalculatePositionSize,
    PositionSize,
    calculate_position_size,
    position_size,
)

from .fakes import local_handed


def sized(**arguments: str) -> PositionSize:
    return position_size(CalculatePositionSize.model_validate(arguments))


def shown(answer: PositionSize) -> dict[str, Any]:
    return answer.model_dump(mode="json")


def refusal(**arguments: str) -> str:
    with pytest.raises(InvalidArgumentError) as caught:
        sized(**arguments)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    return caught.value.message


# The worked example of https://calculop.com/en/calculators/crypto/position-size-calculator.
EXAMPLE = {"equity": "10000", "risk_percent": "1", "entry": "50000", "stop": "47500"}


def test_the_published_example_comes_out_as_published() -> None:
    # Risk 10 000 x 1 % = 100; distance 2 500; 100 / 2 500 = 0.04 base; 0.04 x 50 000 = 2 000 notional.
    assert shown(sized(**EXAMPLE)) == {
        "side": "long",
        "risk_amount": "100",
        "stop_distance": "2500",
        "stop_distance_percent": "5",
        "loss_per_base": "2500",
        "amount": "0.04",
        "contracts": None,
        "notional": "2000",
        "margin": "2000",
        "entry_fee": None,
        "stop_fee": None,
        "loss_at_stop": "100",
        "limited_by": "risk",
        "warnings": ["Fees are not included: fee_percent was not given."],
    }


def test_fees_of_both_sides_are_part_of_the_loss() -> None:
    # Fees a base unit: 50 000 x 0.05 % = 25 and 47 500 x 0.05 % = 23.75, so it loses 2 548.75.
    # 100 / 2 548.75 = 0.03923..., down to 0.039. Loss 0.039 x 2 548.75 = 99.40125. Notional 1 950.
    # Fees 1 950 x 0.05 % = 0.975 and 0.039 x 47 500 x 0.05 % = 0.92625.
    answer = shown(sized(**EXAMPLE, fee_percent="0.05", amount_step="0.001"))
    assert answer["loss_per_base"] == "2548.75"
    assert answer["amount"] == "0.039"
    assert answer["notional"] == "1950"
    assert (answer["entry_fee"], answer["stop_fee"]) == ("0.975", "0.92625")
    assert answer["loss_at_stop"] == "99.40125"
    assert answer["warnings"] == []


def test_the_venues_own_fee_example_comes_out_as_published() -> None:
    # Binance's futures fee page: 1 BTC at 10 104 costs 5.052 at 0.05 %; by its formula 5.552 at 11 104.
    # A short that loses 1 000 + 5.052 + 5.552 = 1 010.604 a base unit; a risk of 1 010.604 buys exactly 1.
    answer = shown(
        sized(equity="20000", risk_amount="1010.604", entry="10104", stop="11104", fee_percent="0.05")
    )
    assert answer["side"] == "short"
    assert answer["amount"] == "1"
    assert (answer["entry_fee"], answer["stop_fee"]) == ("5.052", "5.552")
    assert answer["loss_at_stop"] == "1010.604"


def test_the_venues_own_margin_example_comes_out_as_published() -> None:
    # https://www.binance.com/en/support/faq/87fa7ee33b574f7084d42bd2ce2e463b
    # 9 253.30 x 1 BTC / 20 = 462.665, printed there as 462.66.
    answer = shown(sized(equity="1000", risk_amount="10", entry="9253.30", stop="9243.30", leverage="20"))
    assert answer["amount"] == "1"
    assert answer["margin"] == "462.665"


def test_a_margin_that_does_not_divide_is_rounded_up() -> None:
    # 1 base at 100 with 3x: 33.333... is not quite enough, 33.33333334 is.
    answer = shown(sized(equity="1000", risk_amount="1", entry="100", stop="99", leverage="3"))
    assert answer["margin"] == "33.33333334"


def test_a_size_in_contracts_is_whole_contracts_and_also_told_in_base() -> None:
    # 100 / 2 500 = 0.04 base = 1.33 contracts of 0.03; one whole contract is 0.03 base and loses 75.
    answer = shown(sized(**EXAMPLE, contract_size="0.03"))
    assert (answer["contracts"], answer["amount"], answer["loss_at_stop"]) == ("1", "0.03", "75")


def test_contracts_may_be_divisible() -> None:
    # 0.04 base = 1.33... contracts of 0.03, down to 1.3: 0.039 base, loss 0.039 x 2 500 = 97.5.
    answer = shown(sized(**EXAMPLE, contract_size="0.03", contract_step="0.1"))
    assert (answer["contracts"], answer["amount"], answer["loss_at_stop"]) == ("1.3", "0.039", "97.5")


def test_a_size_that_equity_cannot_carry_is_cut_and_says_so() -> None:
    # Risk 500 / distance 10 = 50 base = 2 500 000 notional; at 10x, 10 000 carries 100 000 = 2 base.
    answer = shown(
        sized(equity="10000", risk_percent="5", entry="50000", stop="49990", leverage="10", fee_percent="0")
    )
    assert answer["limited_by"] == "margin"
    assert (answer["amount"], answer["margin"], answer["loss_at_stop"]) == ("2", "10000", "20")
    assert answer["warnings"] == [
        "The risk would allow 50 base; equity covers margin and entry fee of only 2 at 10x."
    ]


def test_the_entry_fee_is_paid_from_the_same_equity_as_the_margin() -> None:
    # A base unit needs 100 / 2 = 50 of margin and 100 x 1 % = 1 of fee: 102 carries exactly 2 of them.
    carried = {"risk_percent": "100", "entry": "100", "stop": "99", "leverage": "2", "fee_percent": "1"}
    assert sized(equity="102", **carried, amount_step="1").amount == 2
    assert sized(equity="101.99", **carried, amount_step="1").amount == 1


def test_without_leverage_the_whole_notional_must_be_covered() -> None:
    # 1 000 / 10 = 100 base by risk; 1 000 buys 10 at 100.
    answer = sized(equity="1000", risk_percent="100", entry="100", stop="90")
    assert (answer.amount, answer.limited_by) == (10, "margin")


def test_a_size_that_equity_carries_exactly_is_limited_by_the_risk() -> None:
    # 100 / 10 = 10 base by risk, and 1 000 buys exactly 10 at 100.
    answer = sized(equity="1000", risk_amount="100", entry="100", stop="90", fee_percent="0")
    assert (answer.amount, answer.limited_by, answer.warnings) == (10, "risk", ())


@pytest.mark.parametrize(
    ("entry", "stop", "leverage", "bankrupt_at", "bound"),
    [
        # https://mudrex.com/blog/bankruptcy-price-on-mudrex-futures
        # A short at 3 000 with 20x is bankrupt at 3 150.
        ("3000", "3150", "20", "3150", "20"),
        # Bybit's long: 10 000 with 50x is bankrupt at 10 000 x (1 - 2 %) = 9 800. 10 000 / 300 = 33.33...
        ("10000", "9700", "50", "9800", "33.33"),
    ],
)
def test_a_stop_behind_the_bankruptcy_price_is_warned_of(
    entry: str, stop: str, leverage: str, bankrupt_at: str, bound: str
) -> None:
    answer = sized(
        equity="10000", risk_amount="1", entry=entry, stop=stop, leverage=leverage, fee_percent="0"
    )
    (warning,) = answer.warnings
    assert warning == (
        f"At {leverage}x an isolated position has lost its margin at {bankrupt_at}, no later than the stop, "
        f"and is liquidated earlier still; stay well under {bound}x."
    )


def test_a_stop_before_the_bankruptcy_price_needs_no_warning() -> None:
    # A short at 3 000 with 20x: bankrupt at 3 150, just behind 3 149.99.
    assert not sized(
        equity="10000", risk_amount="1", entry="3000", stop="3149.99", leverage="20", fee_percent="0"
    ).warnings


REFUSED: dict[str, tuple[dict[str, str], str]] = {
    "stop at entry": ({"stop": "50000"}, "stop: it equals the entry"),
    "no risk": (
        {"risk_percent": ""},
        "risk_percent, risk_amount: exactly one is required, and neither is given",
    ),
    "two risks": (
        {"risk_amount": "5"},
        "risk_percent, risk_amount: exactly one is required, and both are given",
    ),
    "more than all": ({"risk_percent": "100.01"}, 'risk_percent: at most "100"'),
    "more than equity": (
        {"risk_percent": "", "risk_amount": "10000.01"},
        "risk_amount: it is above the equity",
    ),
    "short below": ({"side": "short"}, "side: short does not fit a stop below the entry, which makes a long"),
    "long above": (
        {"side": "long", "stop": "50001"},
        "side: long does not fit a stop above the entry, which makes a short",
    ),
    "leverage": ({"leverage": "0.99"}, 'leverage: at least "1"'),
    "base step": ({"amount_step": "1", "contract_size": "1"}, "amount_step: with `contract_size`, give"),
    "contract step": ({"contract_step": "1"}, "contract_step: it needs `contract_size`"),
}


@pytest.mark.parametrize(("changed", "message"), REFUSED.values(), ids=REFUSED)
def test_arguments_that_contradict_each_other_are_refused_by_name(
    changed: dict[str, str], message: str
) -> None:
    given_arguments = {name: value for name, value in (EXAMPLE | changed).items() if value}
    assert refusal(**given_arguments).startswith(message)


def test_a_risk_below_one_step_names_the_smallest_risk_that_buys_it() -> None:
    # One step of 0.1 loses 0.1 x 2 500 = 250, which is 2.5 % of 10 000.
    step = EXAMPLE | {"amount_step": "0.1"}
    assert refusal(**step) == (
        "risk_percent: the smallest order is 0.1 base, which loses 250 at the stop; allow a risk_amount of "
        "at least that (2.5 per cent of equity), or move the stop closer"
    )
    assert sized(**(step | {"risk_percent": "2.5"})).amount == Decimal("0.1")


def test_a_smallest_risk_above_equity_is_not_advised() -> None:
    # One step of 5 loses 12 500.
    assert refusal(**EXAMPLE, amount_step="5") == (
        "risk_percent: the smallest order is 5 base, which loses 12500 at the stop, more than the equity of "
        "10000; move the stop closer"
    )


def test_a_size_below_the_venues_smallest_amount_is_refused() -> None:
    # 0.04 by risk. A minimum of 0.05 is 0.06 on a grid of 0.03, which loses 150.
    message = refusal(**EXAMPLE, amount_step="0.03", min_amount="0.05")
    assert "the smallest order is 0.06 base, which loses 150 at the stop" in message
    assert sized(**EXAMPLE, amount_step="0.03", min_amount="0.03").amount == Decimal("0.03")


def test_a_size_below_the_venues_smallest_notional_is_refused() -> None:
    # 0.04 base is 2 000 notional. A minimum of 2 001 is 0.05 on a grid of 0.01, which loses 125.
    message = refusal(**EXAMPLE, amount_step="0.01", min_notional="2001")
    assert "the smallest order is 0.05 base, which loses 125 at the stop" in message
    assert sized(**EXAMPLE, amount_step="0.01", min_notional="2000").amount == Decimal("0.04")


def test_an_equity_below_the_smallest_order_names_what_it_costs() -> None:
    # One base unit at 100 with 2x and 1 %: 50 + 1 = 51 of margin and fee, while risk would allow it.
    message = refusal(
        equity="50.99",
        risk_percent="100",
        entry="100",
        stop="99",
        leverage="2",
        fee_percent="1",
        amount_step="1",
    )
    assert message == (
        "equity: the smallest order is 1 base, which needs 51 of margin and entry fee at 2x; equity is 50.99"
    )


PRICES = st.decimals("0.0001", "200000", places=4)
ARGUMENTS = st.fixed_dictionaries(
    {
        "equity": st.decimals("1", "10000000", places=2),
        "risk_percent": st.decimals("0.01", "100", places=2),
        "entry": PRICES,
        "stop": PRICES,
        "leverage": st.decimals("1", "125", places=1),
        "fee_percent": st.decimals("0", "1", places=3),
        "amount_step": st.decimals("0.00000001", "0.1", places=8),
    }
)


def answered(arguments: dict[str, Decimal]) -> tuple[CalculatePositionSize, PositionSize]:
    """The answer, where there is one."""
    assume(arguments["entry"] != arguments["stop"])
    asked = CalculatePositionSize.model_validate({k: text(v) for k, v in arguments.items()})
    try:
        return asked, position_size(asked)
    except InvalidArgumentError as error:
        if "the smallest order is" not in error.message:
            raise  # nothing else is wrong with these
        reject()


@given(ARGUMENTS)
def test_the_loss_at_the_stop_is_exact_and_never_above_the_risk(arguments: dict[str, Decimal]) -> None:
    asked, answer = answered(arguments)
    entry, stop, amount = Fraction(asked.entry), Fraction(asked.stop), Fraction(answer.amount)
    fee = Fraction(arguments["fee_percent"]) / 100
    assert Fraction(answer.loss_at_stop) == amount * (abs(entry - stop) + fee * (entry + stop))
    assert Fraction(answer.risk_amount) == Fraction(asked.equity) * Fraction(arguments["risk_percent"]) / 100
    assert answer.loss_at_stop <= answer.risk_amount


@given(ARGUMENTS)
def test_the_size_is_on_the_grid_and_one_step_more_would_break_what_limits_it(
    arguments: dict[str, Decimal],
) -> None:
    asked, answer = answered(arguments)
    step, entry = Fraction(arguments["amount_step"]), Fraction(asked.entry)
    assert (Fraction(answer.amount) / step).denominator == 1
    more = Fraction(answer.amount) + step
    if answer.limited_by == "risk":
        assert more * Fraction(answer.loss_per_base) > Fraction(answer.risk_amount)
    else:
        cost = entry / Fraction(asked.leverage) + entry * Fraction(arguments["fee_percent"]) / 100
        assert more * cost > Fraction(asked.equity)
        assert any(warning.startswith("The risk would allow") for warning in answer.warnings)


@given(ARGUMENTS)
def test_equity_always_covers_margin_and_entry_fee(arguments: dict[str, Decimal]) -> None:
    asked, answer = answered(arguments)
    assert answer.entry_fee is not None
    exact_margin = Fraction(answer.notional) / Fraction(asked.leverage)
    assert exact_margin + Fraction(answer.entry_fee) <= Fraction(asked.equity)
    assert 0 <= Fraction(answer.margin) - exact_margin < Fraction(1, 10**8)


@given(ARGUMENTS, st.decimals("0.01", "100", places=2))
def test_a_greater_risk_never_buys_less(arguments: dict[str, Decimal], other: Decimal) -> None:
    lower, higher = sorted((arguments["risk_percent"], other))
    _, cautious = answered(arguments | {"risk_percent": lower})
    _, bold = answered(arguments | {"risk_percent": higher})
    assert cautious.amount <= bold.amount


@given(ARGUMENTS)
def test_a_risk_told_as_an_amount_sizes_as_the_same_risk_told_in_per_cent(
    arguments: dict[str, Decimal],
) -> None:
    asked, by_percent = answered(arguments)
    by_amount = position_size(
        asked.model_copy(update={"risk_percent": None, "risk_amount": by_percent.risk_amount})
    )
    assert by_amount == by_percent


def test_the_longest_arguments_are_still_exact() -> None:
    long = "9" * 17 + "." + "9" * 18
    asked = {"equity": long, "risk_percent": "1." + "1" * 18, "entry": long, "stop": "1." + "7" * 18}
    answer = sized(**asked, fee_percent="0." + "3" * 18, leverage="3." + "7" * 18)
    assert answer.loss_at_stop <= answer.risk_amount


@pytest.mark.anyio
async def test_the_tool_answers_by_the_same_arithmetic() -> None:
    asked = CalculatePositionSize.model_validate(EXAMPLE)
    assert await calculate_position_size(asked, local_handed()) == position_size(asked)
