"""One tool call, from its name and arguments to its envelope, whatever happens on the way.

Nothing here knows MCP. Every failure becomes an error of the model; no exception's text reaches a client
unless this product wrote it.
"""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import anyio
from pydantic import ValidationError

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.accounts import Account
from exchange_mcp.model.callers import Caller
from exchange_mcp.model.effects import Effect
from exchange_mcp.model.errors import (
    BusyError,
    DeadlineError,
    DeskError,
    ErrorCode,
    ExchangeMcpError,
    InternalError,
    InvalidArgumentError,
    RefusedByDesignError,
    ScopeMissingError,
    UnknownToolError,
)
from exchange_mcp.model.ports import Clock, ReadVenue
from exchange_mcp.model.venue_text import visible
from exchange_mcp.tools.answers import Envelope
from exchange_mcp.tools.handed import (
    Handed,
    IntentHanded,
    LocalHanded,
    Progress,
    ReadHanded,
    RetractHanded,
    WriteHanded,
)
from exchange_mcp.tools.refused import refused

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from exchange_mcp.link.messages import AccountIdentity
    from exchange_mcp.server.desk_side import DeskSide
    from exchange_mcp.tools.registry import Registry
    from exchange_mcp.tools.spec import Arguments, ToolSpec

_log = get_logger(__name__)

_EVERY = ""
"""Whose turn a call takes that asks every account."""

_AT_THE_DESK = "(desk)"
"""Whose turn a call takes that proposes: no account's, so that a wait for the desk delays no read of an account."""

_MOST_FAULTS = 12


class Venues(Protocol):
    """Where the venues come from; they may not be ready yet."""

    async def ready(self) -> Mapping[str, ReadVenue]:
        """Every configured account's venue, by account name, once they can be asked."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a call takes at most (seconds); of one client, how many run at once for an account, how many wait."""

    deadline_seconds: float
    concurrent: int
    waiting: int


@dataclass(slots=True)
class _Turns:
    """The turns of one client at one account, and how many calls have to do with them."""

    semaphore: anyio.Semaphore
    users: int = 0


async def _untold(_seconds: float, _of: float, _what: str) -> None:
    """Progress that nobody asked for."""


