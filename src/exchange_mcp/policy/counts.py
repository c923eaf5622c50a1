"""Are there too many orders: resting at once, or placed within a minute?"""

from collections.abc import Callable, Iterator

from exchange_mcp.policy.counters import Tally
from exchange_mcp.policy.decision import Rule, Ruling
from exchange_mcp.policy.proposed import Proposed
from exchange_mcp.policy.scopes import Scope, each_stated, not_concerned, ruled, silent


def open_orders(scopes: tuple[Scope, ...], proposed: Proposed) -> Iterator[Ruling]:
    """Whether one more order may rest."""
    yield from _counted(Rule.OPEN_ORDERS, scopes, proposed, lambda tally: tally.open_orders, "open orders")


def orders_per_minute(scopes: tuple[Scope, ...], proposed: Proposed) -> Iterator[Ruling]:
    """Whether one more order may be placed within the minute."""
    yield from _counted(
        Rule.ORDERS_PER_MINUTE,
        scopes,
        proposed,
        lambda tally: tally.orders_last_minute,
        "orders of the last minute",
    )


def _counted(
    rule: Rule, scopes: tuple[Scope, ...], proposed: Proposed, count: Callable[[Tally], int | None], what: str
) -> Iterator[Ruling]:
    if proposed.action != "place":
        yield not_concerned(rule, "no order is placed.")
        return

    def judge(scope: Scope, limit: int) -> Ruling:
        before = count(scope.tally)
        return Ruling(
            rule=rule,
            scope=scope.name,
            verdict=ruled(allows=before is not None and before + 1 <= limit),
            sentence=f"the number of {what} is not known, so it is refused."
            if before is None
            else f"{what} with this one: {before + 1}; allowed: {limit}.",
            measured=None if before is None else str(before + 1),
            limit=str(limit),
            unit="orders",
        )

    yield from each_stated(rule, scopes, judge, silence=silent(rule, scopes))
