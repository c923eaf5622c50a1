"""What the policy says to one write: a ruling for every rule that there is, and whether they allow it together."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """What is judged; the name is the key under `[policy]`, or `forbid` for every entry of that list."""

    FORBID = "forbid"
    ACCOUNTS = "accounts"
    SYMBOLS = "symbols"
    ORDER_TYPES = "order_types"
    ORDER_NOTIONAL = "max_order_notional"
    DAILY_NOTIONAL = "max_daily_notional"
    LEVERAGE = "max_leverage"
    LEVERAGE_CHANGE = "leverage_change_with_position"
    PRICE_DISTANCE = "max_price_distance_percent"
    OPEN_ORDERS = "max_open_orders"
    ORDERS_PER_MINUTE = "max_orders_per_minute"
    DAILY_LOSS = "max_daily_loss"


class RuleVerdict(StrEnum):
    """allow: the rule lets it pass; deny: it does not, which decides; not_concerned: it is about other writes."""

    ALLOW = "allow"
    DENY = "deny"
    NOT_CONCERNED = "not_concerned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What one rule says.

    Attributes:
        scope: where it stands: `policy`, `policy.account.NAME`, `policy.symbol."SYMBOL"`, `policy.forbid[0]`.
        sentence: for a person, in printable ASCII.
        measured, limit: the two that were compared, as text; None where nothing was, or it is not known.
        unit: of both, such as USDT or percent; None where they are words.
    """

    rule: Rule
    scope: str
    verdict: RuleVerdict
    sentence: str
    measured: str | None = None
    limit: str | None = None
    unit: str | None = None

    def as_object(self) -> dict[str, str | None]:
        """For JSON."""
        return {
            "rule": self.rule.value,
            "scope": self.scope,
            "verdict": self.verdict.value,
            "measured": self.measured,
            "limit": self.limit,
            "unit": self.unit,
            "sentence": self.sentence,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Every ruling on one write, and what follows. It is allowed if no rule denies it.

    Attributes:
        rulings: in the order of `Rule`, at least one of each.
        approvals: how many approvers it takes, if it is allowed.
        policy_digest: of the policy that decided.
    """

    rulings: tuple[Ruling, ...]
    approvals: int
    policy_digest: str

    @property
    def is_allowed(self) -> bool:
        """Whether no rule denies it."""
        return not self.denials

    @property
    def denials(self) -> tuple[Ruling, ...]:
        """What decided, where it is denied."""
        return tuple(each for each in self.rulings if each.verdict is RuleVerdict.DENY)

    def as_object(self) -> dict[str, object]:
        """For JSON: text, whole numbers and booleans alone."""
        return {
            "allowed": self.is_allowed,
            "approvals": self.approvals,
            "denied_by": list(dict.fromkeys(each.rule.value for each in self.denials)),
            "rulings": [each.as_object() for each in self.rulings],
            "policy_digest": self.policy_digest,
        }

    def lines(self) -> Iterator[str]:
        """For a person: what decided, then every ruling."""
        yield "ALLOWED" if self.is_allowed else "DENIED"
        if self.is_allowed:
            yield f"approvals needed: {self.approvals}"
        yield from (f"  because {each.scope}: {each.sentence}" for each in self.denials)
        yield ""
        width = max(len(each.rule) for each in self.rulings)
        for each in self.rulings:
            mark = {"allow": "allows", "deny": "DENIES", "not_concerned": "-"}[each.verdict.value]
            yield f"{mark:<6}  {each.rule:<{width}}  {each.scope}: {each.sentence}"
        yield f"policy {self.policy_digest}"
