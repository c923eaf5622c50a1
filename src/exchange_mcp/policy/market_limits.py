"""Is the price too far from the market, is the leverage too high?"""

from collections.abc import Iterator
from decimal import Decimal

from exchange_mcp.model.decimals import divide_up, multiply, subtract
from exchange_mcp.model.writes import OrderType
from exchange_mcp.policy.decision import Rule, RuleVerdict, Ruling
from exchange_mcp.policy.figures import Valuation, plain
from exchange_mcp.policy.proposed import Proposed
from exchange_mcp.policy.scopes import Scope, each_stated, not_concerned, ruled, silent

_PERCENT = Decimal(100)


def price_distance(scopes: tuple[Scope, ...], proposed: Proposed, valuation: Valuation) -> Iterator[Ruling]:
    """Whether the worst price is near enough to mid, or, of a stop with a limit, to its own trigger.

    A stop waits until the market is at its trigger, so mid is there when the limit price matters.
    """
    rule = Rule.PRICE_DISTANCE
    if proposed.action != "place":
        yield not_concerned(rule, "no order is placed.")
        return
    if proposed.is_reducing_stop and proposed.type is OrderType.STOP_MARKET:
        yield not_concerned(
            rule, "a stop at market has no price; its venue enforces reduce-only, and the position caps it."
        )
        return
    anchor = _anchor(proposed, valuation)

    def judge(scope: Scope, limit: Decimal) -> Ruling:
        if isinstance(anchor, str):
            return Ruling(
                rule=rule,
                scope=scope.name,
                verdict=RuleVerdict.DENY,
                sentence=f"{anchor}, so it is refused.",
                limit=plain(limit),
                unit="percent",
            )
        name, price, worst = anchor
        distance = multiply(subtract(worst, price).copy_abs(), _PERCENT)  # abs() would round
        shown = plain(divide_up(distance, price, places=4))
        return Ruling(
            rule=rule,
            scope=scope.name,
            verdict=ruled(allows=distance <= multiply(limit, price)),
            sentence=f"the worst price, {plain(worst)}, is {shown} % from {name}, {plain(price)}; "
            f"{plain(limit)} % is allowed.",
            measured=shown,
            limit=plain(limit),
            unit="percent",
        )

    yield from each_stated(rule, scopes, judge, silence=silent(rule, scopes))


def _anchor(proposed: Proposed, valuation: Valuation) -> tuple[str, Decimal, Decimal] | str:
    """What the worst price is compared with, by name; or why it cannot be."""
    if proposed.worst_price is None:
        return "the worst price is not known, because nothing bounds it"
    if proposed.type is not None and proposed.type.has_trigger:
        if proposed.trigger_price is None:
            return "the trigger price is not known"
        return "the trigger", proposed.trigger_price, proposed.worst_price
    if proposed.mid is None or proposed.quoted_at_ms is None:
        return "mid is not known"
    refusal = valuation.refused_age(proposed.quoted_at_ms)
    if refusal is not None:
        return f"mid {refusal}"
    return f"mid ({valuation.age(proposed.quoted_at_ms)} old)", proposed.mid, proposed.worst_price


def leverage(scopes: tuple[Scope, ...], proposed: Proposed) -> Iterator[Ruling]:
    """Whether the leverage that is asked for, or that an order would be placed at, is low enough."""
    rule = Rule.LEVERAGE
    if not proposed.is_derivative:
        yield not_concerned(rule, "spot has no leverage.")
        return
    if proposed.action == "cancel":
        yield not_concerned(rule, "a cancel has no leverage.")
        return
    if proposed.is_venue_enforced_reduce_only:
        yield not_concerned(rule, "what the venue enforces as reduce-only takes on no leverage.")
        return
    is_change = proposed.action == "leverage"
    used = proposed.leverage_asked if is_change else proposed.leverage_set
    what = "the leverage asked for" if is_change else "the leverage of this market"

    def judge(scope: Scope, limit: int) -> Ruling:
        known = f"{what} is {used}; {limit} is allowed." if used is not None else f"{what} is not known."
        return Ruling(
            rule=rule,
            scope=scope.name,
            verdict=ruled(allows=used is not None and used <= limit),
            sentence=known,
            measured=None if used is None else str(used),
            limit=str(limit),
            unit="x",
        )

    yield from each_stated(rule, scopes, judge, silence=silent(rule, scopes))
