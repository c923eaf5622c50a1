"""One accepted configuration at work: the venues of its accounts, its limits, and the engine over them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import anyio
import anyio.to_thread

from exchange_mcp.config.logs import get_logger
from exchange_mcp.desk.engine import Engine
from exchange_mcp.desk.journal import Journal, Note
from exchange_mcp.desk.offices.agreement import HeldAccount
from exchange_mcp.desk.offices.floor import Trading
from exchange_mcp.desk.settings import DeskAccount, DeskSettings
from exchange_mcp.desk.trading.limits import PolicyLimits
from exchange_mcp.desk.trading.opening import desk_venues
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.errors import ExchangeMcpError, JournalError, WritesClosedError
from exchange_mcp.model.ports import Clock, Entropy
from exchange_mcp.model.scopes import Ability, KeyScope
from exchange_mcp.model.trading import TradingVenue
from exchange_mcp.venue.verdict import judge

if TYPE_CHECKING:
    from exchange_mcp.venue.opening import Opening
    from exchange_mcp.venue.trading.opening import OpenTrading

_log = get_logger(__name__)

# How often at least a key's watch is asked what it knows.
_LOOK_SECONDS: Final = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A configuration that was read, with the secrets that it refers to; nothing was sent.

    Attributes:
        key_ids: by account, a hash of its key; an account whose key could not be had is in `unopened`, with the reason.
        openings: what it takes to open these accounts; imports ccxt, so that it is called in a thread.
        accepted_egress: digests of what the operator accepted that another ccxt does.
    """

    settings: DeskSettings
    key_ids: Mapping[AccountName, str]
    openings: "Callable[[Collection[AccountName]], Sequence[Opening]]"
    unopened: Mapping[AccountName, str]
    accepted_egress: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What every configuration of one desk stands on."""

    journal: Journal
    clock: Clock
    entropy: Entropy
    cache: Path


class Term:
    """A configuration, from its opening to its end."""

    def __init__(
        self, loaded: Loaded, ground: Ground, opened: "OpenTrading", left_out: Mapping[AccountName, str]
    ) -> None:
        settings = loaded.settings
        self._settings = settings
        self._journal = ground.journal
        self._clock = ground.clock
        self._opened = opened
        self._running = anyio.CancelScope()
        self._is_over = False
        self._keys: dict[str, str] = {}
        self._limits = PolicyLimits(settings.policy)
        self.unopened = {**{AccountName(name): why for name, why in opened.closed.items()}, **left_out}
        self.engine = Engine(
            journal=ground.journal,
            venues=desk_venues(opened.trading.values(), self._limits, ground.clock),
            limits=self._limits,
            judge=judge,
            clock=ground.clock,
            entropy=ground.entropy,
            expires_ms=settings.expires_ms,
            unopened=self.unopened,
        )

    @property
    def policy_digest(self) -> str:
        """Of the policy in force, in hex."""
        return self._limits.digest

    def trading(self) -> Trading:
        """What the office is handed."""
        return Trading(
            engine=self.engine,
            limits=self._limits,
            policy_text=self._limits.policy.canonical,
            accounts={each.config.account.name: self._held(each) for each in self._settings.accounts},
        )

    def start(self) -> None:
        """Take up what the last run left; `run` has to follow.

        Raises:
            JournalError: the journal takes no record.
        """
        self.engine.start()

    async def run(self) -> None:
        """Keep the venues, until `end`."""
        if self._is_over:
            return
        with self._running:
            async with anyio.create_task_group() as group:
                for venue in self._opened.trading.values():
                    group.start_soon(self._watch_key, venue)
                await self._opened.run()

    async def end(self, reason: str) -> None:
        """Take nothing more, wait for what was being sent, and close every connection."""
        self._is_over = True
        with anyio.CancelScope(shield=True):
            await self.engine.stop(reason)
            self._running.cancel()
            await self._opened.close()

    def _held(self, account: DeskAccount) -> HeldAccount:
        name = account.config.account.name
        venue = self._opened.trading.get(name)
        return HeldAccount(
            account=account.config.account,
            reading=_Unopened(self.unopened.get(name, "")) if venue is None else venue.reading,
            account_id=(lambda: None) if venue is None else venue.account_id,
            key=lambda: self._keys.get(name, "not told yet" if venue is not None else "not asked"),
            accept_unmatched=account.accept_unmatched,
        )

    async def _watch_key(self, venue: TradingVenue) -> None:
        """Keep in words what the key may do, and in the journal whenever that is something else than before."""
        account, every = venue.account.name, self._settings.keys.check_seconds
        before: dict[str, object] | None = None
        while True:
            try:
                scope = await venue.key_scope(oldest_ms=self._clock.now_ms() - int(every * 1000))
            except ExchangeMcpError as error:
                self._keys[account] = f"{error.message} {error.next_step}"
                told: dict[str, object] = {"account": account, "key_id": venue.key_id, "code": error.code}
            else:
                self._keys[account] = _words(scope)
                told = {"account": account, "key_id": venue.key_id, **_abilities(scope)}
            if told != before and self._is_kept(told):
                _log.info("what a key may do", account=account, key=self._keys[account])
                before = told
            await anyio.sleep(min(every, _LOOK_SECONDS))

    def _is_kept(self, told: Mapping[str, object]) -> bool:
        """Whether the journal took it; where it does not, it is told again with the next look."""
        try:
            self._journal.record(Note.KEY_SCOPE, told)
        except JournalError as error:
            _log.warning("what a key may do is not recorded", account=told["account"], error=error.message)
            return False
        return True


async def opened(loaded: Loaded, ground: Ground, *, unopened: Mapping[AccountName, str]) -> Term:
    """An accepted configuration, its venues opened; `unopened` are accounts that are left out, each with the reason.

    Opening asks nobody anything, so that a venue that is down keeps only its own account closed.
    """
    left_out = {**loaded.unopened, **unopened}
    settings = loaded.settings
    names = [each.config.account.name for each in settings.accounts]

    def open_venues() -> "OpenTrading":
        from exchange_mcp.venue.key_watch import Pace  # noqa: PLC0415 - imports ccxt
        from exchange_mcp.venue.keys import KeyCare  # noqa: PLC0415 - as above
        from exchange_mcp.venue.trading.opening import OpenTrading  # noqa: PLC0415 - as above

        return OpenTrading(
            loaded.openings([name for name in names if name not in left_out]),
            settings.cache_directory or ground.cache,
            ground.clock,
            accepted=loaded.accepted_egress,
            care=KeyCare(
                Pace(every=settings.keys.check_seconds, grace=settings.keys.grace_seconds), asks_whose=True
            ),
        )

    return Term(loaded, ground, await anyio.to_thread.run_sync(open_venues), left_out)


class _Unopened:
    """The reading side of an account that has no venue."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def open_orders(self, symbol: str | None) -> NoReturn:  # noqa: ARG002 - the port's signature
        """Nothing can be read.

        Raises:
            WritesClosedError: always; says why.
        """
        raise WritesClosedError(self._reason)


def _abilities(scope: KeyScope) -> dict[str, str]:
    return {ability.value: scope.may(ability).value for ability in Ability}


def _words(scope: KeyScope) -> str:
    return ", ".join(f"{ability} {told}" for ability, told in _abilities(scope).items())
