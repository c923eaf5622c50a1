"""What is free, at which entry and with which liquidation price, around an order on a one-way linear market.

An order that trades at once is seen at today's mark price. What rests is seen as if the mark price of this market were
then the order's own price and all else as it is. Formulas are those of Binance USD-M (`margin`); elsewhere the figures
are not known here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import add, divide, multiply, subtract
from exchange_mcp.model.terms import Held, Resting, Standing
from exchange_mcp.orders import margin
from exchange_mcp.orders.expected import Expected
from exchange_mcp.orders.figures import Fee, Figures
from exchange_mcp.orders.planned import PlannedOrder
from exchange_mcp.orders.positions import Change
from exchange_mcp.orders.readings import Readings
from exchange_mcp.orders.reasons import NEVER_LIQUIDATED, NO_POSITION, NO_POSITION_THEN
from exchange_mcp.orders.wording import plain, shown

_ZERO: Final = Decimal(0)
_ONE: Final = Decimal(1)
_VENUES: Final = frozenset({"binance", "binanceusdm"})
_FREE: Final = ("free_placed", "free_after")
_LIQUIDATION: Final = ("liquidation_price", "liquidation_price_after")
_AFTER: Final = ("free_placed", "free_after", "entry_price_after", "liquidation_price_after")


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An account's figures in one market; amounts in base, a short negative, money in the settlement asset."""

    amount: Decimal
    entry: Decimal
    bids: Decimal
    asks: Decimal


def around(
    planned: PlannedOrder, seen: Readings, change: Change, expected: Expected | None, fee: Fee | None
) -> Figures:
    """The figures now, once the order is placed, and once it is filled."""
    standing, reasons = seen.standing, seen.reasons
    if standing.free_quote is None:
        reasons.say("the balance is not told", "free", *_FREE)
    why = not_worked_out(seen)
    if why:
        reasons.say(why, *_AFTER, *_LIQUIDATION)
        return Figures(free=standing.free_quote)
    before = account(seen)
    liquidated = None if before is None else liquidation(before, seen, "liquidation_price")
    if before is None or expected is None or fee is None or change.after is None:
        unpriced = expected is None or fee is not None
        told = "what it would trade at is not known" if unpriced else "the fee is not known"
        reasons.say(told, *_AFTER)
        return Figures(free=standing.free_quote, liquidation_price=liquidated)
    after, realized = _filled(before, expected.amount, planned, expected, seen)
    gained = subtract(realized, fee.quote)
    then = seen.reference.mark if expected.price is None or not expected.rest else expected.price
    free_after = free(before, after, seen, "free_after", gained=gained, then=then)
    free_placed = _placed(planned, before, seen, expected, fee) if expected.rest else free_after
    if expected.rest == 0:
        reasons.copy("free_after", "free_placed")
    if not after.amount:
        reasons.say(NO_POSITION_THEN, "entry_price_after")
    return Figures(
        free=standing.free_quote,
        free_placed=free_placed,
        free_after=free_after,
        entry_price_after=after.entry if after.amount else None,
        liquidation_price=liquidated,
        liquidation_price_after=liquidation(
            after,
            seen,
            "liquidation_price_after",
            gained=gained,
            isolated=_isolated_after(before, after, expected, standing),
        ),
        warnings=_warnings(after, seen, then, free_placed, fee.at_once),
    )


def account(seen: Readings) -> Account | None:
    """The account as it is; None, with the reason, where a part is not told."""
    standing, reasons = seen.standing, seen.reasons
    bids, asks = _open_notional(standing.resting or (), _size(seen))
    if standing.resting is None or bids is None or asks is None:
        reasons.say("the margin of open orders is not known: they are not told", *_FREE)
        bids = asks = _ZERO
    leg: Held | None = next((row for row in standing.held or () if row.amount), None)
    if leg is None:
        return Account(amount=_ZERO, entry=_ZERO, bids=bids, asks=asks)
    if leg.entry_price is None:
        reasons.say("the entry price is not told", *_AFTER, *_LIQUIDATION)
        return None
    amount = multiply(leg.amount, _size(seen))
    signed = amount if leg.side == "long" else amount.copy_negate()
    return Account(amount=signed, entry=leg.entry_price, bids=bids, asks=asks)


