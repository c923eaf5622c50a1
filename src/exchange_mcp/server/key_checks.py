"""What may the keys of these accounts do? Each venue is asked once, and what it says is judged for a role."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

import anyio

from exchange_mcp.model.accounts import Account, Environment
from exchange_mcp.model.errors import (
    AuthenticationFailedError,
    ExchangeMcpError,
    PermissionMissingError,
    VenueRefusedError,
)
from exchange_mcp.model.ports import Clock
from exchange_mcp.model.scopes import KeyScope, KeyVerdict, Role
from exchange_mcp.rules.key_verdicts import judge
from exchange_mcp.server.assembly import Keyed, opening


class Answer(StrEnum):
    """How a venue took the question: it told, it refused the key or the question, or nothing came."""

    TOLD = "told"
    REFUSED = "refused"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Checked:
    """One account's key: what its venue said, and what follows. A keyless account has neither."""

    account: Account
    scope: KeyScope | None = None
    verdict: KeyVerdict | None = None
    answer: Answer = Answer.TOLD

    @property
    def is_in_order(self) -> bool:
        """Whether there is nothing to object to: no key, or one that is accepted and, if live, was told of."""
        if self.verdict is None:
            return True
        return self.verdict.accepted and (
            self.answer is not Answer.SILENT or self.account.environment is not Environment.LIVE
        )


async def check_keys(
    accounts: Sequence[Keyed], *, role: Role, clock: Clock, accepted: Collection[str] = ()
) -> tuple[Checked, ...]:
    """Ask about every account's key at the same time; in the order given.

    `accepted` holds the digests of what the operator accepted that another ccxt does.
    """
    found: dict[int, Checked] = {}

    async def check(at: int, account: Keyed) -> None:
        found[at] = await check_key(account, role=role, clock=clock, accepted=accepted)

    async with anyio.create_task_group() as group:
        for at, account in enumerate(accounts):
            group.start_soon(check, at, account)
    return tuple(found[at] for at in range(len(accounts)))


async def check_key(  # noqa: PLR0913 - what an answer depends on
    account: Keyed,
    *,
    role: Role,
    clock: Clock,
    accepted: Collection[str] = (),
    may_transfer: bool = False,
    asks_whose: bool = False,
) -> Checked:
    """Ask about one account's key. What the venue refuses is a refusal; where it says nothing, all is unknown.

    `may_transfer` says that the desk's operator accepted by name a key that moves money between the own wallets.
    `asks_whose`: whether whose the key is is asked too, where the venue tells that elsewhere.
    """
    from exchange_mcp.venue.key_question import ask_once  # noqa: PLC0415 - imports ccxt, which takes half a second

    about, asking = account.config.account, opening(account)
    if asking.key is None:
        return Checked(about)

    def verdict(scope: KeyScope) -> KeyVerdict:
        return judge(
            scope,
            role=role,
            environment=about.environment,
            now_ms=clock.now_ms(),
            accepted_unknown=account.config.accept_unverified,
            may_transfer=may_transfer,
        )

    try:
        scope = await ask_once(asking, asking.key, clock, accepted=accepted, asks_whose=asks_whose)
    except (AuthenticationFailedError, PermissionMissingError, VenueRefusedError) as error:
        unknown = KeyScope.unknown(about.venue, error.message)
        refused = KeyVerdict(
            role=role,
            accepted=False,
            reasons=(error.message,),
            remedy=error.next_step,
            warnings=(),
            verified=False,
        )
        return Checked(about, unknown, refused, Answer.REFUSED)
    except ExchangeMcpError as error:
        unknown = KeyScope.unknown(about.venue, error.message)
        return Checked(about, unknown, verdict(unknown), Answer.SILENT)
    return Checked(about, scope, verdict(scope))
