"""Asking a venue what a key may do, under the class of requests that is for this alone."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import anyio

from exchange_mcp.model.accounts import Account, Environment
from exchange_mcp.model.ports import Clock
from exchange_mcp.model.scopes import KeyScope, KeyVerdict, Role
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.key_verdicts import judge
from exchange_mcp.venue.egress import scoping
from exchange_mcp.venue.failures import meaning
from exchange_mcp.venue.key_watch import KeyWatch, Pace
from exchange_mcp.venue.masking import redactor_of
from exchange_mcp.venue.repeating import Sleep, repeated
from exchange_mcp.venue.scope import QUESTIONS, scope_of, without_question


def _within_a_tenth() -> float:
    return random.uniform(0.9, 1.1)  # noqa: S311 - spreads requests; nobody gains by guessing it


@dataclass(frozen=True, slots=True)
class KeyCare:
    """How keys are watched: how fast, by which factor each wait varies, and how waiting is done."""

    pace: Pace = field(default_factory=Pace)
    jitter: Callable[[], float] = _within_a_tenth
    sleep: Sleep = anyio.sleep


def watch(  # noqa: PLR0913 - what a watch is made of
    account: Account,
    client: Any,  # noqa: ANN401 - ccxt is untyped
    endpoints: frozenset[Endpoint],
    clock: Clock,
    care: KeyCare,
    *,
    role: Role = Role.SERVE,
    accept_unverified: str | None = None,
    may_transfer: bool = False,
) -> KeyWatch:
    """The watch over an account's key, for whoever uses it; `may_transfer` counts for the desk alone."""

    async def ask() -> KeyScope:
        return await repeated(
            lambda: scope_of_key(account, client, endpoints, clock.now_ms()), sleep=care.sleep
        )

    def verdict(scope: KeyScope) -> KeyVerdict:
        return judge(
            scope,
            role=role,
            environment=account.environment,
            now_ms=clock.now_ms(),
            accepted_unknown=accept_unverified,
            may_transfer=may_transfer,
        )

    return KeyWatch(
        account.name,
        ask=ask,
        judge=verdict,
        unanswered=lambda reason: KeyScope.unknown(account.venue, reason),
        clock=clock,
        pace=care.pace,
        jitter=care.jitter,
        sleep=care.sleep,
    )


async def scope_of_key(
    account: Account,
    client: Any,  # noqa: ANN401 - ccxt is untyped
    endpoints: frozenset[Endpoint],
    now_ms: int,
) -> KeyScope:
    """What the venue says of the client's key now.

    Raises:
        ExchangeMcpError: the venue does not answer, or refuses the question.
    """
    question = QUESTIONS.get(account.venue)
    if question is None:
        return without_question(account.venue)
    if account.environment is Environment.SANDBOX or not endpoints <= client.addresses.keys():
        return KeyScope.unknown(
            account.venue, "this environment of the venue does not tell what a key may do"
        )
    redactor = redactor_of(client)
    try:
        with scoping(endpoints):
            raw = await getattr(client, question.method)(dict(question.parameters))
    except Exception as error:
        raise meaning(error, account.venue, redactor) from error
    return scope_of(account.venue, raw, own_key=client.apiKey, asked=now_ms)