def free(  # noqa: PLR0913 - two states, and what makes one of the other
    before: Account,
    after: Account,
    seen: Readings,
    figure: str,
    *,
    gained: Decimal = _ZERO,
    then: Decimal | None,
    leverage: int | None = None,
) -> Decimal | None:
    """What is free after a change: what was, and what was gained, plus unrealised profit, less initial margin.

    Args:
        before: the account at today's mark price.
        after: the account at the mark price `then`.
        seen: what was read.
        figure: what is worked out, for the reason where it cannot be.
        gained: by the wallet, in the settlement asset.
        then: a price in quote.
        leverage: the new one, where it is changed.
    """
    standing, mark = seen.standing, seen.reference.mark
    told = _cannot_be_free(standing)
    if told or standing.free_quote is None or standing.leverage is None or mark is None or then is None:
        seen.reasons.say(told or "the mark price is not told", figure)
        return None
    if seen.reasons.has(figure):
        return None
    needed_before = _needed(before, mark, standing.leverage)
    needed_after = _needed(after, then, standing.leverage if leverage is None else leverage)
    profit = subtract(_profit(after, then), _profit(before, mark))
    return subtract(add(add(standing.free_quote, gained), profit), subtract(needed_after, needed_before))


def liquidation(
    state: Account,
    seen: Readings,
    figure: str,
    *,
    gained: Decimal = _ZERO,
    isolated: Decimal | None = None,
) -> Decimal | None:
    """Where this state is liquidated, None with the reason where that is not known.

    Args:
        state: the account.
        seen: what was read.
        figure: `liquidation_price`, of the account as it is, or `liquidation_price_after`.
        gained: by the cross wallet, in the settlement asset.
        isolated: what is set apart for an isolated position then.
    """
    standing, reasons = seen.standing, seen.reasons
    if not state.amount:
        reasons.say(NO_POSITION if figure == "liquidation_price" else NO_POSITION_THEN, figure)
        return None
    if not standing.brackets:
        reasons.say("the market's maintenance brackets are not told", figure)
        return None
    if standing.margin_mode == "isolated":
        balance = _isolated_now(standing) if figure == "liquidation_price" else isolated
        why = "how much margin is set apart for the position is not told"
    elif standing.margin_mode == "cross":
        balance = _cross(standing, gained)
        why = "the wallet, or what other positions need, is not told"
    else:
        balance, why = None, "the margin mode is not told"
    if balance is None:
        reasons.say(why, figure)
        return None
    price = margin.liquidation_price(state.amount, state.entry, balance, standing.brackets)
    if price is None:
        is_never = margin.is_never_liquidated(state.amount, state.entry, balance)
        reasons.say(NEVER_LIQUIDATED if is_never else "the maintenance brackets do not reach so far", figure)
    return price


def not_worked_out(seen: Readings) -> str:
    """Why the figures of a market cannot be worked out, nothing where they can."""
    terms, standing = seen.terms, seen.standing
    if terms.market_type is not MarketType.LINEAR:
        return "it is worked out for linear contracts only"
    if terms.venue not in _VENUES:
        return "it is worked out by the formulas of Binance USD-M only"
    if standing.position_mode is None or standing.held is None:
        return "the position or the position mode is not told"
    return "it is worked out for one-way mode only" if standing.position_mode == "hedge" else ""


def _filled(
    before: Account, filled: Decimal, planned: PlannedOrder, expected: Expected, seen: Readings
) -> tuple[Account, Decimal]:
    """The account once so much (venue's unit) of the order is filled, and the profit that this realises."""
    buys = planned.write.side == "buy"
    traded = multiply(filled, _size(seen))
    amount = add(before.amount, traded if buys else traded.copy_negate())
    worth = expected.worth(filled)
    if not before.amount or (before.amount > 0) is buys:
        cost = add(multiply(before.amount.copy_abs(), before.entry), worth)
        entry = divide(cost, amount.copy_abs(), places=8) if amount else _ZERO
        return Account(amount=amount, entry=entry, bids=before.bids, asks=before.asks), _ZERO
    held = before.amount.copy_abs()
    closed = min(traded, held)
    of_closed = worth if closed == traded else expected.worth(divide(closed, _size(seen), places=60))
    gain = subtract(of_closed, multiply(closed, before.entry))
    entry = before.entry if amount else _ZERO
    if traded > held:
        entry = divide(subtract(worth, of_closed), subtract(traded, held), places=8)
    realized = gain if before.amount > 0 else gain.copy_negate()
    return Account(amount=amount, entry=entry, bids=before.bids, asks=before.asks), realized


