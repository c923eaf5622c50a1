"""What does the policy say to this write? Forbid beats permit, silence denies, and order means nothing."""

from collections.abc import Iterator, Sequence

from exchange_mcp.policy.amounts import daily_loss, daily_notional, order_notional
from exchange_mcp.policy.counters import Counters
from exchange_mcp.policy.counts import open_orders, orders_per_minute
from exchange_mcp.policy.decision import Decision, Ruling
from exchange_mcp.policy.figures import Price, Valuation
from exchange_mcp.policy.market_limits import leverage, price_distance
from exchange_mcp.policy.permissions import (
    account_permitted,
    forbidden,
    leverage_change_permitted,
    symbol_permitted,
    type_permitted,
)
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.proposed import Proposed
from exchange_mcp.policy.scopes import Scope, covering

_SECOND_MS = 1000


def decide(
    policy: Policy, proposed: Proposed, counters: Counters, prices: Sequence[Price], now_ms: int
) -> Decision:
    """A ruling for every rule on one write. It is allowed if none denies it; never raises.

    Args:
        policy: whose limits are compared.
        proposed: the write.
        counters: what has been done already, without this write.
        prices: by which amounts in another asset are stated in the policy's reference currency.
        now_ms: the moment of deciding, not before any price was received; UTC milliseconds.
    """
    valuation = Valuation(
        tuple(prices), policy.reference, policy.desk.max_price_age_seconds * _SECOND_MS, now_ms
    )
    scopes = covering(policy, proposed, counters)
    return Decision(
        rulings=tuple(_rulings(policy, scopes, proposed, valuation)),
        approvals=max(scope.limits.approvals or 1 for scope in scopes),
        policy_digest=policy.digest(),
    )


def _rulings(
    policy: Policy, scopes: tuple[Scope, ...], proposed: Proposed, valuation: Valuation
) -> Iterator[Ruling]:
    yield from forbidden(policy, proposed)
    yield from account_permitted(scopes, proposed)
    yield from symbol_permitted(scopes, proposed)
    yield from type_permitted(scopes, proposed)
    yield from order_notional(scopes, proposed, valuation)
    yield from daily_notional(scopes, proposed, valuation)
    yield from leverage(scopes, proposed)
    yield from leverage_change_permitted(scopes, proposed)
    yield from price_distance(scopes, proposed, valuation)
    yield from open_orders(scopes, proposed)
    yield from orders_per_minute(scopes, proposed)
    yield from daily_loss(scopes, proposed, valuation)
