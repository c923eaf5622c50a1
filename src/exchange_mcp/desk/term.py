"""One configuration at work: the venues of its accounts, its limits, and the engine over them; opened and ended as one.

A configuration that nobody accepted works too, with no venue at all: then everything can be read and nothing proposed.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread

from exchange_mcp.config.logs import get_logger
from exchange_mcp.desk.engine import Engine
from exchange_mcp.desk.journal import Journal, Note
from exchange_mcp.desk.settings import DeskSettings
from exchange_mcp.desk.trading.limits import PolicyLimits
from exchange_mcp.desk.trading.opening import desk_venues
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.errors import ExchangeMcpError, JournalError
from exchange_mcp.model.ports import Clock, Entropy
from exchange_mcp.model.scopes import Ability
from exchange_mcp.model.trading import TradingVenue
from exchange_mcp.venue.verdict import judge

if TYPE_CHECKING:
    from exchange_mcp.venue.opening import Opening
    from exchange_mcp.venue.trading.opening import OpenTrading

_log = get_logger(__name__)

NOT_ACCEPTED: Final = "desk.toml is not the configuration that an approver accepted: exchange-mcp desk accept"


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
    """A configuration, from its opening to its end.

    Attributes:
        is_accepted: whether it may trade.
        engine: holds the accounts whose venues were opened; of the others it says why they are not.
    """

    def __init__(
        self,
        loaded: Loaded,
        ground: Ground,
        trading: "OpenTrading | None",
        unopened: Mapping[AccountName, str],
    ) -> None:
        self.settings = loaded.settings
        self.is_accepted = trading is not None
        self.limits = PolicyLimits(loaded.settings.policy)
        self._journal = ground.journal
        self._clock = ground.clock
        self._trading = trading
        self._running = anyio.CancelScope()
        opened = {} if trading is None else trading.trading
        self.venues: Mapping[str, TradingVenue] = opened
        self.engine = Engine(
            journal=ground.journal,
            venues=desk_venues(opened.values(), self.limits, ground.clock),
            limits=self.limits,
            judge=judge,
            clock=ground.clock,
            entropy=ground.entropy,
            expires_ms=loaded.settings.expires_ms,
            unopened={**({} if trading is None else _named(trading.closed)), **unopened},
        )

    async def run(self) -> None:
        """Take up what was left, and keep the venues, until `end`.

        Raises:
            JournalError: the journal takes no record.
        """
        self.engine.start()
        if self._trading is None:
            return
        with self._running:
            async with anyio.create_task_group() as group:
                for venue in self.venues.values():
                    group.start_soon(self._note_key, venue)
                await self._trading.run()

    async def end(self) -> None:
        """Take nothing more, wait for what was being sent, and close every connection."""
        with anyio.CancelScope(shield=True):
            await self.engine.stop()
            self._running.cancel()
            if self._trading is not None:
                await self._trading.close()

    async def _note_key(self, venue: TradingVenue) -> None:
        """Record once what the key may do, as soon as its venue says it."""
        account = venue.account.name
        try:
            scope = await venue.key_scope(oldest_ms=0)
            told = {ability.value: scope.may(ability).value for ability in Ability}
            self._journal.record(
                Note.KEY_SCOPE, {"account": account, "key_id": venue.key_id, "abilities": told}
            )
        except JournalError:
            raise
        except ExchangeMcpError as error:
            _log.warning("what a key may do is not known", account=account, reason=error.message)


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
            care=KeyCare(Pace(every=settings.keys.check_seconds, grace=settings.keys.grace_seconds)),
        )

    return Term(loaded, ground, await anyio.to_thread.run_sync(open_venues), left_out)


def shut(loaded: Loaded, ground: Ground) -> Term:
    """A configuration that nobody accepted: no venue of it is opened."""
    names = [each.config.account.name for each in loaded.settings.accounts]
    return Term(loaded, ground, None, dict.fromkeys(names, NOT_ACCEPTED))


def _named(closed: Mapping[str, str]) -> dict[AccountName, str]:
    return {AccountName(name): reason for name, reason in closed.items()}