def _placed(
    planned: PlannedOrder, before: Account, seen: Readings, expected: Expected, fee: Fee
) -> Decimal | None:
    """What is free while the rest of the order rests; a conditional order needs nothing until it is triggered."""
    write = planned.write
    if write.type.has_trigger:
        return seen.standing.free_quote
    if expected.taken is None or expected.price is None:
        seen.reasons.say("how much of it trades at once is not known", "free_placed")
        return None
    now, realized = _filled(before, expected.taken.amount, planned, expected, seen)
    adds = _ZERO if write.is_reduce_only else expected.resting
    resting = multiply(multiply(adds, _size(seen)), expected.price)
    buys = write.side == "buy"
    placed = Account(
        amount=now.amount,
        entry=now.entry,
        bids=add(now.bids, resting) if buys else now.bids,
        asks=now.asks if buys else add(now.asks, resting),
    )
    gained = subtract(realized, fee.at_once)
    return free(before, placed, seen, "free_placed", gained=gained, then=seen.reference.mark)


def _open_notional(resting: Iterable[Resting], size: Decimal) -> tuple[Decimal | None, Decimal | None]:
    """What the market's resting orders could add, bids and asks; reduce-only and conditional ones add nothing."""
    worth = {"buy": _ZERO, "sell": _ZERO}
    for order in resting:
        if order.is_reduce_only or order.closes_position or order.is_conditional:
            continue
        if order.amount is None or order.price is None:
            return None, None
        worth[order.side] = add(worth[order.side], multiply(multiply(order.amount, size), order.price))
    return worth["buy"], worth["sell"]


def _cannot_be_free(standing: Standing) -> str:
    if standing.margin_mode != "cross":
        return (
            "it is worked out for cross margin only"
            if standing.margin_mode
            else "the margin mode is not told"
        )
    if standing.free_quote is None:
        return "the balance is not told"
    if standing.leverage is None:
        return "the leverage is not told"
    if not standing.free_quote and standing.wallet_balance != 0:
        return "nothing is free, and how far margin falls short is not told"
    return ""


def _needed(state: Account, mark: Decimal, leverage: int) -> Decimal:
    return margin.initial_margin(multiply(state.amount, mark), state.bids, state.asks, leverage)


def _profit(state: Account, mark: Decimal) -> Decimal:
    return multiply(state.amount, subtract(mark, state.entry))


def _cross(standing: Standing, gained: Decimal) -> Decimal | None:
    wallet, maintenance, profit = (
        standing.wallet_balance,
        standing.maintenance_others,
        standing.unrealised_others,
    )
    if wallet is None or maintenance is None or profit is None:
        return None
    return add(subtract(add(wallet, gained), maintenance), profit)


def _isolated_now(standing: Standing) -> Decimal | None:
    return next((row.isolated_margin for row in standing.held or () if row.amount), None)


def _isolated_after(
    before: Account, after: Account, expected: Expected, standing: Standing
) -> Decimal | None:
    """What is set apart after an isolated position was opened or added to; what a reduction frees is not published."""
    if standing.leverage is None or not after.amount:
        return None
    leverage = Decimal(standing.leverage)
    if not before.amount:
        return divide(expected.quote, leverage, places=8)
    if (before.amount > 0) is not (after.amount > 0):
        return divide(multiply(after.amount.copy_abs(), after.entry), leverage, places=8)
    if after.amount.copy_abs() <= before.amount.copy_abs():
        return None
    now = _isolated_now(standing)
    return None if now is None else add(now, divide(expected.quote, leverage, places=8))


def _size(seen: Readings) -> Decimal:
    return _ONE if seen.terms.contract_size is None else seen.terms.contract_size


def _warnings(
    after: Account, seen: Readings, mark: Decimal | None, placed: Decimal | None, paid: Decimal
) -> tuple[str, ...]:
    standing = seen.standing
    told: list[str] = []
    unit = plain(seen.terms.settle or seen.terms.quote)
    if placed is not None and placed < 0:
        # A venue compares margin with what is free; the fee is taken from the wallet once it trades.
        lacks, is_fee_alone = shown(placed.copy_abs()), add(placed, paid) >= 0
        told.append(
            f"with its fee it needs {lacks} {unit} more than is free: the venue may refuse it"
            if is_fee_alone
            else f"it needs {lacks} {unit} more margin than is free: the venue would refuse it"
        )
    if standing.leverage is not None and mark is not None and standing.brackets and after.amount:
        most = margin.largest_notional(standing.brackets, standing.leverage)
        notional = multiply(after.amount.copy_abs(), mark)
        if most is not None and notional > most:
            told.append(
                f"the position would be worth {shown(notional)} {unit}, more than the {shown(most)} that a leverage "
                f"of {standing.leverage} allows: the venue would refuse it"
            )
    return tuple(told)
