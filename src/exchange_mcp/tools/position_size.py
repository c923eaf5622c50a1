"""calculate_position_size: how much may be bought or sold so that the stop costs no more than the risk."""

from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import Field

from exchange_mcp.model.decimals import (
    CONTEXT,
    DecimalText,
    Money,
    PositiveDecimalText,
    add,
    divide,
    divide_up,
    multiply,
    subtract,
    text,
)
from exchange_mcp.model.errors import InvalidArgumentError
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.positions import Side
from exchange_mcp.tools.declared import local_tool
from exchange_mcp.tools.handed import LocalHanded
from exchange_mcp.tools.spec import Arguments

_HUNDRED: Final = Decimal(100)
_FINEST_BASE: Final = Decimal("0.00000001")
_ONE: Final = Decimal(1)


class CalculatePositionSize(Arguments):
    """Money and prices in the quote asset, amounts in the base asset, percentages in per cent."""

    equity: PositiveDecimalText
    entry: PositiveDecimalText
    stop: PositiveDecimalText
    risk_percent: Annotated[PositiveDecimalText | None, Field(description="of equity")] = None
    risk_amount: PositiveDecimalText | None = None
    side: Side | None = None
    fee_percent: Annotated[DecimalText | None, Field(description="per side, of notional")] = None
    leverage: PositiveDecimalText = _ONE
    amount_step: Annotated[PositiveDecimalText | None, Field(description="base")] = None
    contract_size: Annotated[PositiveDecimalText | None, Field(description="base per contract")] = None
    contract_step: Annotated[PositiveDecimalText | None, Field(description="contracts; 1 if unset")] = None
    min_amount: Annotated[PositiveDecimalText | None, Field(description="base")] = None
    min_notional: PositiveDecimalText | None = None


class PositionSize(Record):
    """The largest size on the step's grid that neither risk nor equity forbids, and what it costs.

    Attributes:
        risk_amount: what may be lost at the stop, in quote.
        stop_distance: between entry and stop, in quote; `stop_distance_percent` of the entry, its seventh
            decimal and beyond cut off.
        loss_per_base: what one base unit loses from entry to stop, both fees included, in quote.
        amount: in base; `contracts` counts the same in contracts where a contract size was given.
        notional: amount times entry, in quote.
        margin: initial margin at the entry price, in quote, rounded up at the eighth decimal.
        entry_fee, stop_fee: in quote; None where no fee was given.
        loss_at_stop: exact, in quote; never above `risk_amount`.
        limited_by: `margin` where equity carries less than the risk would allow.
    """

    side: Side
    risk_amount: Money
    stop_distance: Money
    stop_distance_percent: Money
    loss_per_base: Money
    amount: Money
    contracts: Money | None
    notional: Money
    margin: Money
    entry_fee: Money | None
    stop_fee: Money | None
    loss_at_stop: Money
    limited_by: Literal["risk", "margin"]
    warnings: tuple[str, ...]


async def calculate_position_size(arguments: CalculatePositionSize, _: LocalHanded) -> PositionSize:
    """Answer by arithmetic on the arguments alone."""
    return position_size(arguments)


