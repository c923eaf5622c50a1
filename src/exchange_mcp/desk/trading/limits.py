"""The operator's policy as the engine asks it: what is counted of the journal and of the venues, put together."""

from decimal import Decimal
from typing import Final

from exchange_mcp.desk.ports import LimitRuling, Planned
from exchange_mcp.desk.records import Counted, Counters
from exchange_mcp.desk.trading.subject import Subject
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.policy.counters import Counters as PolicyCounters
from exchange_mcp.policy.counters import Tally
from exchange_mcp.policy.decide import decide
from exchange_mcp.policy.decision import Decision
from exchange_mcp.policy.policy import Policy

_MOST_NAMED: Final = 2


class PolicyLimits:
    """`desk.ports.Limits` over the policy in force; another one takes its place by `put_in_force`."""

    def __init__(self, policy: Policy) -> None:
        self.put_in_force(policy)

    def put_in_force(self, policy: Policy) -> None:
        """Judge by this policy from now on. What was read for another one is not judged, and grants of it lapse."""
        self._policy, self._digest = policy, policy.digest()

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self._policy

    @property
    def digest(self) -> str:
        """Of the policy in force, in hex."""
        return self._digest

    @property
    def currency(self) -> str:
        """The reference currency of its amounts."""
        return self._policy.reference

    def rule(self, planned: Planned, counted: Counted, now_ms: int) -> LimitRuling:
        """Whether this write is allowed; pure."""
        subject = planned.subject
        if not isinstance(subject, Subject):
            return LimitRuling(is_allowed=False, reason="Nothing was read that the limits could judge.")
        if subject.policy_digest != self._digest:
            return LimitRuling(
                is_allowed=False, reason="The policy is another one than when the account was read."
            )
        decision = decide(self._policy, subject.proposed, _counters(subject, counted), subject.prices, now_ms)
        return LimitRuling(
            is_allowed=decision.is_allowed, reason=reason_of(decision), details=decision.as_object()
        )

    def approvals_for(self, plan: WirePlan) -> int:
        """How many distinct approvers a grant of this plan takes: the most that a scope covering it asks for."""
        policy = self._policy
        account, market = policy.accounts.get(plan.account), policy.symbols.get(plan.market.symbol)
        asked = (scope.approvals for scope in (policy.desk, account, market) if scope is not None)
        return max(count or 1 for count in asked)


def reason_of(decision: Decision) -> str:
    """What decided, as one sentence for a person."""
    denials = decision.denials
    if not denials:
        one_or_more = "one approver" if decision.approvals == 1 else f"{decision.approvals} approvers"
        return f"Every limit allows it; it takes {one_or_more}."
    named = [f"{each.rule} in {each.scope}: {each.sentence.rstrip('.')}" for each in denials[:_MOST_NAMED]]
    more = len(denials) - len(named)
    return "; ".join([*named, *([f"and {more} more"] if more else [])]) + "."


def _counters(subject: Subject, counted: Counted) -> PolicyCounters:
    orders, realised = subject.open_orders, subject.realised
    return PolicyCounters(
        desk=_tally(counted.desk, orders.desk, realised.desk),
        account=_tally(counted.account, orders.account, realised.account),
        symbol=_tally(counted.market, orders.market, realised.market),
    )


def _tally(counted: Counters, resting: int | None, realised: dict[str, Decimal] | None) -> Tally:
    # What is on its way or unknown may rest already without being shown; counting it twice errs on the safe side.
    doubtful = counted.in_flight + counted.unknown
    return Tally(
        notional_24h=counted.notional_24h,
        orders_last_minute=counted.orders_last_minute,
        open_orders=None if resting is None else resting + doubtful,
        realised_pnl_24h=realised,
    )