class Calls:
    """Answers tool calls by name, each within its deadline, a bounded number at once.

    `desk` is there where the configuration names one.
    """

    def __init__(  # noqa: PLR0913 - its ports
        self,
        registry: "Registry",
        accounts: Sequence[Account],
        venues: Venues,
        clock: Clock,
        limits: Limits,
        *,
        desk: "DeskSide | None" = None,
    ) -> None:
        self._desk = desk
        self._registry = registry
        self._accounts = tuple(accounts)
        self._venues = venues
        self._clock = clock
        self._limits = limits
        self._names = frozenset(account.name for account in accounts)
        # Turns are counted a client and an account, so that a client with many calls, or an account whose venue
        # hangs, delays nobody else.
        self._turns: dict[tuple[str, str], _Turns] = {}
        self._waiting: Counter[str] = Counter()
        self._running = 0
        self._idle = anyio.Event()

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None,
        caller: Caller,
        progress: Progress = _untold,
    ) -> Envelope:
        """The answer to one call. It raises nothing but cancellation."""
        self._running += 1
        try:
            return await self._answer(name, arguments, caller, progress)
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()
                self._idle = anyio.Event()

    async def finished(self) -> None:
        """Wait until no call is under way."""
        while self._running:
            await self._idle.wait()

    async def _answer(
        self, name: str, arguments: Mapping[str, Any] | None, caller: Caller, progress: Progress
    ) -> Envelope:
        started = self._clock.monotonic()
        try:
            envelope = Envelope(data=await self._data(name, arguments or {}, caller, progress))
        except ExchangeMcpError as error:
            envelope = Envelope.failed(error)
        except Exception:  # noqa: BLE001 - a call always gets an answer; the log has the reason
            _log.exception("a tool failed unexpectedly", tool=visible(name, 48))
            envelope = Envelope.failed(
                InternalError(f"{visible(name, 48)}: an unexpected fault of the server")
            )
        report = _log.debug if envelope.error is None else _log.info
        report(
            "tool call",
            tool=visible(name, 48),
            ms=round((self._clock.monotonic() - started) * 1000, 1),
            error=None if envelope.error is None else envelope.error.code.value,
        )
        return envelope

    async def _data(self, name: str, arguments: Mapping[str, Any], caller: Caller, progress: Progress) -> Any:  # noqa: ANN401 - a Record
        spec = self._spec(name, caller)
        valid = validated(spec, arguments)
        seconds = spec.deadline_seconds or self._limits.deadline_seconds
        deadline = self._clock.monotonic() + seconds
        with anyio.move_on_after(seconds):
            handed = await self._handed(spec, caller, deadline, progress)
            if spec.effect is Effect.LOCAL:
                return await spec.handler(valid, handed)
            account = str(getattr(valid, "account", None) or _EVERY)
            async with self._turn(caller, account if spec.effect is Effect.READ else _AT_THE_DESK):
                return await spec.handler(valid, handed)
        raise DeadlineError(f"{name}: no answer within {seconds:g} s")

    def _spec(self, name: str, caller: Caller) -> "ToolSpec":
        spec = self._registry.get(name)
        if spec is not None:
            if spec.scope not in caller.scopes:
                raise ScopeMissingError(
                    f"{spec.name}: client {caller.name} lacks the scope {spec.scope.value!r}"
                )
            return spec
        shown = visible(name, 48)
        family = refused(name)
        if family is not None:
            raise RefusedByDesignError(f"{shown}: refused by design. {family.reason}")
        raise UnknownToolError(
            f"there is no tool {shown!r}{_nearest(name, [s.name for s in self._registry.visible_to(caller)])}"
        )

    @asynccontextmanager
    async def _turn(self, caller: Caller, account: str) -> "AsyncGenerator[None]":
        key = (caller.name, account if account in self._names or account == _AT_THE_DESK else _EVERY)
        turns = self._turns.setdefault(key, _Turns(anyio.Semaphore(self._limits.concurrent)))
        turns.users += 1
        try:
            await self._own_turn(caller.name, turns.semaphore)
            try:
                yield
            finally:
                turns.semaphore.release()
        finally:
            turns.users -= 1
            if not turns.users:  # names of clients come and go
                del self._turns[key]

    async def _own_turn(self, client: str, turns: anyio.Semaphore) -> None:
        """Take a turn, or wait for one. Raises BusyError where as many wait as may."""
        try:
            turns.acquire_nowait()
        except anyio.WouldBlock:
            waiting = self._waiting[client]
            if waiting >= self._limits.waiting:
                raise BusyError(
                    f"{self._limits.concurrent} calls are running and {waiting} are waiting"
                ) from None
            self._waiting[client] += 1
            try:
                await turns.acquire()
            finally:
                self._waiting[client] -= 1
                self._waiting += Counter()  # drops the zeros

    async def _handed(self, spec: "ToolSpec", caller: Caller, deadline: float, progress: Progress) -> Handed:
        """Exactly what the effect entitles to: this is where an annotation becomes a capability."""
        if spec.effect is Effect.READ:
            return ReadHanded(
                venues=await self._venues.ready(), clock=self._clock, deadline=deadline, caller=caller
            )
        if spec.effect is Effect.WRITE:
            return self._to_propose(spec, caller, progress)
        if not spec.asks_desk:
            return LocalHanded(accounts=self._accounts, registry=self._registry, caller=caller)
        link = self._named_desk().link(caller)
        if spec.hints.read_only.value:
            return IntentHanded(read=link.read, clock=self._clock, caller=caller, progress=progress)
        return RetractHanded(retract=link.retract, caller=caller)

    def _to_propose(self, spec: "ToolSpec", caller: Caller, progress: Progress) -> WriteHanded:
        from exchange_mcp.tools.declarations import declaration_of, digest_of  # noqa: PLC0415 - where it is needed

        async def identity(account: str) -> "AccountIdentity":
            return await self._named_desk().identity(account)

        return WriteHanded(
            tool=spec.name,
            declaration=digest_of(declaration_of(spec)),
            desk=lambda: self._named_desk().link(caller),
            identity=identity,
            wait_seconds=0 if self._desk is None else self._desk.wait_seconds,
            clock=self._clock,
            caller=caller,
            progress=progress,
        )

    def _named_desk(self) -> "DeskSide":
        if self._desk is None:
            raise DeskError(
                ErrorCode.DESK_UNREACHABLE,
                "this server's configuration names no desk",
                hint="The operator names one in serve.toml, in a table [desk].",
            )
        return self._desk


def validated(spec: "ToolSpec", arguments: Mapping[str, Any]) -> "Arguments":
    """The arguments as the tool's own type.

    Raises:
        InvalidArgumentError: names every argument that is wrong and what would be right, never its value.
    """
    try:
        return spec.arguments.model_validate(dict(arguments))
    except ValidationError as error:
        raise InvalidArgumentError(what_is_wrong(error, list(spec.arguments.model_fields))) from None


def what_is_wrong(error: ValidationError, known: list[str], *, taker: str = "this tool") -> str:
    """Every argument that is wrong and what would be right, without its value and with nothing hidden in a name.

    Args:
        error: of the arguments' own type.
        known: the arguments that there are.
        taker: who takes them.
    """
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    sentences = dict.fromkeys(
        _sentence(fault["type"], fault["loc"], fault["msg"], known, taker) for fault in faults
    )
    told = list(sentences)[:_MOST_FAULTS]
    more = len(sentences) - len(told)
    return "; ".join([*told, f"and {more} more"] if more else told)


def _sentence(kind: str, location: tuple[int | str, ...], message: str, known: list[str], taker: str) -> str:
    name = visible(".".join(str(part) for part in location), 64)
    if kind == "extra_forbidden":
        takes = f"{taker} takes {', '.join(known)}" if known else f"{taker} takes no arguments"
        return f"{name}: unknown argument{_nearest(name, known)}; {takes}"
    if kind == "missing":
        return f"{name}: required"
    return f"{name}: {message.removeprefix('Value error, ').removeprefix('Input should be ')}"


def _nearest(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word.lower(), known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
