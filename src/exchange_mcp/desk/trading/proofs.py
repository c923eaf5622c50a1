"""What it takes to call a cancel or a change of leverage without effect, by the venue's rules. Pure.

The same as the proof of an absence takes, less what is about finding an order: a cancel and a leverage are shown by
the state that they change.
"""

from exchange_mcp.desk.absence import SKEW_MS, lag_ms, refuses_late, spacing_ms
from exchange_mcp.desk.ports import EffectTerms
from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.writes import CancelOrder, PlaceOrder
from exchange_mcp.rules.client_ids import order_ids


def effect_terms(plan: WirePlan, latest_ms: int, *, has_card: bool = False) -> EffectTerms:
    """When a cancel or a change of leverage that shows no effect has had none; `latest_ms` is the claim's.

    On a live venue it never has, as far as the machine may say, until a recorded test card showed that it refuses a
    late request; `has_card` says that one did.

    Raises:
        ValueError: the plan places an order.
    """
    write = plan.write
    if isinstance(write, PlaceOrder):
        raise ValueError("what becomes of an order is proved by its absence")  # noqa: TRY004 - of the plan, not its type
    is_conditional = isinstance(write, CancelOrder) and write.is_conditional
    rules = order_ids(plan.venue, plan.market.market_type, is_conditional=is_conditional)
    is_shown = plan.environment is not Environment.LIVE or has_card
    return EffectTerms(
        first_look_ms=latest_ms + SKEW_MS + lag_ms(plan, rules),
        spacing_ms=spacing_ms(plan),
        refuses_late=is_shown and refuses_late(plan, rules),
    )
