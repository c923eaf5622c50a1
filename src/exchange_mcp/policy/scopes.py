"""Which parts of a policy cover a write, and what holds for every limit in them.

Each covering scope that states a limit must allow the write, and where none states it, it is refused.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from exchange_mcp.policy.counters import Counters, Tally
from exchange_mcp.policy.decision import Rule, RuleVerdict, Ruling
from exchange_mcp.policy.figures import ascii_text
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.proposed import Proposed
from exchange_mcp.policy.tables import Limits


@dataclass(frozen=True, slots=True)
class Scope:
    """One part of a policy that covers a write, and what has been done in it."""

    name: str
    limits: Limits
    tally: Tally

    def states(self, rule: Rule) -> Any:  # noqa: ANN401 - each limit has a type of its own
        """The limit, or None where this scope is silent about it."""
        return getattr(self.limits, rule.value, None)


def covering(policy: Policy, proposed: Proposed, counters: Counters) -> tuple[Scope, ...]:
    """The scopes that cover a write: the whole, its account, its market."""
    scopes = [Scope("policy", policy.desk, counters.desk)]
    account = policy.accounts.get(proposed.account)
    if account is not None:
        scopes.append(Scope(f"policy.account.{proposed.account}", account, counters.account))
    symbol = policy.symbols.get(proposed.symbol)
    if symbol is not None:
        scopes.append(Scope(f'policy.symbol."{proposed.symbol}"', symbol, counters.symbol))
    return tuple(scopes)


def each_stated(
    rule: Rule, scopes: tuple[Scope, ...], judge: Callable[[Scope, Any], Ruling], *, silence: Ruling
) -> Iterator[Ruling]:
    """A ruling for every scope that states the limit, or `silence` where none does."""
    stated = [scope for scope in scopes if scope.states(rule) is not None]
    yield from (judge(scope, scope.states(rule)) for scope in stated)
    if not stated:
        yield silence


def silent(rule: Rule, scopes: tuple[Scope, ...]) -> Ruling:
    """No scope states the limit: what nobody states allows nothing."""
    names = " and ".join(scope.name for scope in scopes)
    state = "states" if len(scopes) == 1 else "state"
    return Ruling(
        rule=rule,
        scope="policy",
        verdict=RuleVerdict.DENY,
        sentence=ascii_text(f"{names} {state} no {rule}, and what is not stated allows nothing.", 400),
    )


def not_concerned(rule: Rule, why: str) -> Ruling:
    """The rule says nothing about such a write."""
    return Ruling(rule=rule, scope="policy", verdict=RuleVerdict.NOT_CONCERNED, sentence=why)


def ruled(*, allows: bool) -> RuleVerdict:
    """The verdict of a comparison."""
    return RuleVerdict.ALLOW if allows else RuleVerdict.DENY
