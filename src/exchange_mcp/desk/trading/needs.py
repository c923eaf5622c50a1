"""What has to be read before the limits can judge one write, by the policy in force. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.outcomes import Action
from exchange_mcp.policy.policy import Policy


class Reach(StrEnum):
    """Of whom a count has to be known: of nobody, of the write's account alone, or of every account."""

    NOBODY = "nobody"
    OWN = "own"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Whose open orders, and whose realised profit and loss."""

    open_orders: Reach
    realised: Reach


def needs(
    policy: Policy, *, action: Action, account: AccountName, symbol: str, always_reduces: bool
) -> Needs:
    """What the limits of the covering scopes are about.

    Args:
        policy: whose limits are compared.
        action: of the write.
        account: of the write.
        symbol: unified.
        always_reduces: an order that its venue holds to reducing; no limit on losses keeps it from leaving.
    """
    asks_loss = action == "leverage" or (action == "place" and not always_reduces)
    return Needs(
        open_orders=_reach(policy, account, symbol, "max_open_orders") if action == "place" else Reach.NOBODY,
        realised=_reach(policy, account, symbol, "max_daily_loss") if asks_loss else Reach.NOBODY,
    )


def _reach(policy: Policy, account: AccountName, symbol: str, limit: str) -> Reach:
    on_all = (policy.desk, policy.symbols.get(symbol))
    if any(scope is not None and getattr(scope, limit) is not None for scope in on_all):
        return Reach.ALL
    own = policy.accounts.get(account)
    return Reach.OWN if own is not None and getattr(own, limit) is not None else Reach.NOBODY
