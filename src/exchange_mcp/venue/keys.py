"""Asking a venue what a key may do, under the class of requests that is for this alone."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import anyio

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.accounts import Account, Environment
from exchange_mcp.model.errors import ExchangeMcpError
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
from exchange_mcp.venue.scope.question import AccountQuestion, ScopeQuestion

_log = get_logger(__name__)

_SECONDS_FOR_AN_ACCOUNT: Final = 5.0


def _within_a_tenth() -> float:
    return random.uniform(0.9, 1.1)  # noqa: S311 - spreads requests; nobody gains by guessing it


@dataclass(frozen=True, slots=True)
class KeyCare:
    """How keys are watched.

    Attributes:
        pace: how often. jitter: by which factor each wait varies. sleep: how waiting is done.
        asks_whose: whether a venue that does not tell with the key's scope whose it is is asked that too, once; for
            whoever compares accounts with somebody else.
    """

    pace: Pace = field(default_factory=Pace)
    jitter: Callable[[], float] = _within_a_tenth
    sleep: Sleep = anyio.sleep
    asks_whose: bool = False


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
    # A key never changes hands: whose it is is asked until it was told, and not again.
    told: str | None = None

    async def ask() -> KeyScope:
        nonlocal told
        scope = await repeated(
            lambda: scope_of_key(account, client, endpoints, clock.now_ms()), sleep=care.sleep
        )
        if care.asks_whose:
            scope = await with_account(scope, client, endpoints, told=told)
            told = scope.account_id
        return scope

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
    if account.environment is Environment.SANDBOX or question.endpoint not in client.addresses:
        return KeyScope.unknown(
            account.venue, "this environment of the venue does not tell what a key may do"
        )
    raw = await _asked(question, account.venue, client, endpoints)
    return scope_of(account.venue, raw, own_key=client.apiKey, asked=now_ms)


async def with_account(
    scope: KeyScope,
    client: Any,  # noqa: ANN401 - ccxt is untyped
    endpoints: frozenset[Endpoint],
    *,
    told: str | None = None,
) -> KeyScope:
    """The scope with the venue's own id of the account, where another question tells that; `told`: it was before.

    Whose a key is decides nothing about what it may do: where that has no answer, it is not known, and that is all.
    """
    question = QUESTIONS.get(scope.venue)
    whose = None if question is None else question.account
    if scope.account_id is not None or scope.asked is None or whose is None:
        return scope
    if told is None and whose.endpoint in client.addresses:
        with anyio.move_on_after(_SECONDS_FOR_AN_ACCOUNT):
            try:
                told = whose.parse(await _asked(whose, scope.venue, client, endpoints))
            except ExchangeMcpError as error:
                _log.info("whose a key is was not told", venue=scope.venue, reason=error.message)
    return scope.model_copy(update={"account_id": told})


async def _asked(
    question: ScopeQuestion | AccountQuestion,
    venue: str,
    client: Any,  # noqa: ANN401 - ccxt is untyped
    endpoints: frozenset[Endpoint],
) -> object:
    """The raw answer. Raises ExchangeMcpError: there is none."""
    redactor = redactor_of(client)
    try:
        with scoping(endpoints):
            return await getattr(client, question.method)(dict(question.parameters))
    except Exception as error:
        raise meaning(error, venue, redactor) from error
