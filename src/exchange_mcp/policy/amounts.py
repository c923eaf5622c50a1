"""Is it worth too much: the order by itself, all orders of 24 hours together, and what has been lost in them?"""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from exchange_mcp.model.decimals import add
from exchange_mcp.policy.decision import Rule, RuleVerdict, Ruling
from exchange_mcp.policy.figures import Unvalued, Valuation, Valued, plain
from exchange_mcp.policy.proposed import Proposed
from exchange_mcp.policy.scopes import Scope, each_stated, not_concerned, ruled, silent

_NOT_BOUNDED = "what the order may be worth at worst is not known, because nothing bounds its price"


def order_notional(scopes: tuple[Scope, ...], proposed: Proposed, valuation: Valuation) -> Iterator[Ruling]:
    """Whether the order is worth at most the limit, at its worst price."""
    rule = Rule.ORDER_NOTIONAL
    if proposed.action != "place":
        yield not_concerned(rule, "no order is placed.")
        return
    if proposed.is_reducing_stop:
        yield not_concerned(rule, "the position caps a stop that its venue enforces as reduce-only.")
        return
    worst = _worst(proposed, valuation)

    def judge(scope: Scope, limit: Decimal) -> Ruling:
        return _compared(
            rule, scope, worst, limit, valuation.reference,
            lambda value: f"the order is worth at most {value}; {plain(limit)} {valuation.reference} is allowed",
        )  # fmt: skip

    yield from each_stated(rule, scopes, judge, silence=silent(rule, scopes))


def daily_notional(scopes: tuple[Scope, ...], proposed: Proposed, valuation: Valuation) -> Iterator[Ruling]:
    """Whether this order and those of the last 24 hours are worth at most the limit, at their worst prices."""
    rule = Rule.DAILY_NOTIONAL
    if proposed.action != "place":
        yield not_concerned(rule, "no order is placed.")
        return
    if proposed.is_venue_enforced_reduce_only:
        yield not_concerned(rule, "what the venue enforces as reduce-only can always leave a position.")
        return
    worst = _worst(proposed, valuation)

    def judge(scope: Scope, limit: Decimal) -> Ruling:
        before = _valued(scope.tally.notional_24h, valuation, "the notional of the last 24 hours")
        together = _sum(before, worst)
        return _compared(
            rule, scope, together, limit, valuation.reference,
            lambda value: f"with this order, those of 24 hours are worth at most {value}; "
            f"{plain(limit)} {valuation.reference} is allowed",
        )  # fmt: skip

    yield from each_stated(rule, scopes, judge, silence=silent(rule, scopes))


def daily_loss(scopes: tuple[Scope, ...], proposed: Proposed, valuation: Valuation) -> Iterator[Ruling]:
    """Whether the realised losses of the last 24 hours are below the limit."""
    rule = Rule.DAILY_LOSS
    if proposed.action == "cancel":
        yield not_concerned(rule, "a cancel cannot lose more.")
        return
    if proposed.is_venue_enforced_reduce_only:
        yield not_concerned(rule, "what the venue enforces as reduce-only can always leave a position.")
        return
    silence = (
        silent(rule, scopes)
        if proposed.is_derivative
        else not_concerned(rule, "no venue tells realised losses of spot.")
    )

    def judge(scope: Scope, limit: Decimal) -> Ruling:
        pnl = scope.tally.realised_pnl_24h
        losses = None if pnl is None else {asset: amount.copy_negate() for asset, amount in pnl.items()}
        loss = _valued(losses, valuation, "the realised loss of the last 24 hours")
        if isinstance(loss, Valued):
            loss = Valued(max(loss.amount, Decimal(0)), loss.stated)
        return _compared(
            rule, scope, loss, limit, valuation.reference,
            lambda value: f"{value} were lost in 24 hours; trading stops at {plain(limit)} {valuation.reference}",
            is_reached_at_limit=True,
        )  # fmt: skip

    yield from each_stated(rule, scopes, judge, silence=silence)


def _worst(proposed: Proposed, valuation: Valuation) -> Valued | Unvalued:
    if proposed.worst_notional is None:
        return Unvalued(_NOT_BOUNDED)
    return valuation.value({proposed.quote: proposed.worst_notional})


def _valued(amounts: Mapping[str, Decimal] | None, valuation: Valuation, what: str) -> Valued | Unvalued:
    return Unvalued(f"{what} is not known") if amounts is None else valuation.value(amounts)


def _sum(left: Valued | Unvalued, right: Valued | Unvalued) -> Valued | Unvalued:
    if isinstance(left, Unvalued):
        return left
    if isinstance(right, Unvalued):
        return right
    stated = right.stated if left.stated in {"", right.stated} else f"{left.stated}{right.stated}"
    return Valued(add(left.amount, right.amount), stated)


def _compared(  # noqa: PLR0913, PLR0917 - a comparison has two sides, a place and a sentence
    rule: Rule,
    scope: Scope,
    value: Valued | Unvalued,
    limit: Decimal,
    unit: str,
    say: Callable[[str], str],
    *,
    is_reached_at_limit: bool = False,
) -> Ruling:
    facts: dict[str, Any] = {"rule": rule, "scope": scope.name, "limit": plain(limit), "unit": unit}
    if isinstance(value, Unvalued):
        return Ruling(verdict=RuleVerdict.DENY, sentence=f"{value.reason}, so it is refused.", **facts)
    allows = value.amount < limit if is_reached_at_limit else value.amount <= limit
    shown = f"{plain(value.amount)} {unit}{value.stated}"
    return Ruling(
        verdict=ruled(allows=allows), sentence=f"{say(shown)}.", measured=plain(value.amount), **facts
    )