def position_size(asked: CalculatePositionSize) -> PositionSize:
    """The largest whole number of steps that both the risk and the equity carry.

    By risk, the percent-risk model: amount = risk / loss per base unit. Its account size and account risk
    are described at https://www.binance.com/en-IN/square/post/583793, the division with a worked example at
    https://calculop.com/en/calculators/crypto/position-size-calculator; fees, which both leave out, are in.
    By equity: initial margin plus entry fee may not exceed it (see `_margin`, `_fee`).

    Raises:
        InvalidArgumentError: the arguments contradict each other, or the size is below the smallest order.
    """
    if asked.leverage < _ONE:
        raise InvalidArgumentError('leverage: at least "1", which is none')
    side = _side(asked)
    risk = _risk(asked)
    unit = _unit(asked)
    fee_rate = _rate(asked.fee_percent)
    distance = CONTEXT.abs(subtract(asked.entry, asked.stop))
    loss_per_base = add(distance, multiply(add(asked.entry, asked.stop), fee_rate))
    # Multiplied by the leverage on both sides, so that nothing is rounded before the one division.
    equity_times_leverage = multiply(asked.equity, asked.leverage)
    cost_times_leverage = multiply(asked.entry, add(_ONE, multiply(asked.leverage, fee_rate)))

    by_risk = divide(risk, multiply(loss_per_base, unit), places=0)
    by_equity = divide(equity_times_leverage, multiply(cost_times_leverage, unit), places=0)
    smallest = _smallest(asked, unit)
    if min(by_risk, by_equity) < smallest:
        least = multiply(smallest, unit)
        least_loss = divide_up(multiply(least, loss_per_base), _ONE, places=8)
        least_cost = divide_up(multiply(least, cost_times_leverage), asked.leverage, places=8)
        raise _too_small(asked, least, least_loss, least_cost, risk_is_short=by_risk < smallest)

    steps = min(by_risk, by_equity)
    amount = multiply(steps, unit)
    notional = multiply(amount, asked.entry)
    with_fees = asked.fee_percent is not None
    return PositionSize(
        side=side,
        risk_amount=_plain(risk),
        stop_distance=_plain(distance),
        stop_distance_percent=_plain(divide(multiply(distance, _HUNDRED), asked.entry, places=6)),
        loss_per_base=_plain(loss_per_base),
        amount=_plain(amount),
        contracts=None if asked.contract_size is None else _plain(multiply(steps, _contract_step(asked))),
        notional=_plain(notional),
        margin=_plain(_margin(notional, asked.leverage)),
        entry_fee=_plain(_fee(notional, fee_rate)) if with_fees else None,
        stop_fee=_plain(_fee(multiply(amount, asked.stop), fee_rate)) if with_fees else None,
        loss_at_stop=_plain(multiply(amount, loss_per_base)),
        limited_by="margin" if by_equity < by_risk else "risk",
        warnings=_warnings(asked, side, amount, multiply(by_risk, unit)),
    )


def _side(asked: CalculatePositionSize) -> Side:
    """A long's stop lies below its entry, a short's above."""
    if asked.stop == asked.entry:
        raise InvalidArgumentError("stop: it equals the entry; a long's stop lies below it, a short's above")
    side: Side = "long" if asked.stop < asked.entry else "short"
    if asked.side not in {None, side}:
        where = "below" if side == "long" else "above"
        raise InvalidArgumentError(
            f"side: {asked.side} does not fit a stop {where} the entry, which makes a {side}; "
            f"change `side`, or put `stop` on the other side of {text(asked.entry)}"
        )
    return side


def _risk(asked: CalculatePositionSize) -> Decimal:
    """What may be lost, in quote; not more than there is."""
    if asked.risk_amount is not None and asked.risk_percent is None:
        if asked.risk_amount > asked.equity:
            raise InvalidArgumentError(f"risk_amount: it is above the equity of {text(asked.equity)}")
        return asked.risk_amount
    if asked.risk_percent is None or asked.risk_amount is not None:
        given = "neither is" if asked.risk_percent is None else "both are"
        raise InvalidArgumentError(f"risk_percent, risk_amount: exactly one is required, and {given} given")
    if asked.risk_percent > _HUNDRED:
        raise InvalidArgumentError('risk_percent: at most "100", the whole equity; "1" is one per cent of it')
    return multiply(asked.equity, _rate(asked.risk_percent))


def _unit(asked: CalculatePositionSize) -> Decimal:
    """What one step of the size is, in base."""
    if asked.contract_size is None:
        if asked.contract_step is not None:
            raise InvalidArgumentError("contract_step: it needs `contract_size`; in base, use `amount_step`")
        return _FINEST_BASE if asked.amount_step is None else asked.amount_step
    if asked.amount_step is not None:
        raise InvalidArgumentError("amount_step: with `contract_size`, give the step as `contract_step`")
    return multiply(asked.contract_size, _contract_step(asked))


def _contract_step(asked: CalculatePositionSize) -> Decimal:
    return _ONE if asked.contract_step is None else asked.contract_step


def _smallest(asked: CalculatePositionSize, unit: Decimal) -> Decimal:
    """The fewest steps that make an order the venue takes."""
    fewest = _ONE
    if asked.min_amount is not None:
        fewest = max(fewest, divide_up(asked.min_amount, unit, places=0))
    if asked.min_notional is not None:
        fewest = max(fewest, divide_up(asked.min_notional, multiply(unit, asked.entry), places=0))
    return fewest


def _rate(percent: Decimal | None) -> Decimal:
    return CONTEXT.scaleb(percent or Decimal(0), -2)


