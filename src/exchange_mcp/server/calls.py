"""One tool call, from its name and arguments to its envelope, whatever happens on the way.

Nothing here knows MCP. Every failure becomes an error of the model; no exception's text reaches a client
unless this product wrote it.
"""

import difflib
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
    ExchangeMcpError,
    InternalError,
    InvalidArgumentError,
    RefusedByDesignError,
    UnknownToolError,
)
from exchange_mcp.model.ports import Clock, ReadVenue
from exchange_mcp.model.venue_text import visible
from exchange_mcp.tools.answers import Envelope
from exchange_mcp.tools.handed import Handed, LocalHanded, ReadHanded
from exchange_mcp.tools.refused import refused

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from exchange_mcp.tools.registry import Registry
    from exchange_mcp.tools.spec import Arguments, ToolSpec

_log = get_logger(__name__)

_EVERY = ""
"""Whose turn a call takes that asks every account."""

_MOST_FAULTS = 12


class Venues(Protocol):
    """Where the venues come from; they may not be ready yet."""

    async def ready(self) -> Mapping[str, ReadVenue]:
        """Every configured account's venue, by account name, once they can be asked."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a call may take (seconds), how many run at once for one account, and how many may wait for a turn."""

    deadline_seconds: float
    concurrent: int
    waiting: int


class Calls:
    """Answers tool calls by name, each within its deadline, a bounded number at once."""

    def __init__(
        self, registry: "Registry", accounts: Sequence[Account], venues: Venues, clock: Clock, limits: Limits
    ) -> None:
        self._registry = registry
        self._accounts = tuple(accounts)
        self._venues = venues
        self._clock = clock
        self._limits = limits
        # Turns are counted an account, so that one whose venue hangs delays nobody who asks another.
        self._turns = {
            name: anyio.Semaphore(limits.concurrent) for name in (_EVERY, *(a.name for a in accounts))
        }
        self._waiting = 0

    async def call(self, name: str, arguments: Mapping[str, Any] | None, caller: Caller) -> Envelope:
        """The answer to one call. It raises nothing but cancellation."""
        started = self._clock.monotonic()
        try:
            envelope = Envelope(data=await self._data(name, arguments or {}, caller))
        except ExchangeMcpError as error:
            envelope = Envelope.failed(error)
        except Exception:  # noqa: BLE001 - a call always gets an answer; the log has the reason
            _log.exception("a tool failed unexpectedly", tool=visible(name, 48), caller=caller.name)
            envelope = Envelope.failed(
                InternalError(f"{visible(name, 48)}: an unexpected fault of the server")
            )
        report = _log.debug if envelope.error is None else _log.info
        report(
            "tool call",
            tool=visible(name, 48),
            caller=caller.name,
            ms=round((self._clock.monotonic() - started) * 1000, 1),
            error=None if envelope.error is None else envelope.error.code.value,
        )
        return envelope

    async def _data(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Any:  # noqa: ANN401 - a Record
        spec = self._spec(name)
        valid = validated(spec, arguments)
        seconds = spec.deadline_seconds or self._limits.deadline_seconds
        deadline = self._clock.monotonic() + seconds
        with anyio.move_on_after(seconds):
            handed = await self._handed(spec, caller, deadline)
            if spec.effect is Effect.LOCAL:
                return await spec.handler(valid, handed)
            async with self._turn(str(getattr(valid, "account", None) or _EVERY)):
                return await spec.handler(valid, handed)
        raise DeadlineError(f"{name}: no answer within {seconds:g} s")

    def _spec(self, name: str) -> "ToolSpec":
        spec = self._registry.get(name)
        if spec is not None:
            return spec
        shown = visible(name, 48)
        family = refused(name)
        if family is not None:
            raise RefusedByDesignError(f"{shown}: refused by design. {family.reason}")
        raise UnknownToolError(
            f"there is no tool {shown!r}{_nearest(name, [s.name for s in self._registry])}"
        )

    @asynccontextmanager
    async def _turn(self, account: str) -> "AsyncGenerator[None]":
        turns = self._turns.get(account, self._turns[_EVERY])
        if self._waiting >= self._limits.waiting:
            raise BusyError(f"{self._limits.concurrent} calls are running and {self._waiting} are waiting")
        self._waiting += 1
        try:
            await turns.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            turns.release()

    async def _handed(self, spec: "ToolSpec", caller: Caller, deadline: float) -> Handed:
        """Exactly what the effect entitles to: this is where an annotation becomes a capability."""
        if spec.effect is Effect.READ:
            return ReadHanded(venues=await self._venues.ready(), clock=self._clock, deadline=deadline)
        return LocalHanded(accounts=self._accounts, registry=self._registry, caller=caller)


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
