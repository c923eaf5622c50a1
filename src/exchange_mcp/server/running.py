"""What serves at the moment, and how another configuration takes its place: all of it, or nothing.

A reload reads the configuration, resolves its secrets and opens its venues beside those that are in use. Only when all
of that worked are calls answered by the new ones; the old ones answer what they were asked, and are closed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio

from exchange_mcp.config.faults import ConfigError, Fault
from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.errors import ExchangeMcpError
from exchange_mcp.server.aside import aside
from exchange_mcp.server.assembly import Keyed, LateVenues
from exchange_mcp.server.calls import Calls, Limits
from exchange_mcp.server.offered import Offered
from exchange_mcp.tools.registry import Registry

if TYPE_CHECKING:
    from exchange_mcp.config.desk_link import DeskAccess
    from exchange_mcp.config.serve import ServeConfig
    from exchange_mcp.model.ports import Clock, Entropy, ReadVenue
    from exchange_mcp.server.desk_side import DeskSide
    from exchange_mcp.server.news import News

_log = get_logger(__name__)

# Calls that the old venues were asked may take their own deadline; this is beyond the longest one.
_LONGEST_CALL_SECONDS: Final = 125
# `exchange-mcp reload` waits longer than this for an answer.
_LONGEST_LOAD_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration that was read, with the secrets that it refers to; nothing was sent."""

    config: "ServeConfig"
    accounts: tuple[Keyed, ...]
    accepted: frozenset[str]
    desk: "DeskAccess | None" = None


@dataclass(frozen=True, slots=True)
class Reloaded:
    """How a reload ended: with what is wrong, and then nothing changed; or whether the list of tools did."""

    faults: tuple[str, ...] = ()
    tools_changed: bool = False


class Running:
    """The configuration in use, its venues, and what is offered by them.

    Args:
        first: what serving begins with.
        load: reads the configuration again; raises ConfigError. Called in a thread, and may wait.
        cache: where market metadata is kept, where the configuration does not say.
        clock: where time comes from.
        news: who is told when the list of tools changed.
        tools: the tools of a configuration.
        apply: called with a configuration that takes over, for what is not ours; raises ConfigError or OSError, and
            then nothing changes.
        entropy: where the ids of proposals come from.
        load_seconds: how long `load` may take.
    """

    def __init__(  # noqa: PLR0913 - its ports
        self,
        first: Loaded,
        load: Callable[[], Loaded],
        cache: Path,
        clock: "Clock",
        news: "News",
        *,
        tools: "Callable[[ServeConfig], Registry]",
        apply: "Callable[[ServeConfig], None]",
        entropy: "Entropy",
        load_seconds: float = _LONGEST_LOAD_SECONDS,
    ) -> None:
        self._load_seconds = load_seconds
        self._load = load
        self._entropy = entropy
        self._cache = cache
        self._clock = clock
        self._news = news
        self._tools = tools
        self._apply = apply
        self._reloading = anyio.Lock()
        self._kept: dict[LateVenues, anyio.CancelScope] = {}
        self.config = first.config
        self._venues = self._venues_of(first)
        self._desk = self._desk_of(first, self._venues)
        registry = tools(first.config)
        self.offered = Offered(registry, self._calls_of(first, self._venues, registry, self._desk))

    def opened(self) -> "Mapping[str, ReadVenue] | None":
        """The accounts' venues, once they can be asked."""
        return self._venues.opened()

    async def run(self) -> None:
        """Keep the venues in use, until cancelled."""
        async with anyio.create_task_group() as group:
            self._group = group
            group.start_soon(self._keep, self._venues)
            await anyio.sleep_forever()

    async def close(self) -> None:
        """Answer nobody any more."""
        await self._venues.close()
        if self._desk is not None:
            await self._desk.close()

    async def reload(self) -> Reloaded:
        """Read the configuration again and let it take over, or say what is wrong with it."""
        async with self._reloading:
            try:
                changed = await self._replace()
            except ConfigError as error:
                faults: Sequence[str] = [str(fault) for fault in error.faults]
            except (ExchangeMcpError, OSError) as error:
                faults = [str(error)]
            else:
                _log.info("the configuration was reloaded", tools_changed=changed)
                return Reloaded(tools_changed=changed)
            _log.error("the configuration cannot be used; the one before stays in use", faults=faults)
            return Reloaded(tuple(faults))

    async def _replace(self) -> bool:
        try:
            loaded = await aside(self._load, seconds=self._load_seconds)
        except TimeoutError:
            slow = (
                f"it could not be read, with the secrets that it refers to, within {self._load_seconds:g} s"
            )
            raise ConfigError([Fault(None, None, "", slow)]) from None
        require_same_listening(self.config, loaded.config)
        registry = self._tools(loaded.config)
        venues = self._venues_of(loaded)
        self._group.start_soon(self._keep, venues)
        try:
            await venues.ready()
            self._apply(loaded.config)
        except BaseException:
            await self._drop(venues)
            raise
        desk = self._desk_of(loaded, venues)
        old_calls, old_venues, old_desk = self.offered.calls, self._venues, self._desk
        changed = self.offered.replace(registry, self._calls_of(loaded, venues, registry, desk))
        self.config, self._venues, self._desk = loaded.config, venues, desk
        self._group.start_soon(self._retire, old_calls, old_venues, old_desk)
        if changed:
            await self._news.tools_changed()
        return changed

    async def _keep(self, venues: LateVenues) -> None:
        with anyio.CancelScope() as kept:
            self._kept[venues] = kept
            await venues.run()

    async def _drop(self, venues: LateVenues) -> None:
        with anyio.CancelScope(shield=True):
            await venues.close()
        kept = self._kept.pop(venues, None)
        if kept is not None:
            kept.cancel()

    async def _retire(self, calls: Calls, venues: LateVenues, desk: "DeskSide | None") -> None:
        """Close venues that are asked nothing new, once they have answered what they were asked."""
        with anyio.move_on_after(_LONGEST_CALL_SECONDS):
            await calls.finished()
        await self._drop(venues)
        if desk is not None:
            await desk.close()

    def _desk_of(self, loaded: Loaded, venues: LateVenues) -> "DeskSide | None":
        if loaded.desk is None:
            return None
        from exchange_mcp.server.desk_side import DeskSide  # noqa: PLC0415 - a server without a desk starts without it

        accounts = [each.config.account for each in loaded.accounts]
        return DeskSide(loaded.desk, accounts, venues, entropy=self._entropy, clock=self._clock)

    def _venues_of(self, loaded: Loaded) -> LateVenues:
        return LateVenues(
            loaded.accounts,
            loaded.config.cache_directory or self._cache,
            self._clock,
            accepted=loaded.accepted,
            check_seconds=loaded.config.keys.check_seconds,
            grace_seconds=loaded.config.keys.grace_seconds,
            asks_whose=loaded.desk is not None,
        )

    def _calls_of(
        self, loaded: Loaded, venues: LateVenues, registry: Registry, desk: "DeskSide | None"
    ) -> Calls:
        limits = loaded.config.limits
        return Calls(
            registry,
            [each.config.account for each in loaded.accounts],
            venues,
            self._clock,
            Limits(limits.deadline_seconds, limits.max_concurrent_calls, limits.max_pending_calls),
            desk=desk,
        )


def require_same_listening(before: "ServeConfig", after: "ServeConfig") -> None:
    """Raise ConfigError where [http] differs: where it listens and whom it lets in is decided at start."""
    if before.http != after.http:
        raise ConfigError(
            [Fault(None, None, "http", "[http] changes with a restart only; set it back, or restart serve")]
        )