def _margin(notional: Decimal, leverage: Decimal) -> Decimal:
    """The initial margin of a linear position: notional / leverage.

    Binance prices a short's margin at the highest of order, mark and raised last price, and adds the open
    loss of an order away from the mark, so a venue may ask for a little more than this.
    Source: https://www.binance.com/en/support/faq/87fa7ee33b574f7084d42bd2ce2e463b
    """
    return divide_up(notional, leverage, places=8)


def _fee(notional: Decimal, rate: Decimal) -> Decimal:
    """A linear trade's commission: notional at the trade's own price x rate.

    Source: https://binance.com/fr/support/faq/360033544231
    """
    return multiply(notional, rate)


def _too_small(
    asked: CalculatePositionSize, least: Decimal, loss: Decimal, cost: Decimal, *, risk_is_short: bool
) -> InvalidArgumentError:
    order = f"the smallest order is {text(_plain(least))} base"
    equity = text(_plain(asked.equity))
    if not risk_is_short:
        return InvalidArgumentError(
            f"equity: {order}, which needs {text(_plain(cost))} of margin and entry fee at "
            f"{text(_plain(asked.leverage))}x; equity is {equity}"
        )
    argument = "risk_amount" if asked.risk_percent is None else "risk_percent"
    losing = f"{argument}: {order}, which loses {text(_plain(loss))} at the stop"
    if loss > asked.equity:
        return InvalidArgumentError(f"{losing}, more than the equity of {equity}; move the stop closer")
    percent = divide_up(multiply(loss, _HUNDRED), asked.equity, places=4)
    return InvalidArgumentError(
        f"{losing}; allow a risk_amount of at least that ({text(_plain(percent))} per cent of equity), "
        "or move the stop closer"
    )


def _warnings(asked: CalculatePositionSize, side: Side, amount: Decimal, by_risk: Decimal) -> tuple[str, ...]:
    warnings: list[str] = []
    if asked.fee_percent is None:
        warnings.append("Fees are not included: fee_percent was not given.")
    if amount < by_risk:
        warnings.append(
            f"The risk would allow {text(_plain(by_risk))} base; equity covers margin and entry fee of only "
            f"{text(_plain(amount))} at {text(_plain(asked.leverage))}x."
        )
    bankruptcy = _bankruptcy_warning(asked, side)
    return (*warnings, bankruptcy) if bankruptcy else tuple(warnings)


def _bankruptcy_warning(asked: CalculatePositionSize, side: Side) -> str | None:
    """Whether an isolated position has lost its whole initial margin before the stop.

    The bankruptcy price is entry x (1 - 1/leverage) for a long and entry x (1 + 1/leverage) for a short;
    a venue liquidates before it, by its maintenance margin, which is not known here.
    Source: https://help.bybit.com/hc/en-us/articles/360011431853-What-is-Bankruptcy-Price- and, with the
    formula in text, https://mudrex.com/blog/bankruptcy-price-on-mudrex-futures
    """
    distance = CONTEXT.abs(subtract(asked.entry, asked.stop))
    if multiply(distance, asked.leverage) < asked.entry:
        return None
    move = divide(asked.entry, asked.leverage, places=8)
    bankrupt_at = subtract(asked.entry, move) if side == "long" else add(asked.entry, move)
    bound = divide(asked.entry, distance, places=2)
    return (
        f"At {text(_plain(asked.leverage))}x an isolated position has lost its margin at "
        f"{text(_plain(bankrupt_at))}, no later than the stop, and is liquidated earlier still; "
        f"stay well under {text(_plain(bound))}x."
    )


def _plain(number: Decimal) -> Decimal:
    """The same number without the trailing zeros that arithmetic leaves."""
    return CONTEXT.normalize(number)


TOOLS: Final = (
    local_tool(
        name="calculate_position_size",
        title="Position size",
        description=(
            "The largest position whose loss at the stop, fees included, stays within a risk: give exactly "
            "one of `risk_percent` and `risk_amount`. Spot and linear contracts only: an inverse "
            "(coin-margined) one loses by another formula. Prices and money in quote. Sized in base, or in "
            "contracts if `contract_size` is given; rounded down to the step, and cut if equity cannot "
            "cover margin and entry fee (`limited_by`: margin). Without `leverage` the whole notional must "
            "be covered. Assumes fills exactly at entry and stop: no slippage, funding or liquidation."
        ),
        arguments=CalculatePositionSize,
        data=PositionSize,
        read_only="It is arithmetic on its arguments.",
        idempotent="The same arguments give the same answer.",
        handler=calculate_position_size,
    ),
)
