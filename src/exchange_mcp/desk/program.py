"""The desk as a process: what it holds, what it serves, which configuration is at work, and how it ends.

It starts on nothing that another desk holds. A configuration that no approver accepted opens no venue; it opens without
a restart as soon as one did. At the end no send is cut: what was claimed gets its outcome first.
"""

import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import anyio
import anyio.to_thread
from anyio.abc import TaskStatus

from exchange_mcp import __version__
from exchange_mcp.config.faults import ConfigError
from exchange_mcp.config.logs import get_logger
from exchange_mcp.desk.approvers import verifiers
from exchange_mcp.desk.apps.operator import operator_app
from exchange_mcp.desk.apps.proposals import proposal_app
from exchange_mcp.desk.apps.serving import Serving
from exchange_mcp.desk.configuration import ConfigurationFile, TakenKinds
from exchange_mcp.desk.console.app import console_app
from exchange_mcp.desk.console.listening import console_sockets
from exchange_mcp.desk.journal import Note
from exchange_mcp.desk.key_locks import KeyLocks
from exchange_mcp.desk.offices.floor import Floor, Profile
from exchange_mcp.desk.offices.operations import Operations
from exchange_mcp.desk.offices.proposals import Proposals
from exchange_mcp.desk.offices.tools import ACTIONS, OfferedTool
from exchange_mcp.desk.passkeys import Passkeys
from exchange_mcp.desk.settings import DeskSettings
from exchange_mcp.desk.sockets import bind_operator, bind_proposals
from exchange_mcp.desk.term import Ground, Loaded, Term, opened
from exchange_mcp.model.errors import ExchangeMcpError, JournalError
from exchange_mcp.tools.declarations import declaration_of, widened
from exchange_mcp.tools.registry import Registry
from exchange_mcp.tools.risk import risk_of

_log = get_logger(__name__)

NOT_ACCEPTED: Final = "desk.toml is not the configuration that an approver accepted: exchange-mcp desk accept"
_STOPPING: Final = "The desk is being shut down."
_STARTS: Final = "is starting: it opens its accounts"
_SERVES: Final = "serves"
_ENDS: Final = "is stopping: what is being sent gets its outcome first"
_UNRECORDED: Final = "The journal took no record ({}); mend that, and restart the desk."
_HELD: Final = "its key is held by another desk of this user ({})"


class Obey(Protocol):
    """Calls these on the process's signals, until cancelled; `stop` gets the signal's name."""

    async def __call__(
        self,
        stop: Callable[[str], Awaitable[None]],
        reload: Callable[[], Coroutine[Any, Any, None]],
        *,
        task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Obey."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What the process is handed.

    Attributes:
        file: the `desk.toml`. judge: the settings that a text of it is; raises ConfigError.
        load: reads the configuration and its secrets again; raises ConfigError. Called in a thread, and may wait.
        apply: called with every configuration that was read without a fault, for what is not ours: logs.
        runtime: where the locks of this user's keys lie.
        obey: the signals.
        say: tells a person, a line at a time.
        tools: every tool of this release.
    """

    file: Path
    judge: Callable[[str], DeskSettings]
    load: Callable[[], Loaded]
    apply: Callable[[DeskSettings], None]
    runtime: Path
    obey: Obey
    say: Callable[[str], None]
    tools: Registry


class Program:
    """One desk's process, over a journal that is open.

    Making one binds what is served on and takes the locks of its keys; `close` gives all of it back.

    Raises:
        SocketError: a socket cannot be bound. LockHeldError: another desk holds a key.
        OSError: the console's port is taken.
    """

    def __init__(self, first: Loaded, ground: Ground, around: Around) -> None:
        self._ground = ground
        self._around = around
        self._loaded = first
        self._stopping = anyio.Event()
        self._changing = anyio.Lock()
        self._locks = KeyLocks(around.runtime)
        self._held = ExitStack()
        self._term: Term | None = None
        try:
            self._held.callback(self._locks.keep, ())
            self._hold(first)
            self._bind(first.settings)
        except BaseException:
            self.close()
            raise

    def _hold(self, first: Loaded) -> None:
        refused = self._locks.hold(first.key_ids.values())
        if refused:
            raise next(iter(refused.values()))

    def _bind(self, settings: DeskSettings) -> None:
        self._operator = operator = bind_operator(settings.operator_socket)
        self._held.callback(operator.close)
        operator.tell(_STARTS)
        proposals = bind_proposals(settings.proposal_socket, settings.proposal_group)
        self._held.callback(proposals.close)
        pages = console_sockets(settings.console_port)
        for each in pages:
            self._held.callback(each.close)
        port: int = pages[0].getsockname()[1]
        clock, entropy = self._ground.clock, self._ground.entropy
        self._floor = self._floored(settings, port)
        operations = Operations(self._floor)
        console = console_app(
            operations,
            port=port,
            type_above=lambda: self._loaded.settings.type_above,
            clock=clock,
            entropy=entropy,
        )
        at_proposals = proposal_app(Proposals(self._floor), clock)
        at_operator = operator_app(operations, console, clock)
        self._servings = (
            Serving(at_proposals, proposals.listener, ending=at_proposals.stop),
            Serving(at_operator, operator.listener, ending=at_operator.stop),
            Serving(console, *pages, ending=console.close),
        )
        self._told = (
            f"Propose at {settings.proposal_socket} (serve.toml: [desk] socket).",
            f"Look and decide: exchange-mcp console ({console.origin}), or exchange-mcp approvals watch.",
        )

    def _floored(self, settings: DeskSettings, port: int) -> Floor:
        """What both offices stand on for as long as the process runs."""
        ground, file = self._ground, ConfigurationFile(self._around.file, self._around.judge)
        passkeys = Passkeys(port=port)
        return Floor(
            journal=ground.journal,
            clock=ground.clock,
            entropy=ground.entropy,
            kinds=TakenKinds(verifiers(is_all_simulated=True, passkey=passkeys), ground.journal, file),
            tools=tuple(_offered(self._around.tools)),
            widened=widened,
            profile=Profile(
                version=__version__,
                started_ms=ground.clock.now_ms(),
                proposal_socket=str(settings.proposal_socket),
                console=passkeys.origin,
                protection=_protection(settings),
            ),
            standing=file.standing,
            grant_ms=settings.grant_ms,
            accepted=self._accepted,
        )

    def _accepted(self) -> None:
        """An approver accepted what stands on the disk: it takes over, without a restart."""
        self._group.start_soon(self.reload)

    def close(self) -> None:
        """Remove the sockets, and give the keys back; again does nothing."""
        self._held.close()

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT, and then until every send has its outcome.

        Raises:
            JournalError: the journal takes no record, so that nothing could be done.
        """
        # What is worth a line is logged by us.
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
        async with anyio.create_task_group() as group:
            self._group = group
            await group.start(self._around.obey, self._stop, self.reload)
            try:
                self._begin(self._loaded, await self._opened(self._loaded))
                async with anyio.create_task_group() as serving:
                    for each in self._servings:
                        await serving.start(_listening, each)
                    self._operator.tell(_SERVES)
                    for line in self._told:
                        self._around.say(line)
                    _log.info("serving", is_open=self._term is not None)
                    await self._stopping.wait()
                    self._operator.tell(_ENDS)
                    for each in self._servings:
                        each.stop()
                    await self._floor.stop()
                    await self._end(_STOPPING)
            finally:
                await self._end(_STOPPING)
            group.cancel_scope.cancel()
        _log.info("stopped")

    async def reload(self) -> None:
        """Read `desk.toml` again: at a signal, and when an approver accepted what stands there.

        What has a fault changes nothing. What nobody accepted closes the desk until somebody does. Where the desk has
        to be restarted, nothing short of that opens it again.
        """
        async with self._changing:
            if self._stopping.is_set():
                return
            if self._term is not None and self._term.engine.fault is not None:
                _log.error("desk.toml is not taken up", reason=self._term.engine.fault)
                return
            try:
                loaded = await anyio.to_thread.run_sync(self._around.load)
            except ConfigError as error:
                faults = [str(fault) for fault in error.faults]
                _log.error("desk.toml cannot be used; the configuration before stays in use", faults=faults)
                return
            try:
                term = await self._opened(loaded)
                self._around.apply(loaded.settings)
            except (ExchangeMcpError, OSError) as error:
                _log.error(
                    "desk.toml cannot be used; the configuration before stays in use", fault=str(error)
                )
                return
            for name in _fixed(self._loaded.settings, loaded.settings):
                _log.warning("changes with a restart only", setting=name)
            await self._end("The desk takes up another configuration.")
            try:
                self._begin(loaded, term)
            except JournalError as error:
                _log.error("the desk is closed: the journal takes no record", fault=error.message)
                await self._end(_UNRECORDED.format(error.message.rstrip(".")))

    async def _opened(self, loaded: Loaded) -> Term | None:
        """What this configuration opens; None where no approver accepted it."""
        accepted = self._ground.journal.accepted_configuration()
        if accepted is None or accepted.digest != loaded.settings.digest:
            return None
        refused = self._locks.hold(loaded.key_ids.values())
        unopened = {
            account: _HELD.format(refused[key_id].message)
            for account, key_id in loaded.key_ids.items()
            if key_id in refused
        }
        return await opened(loaded, self._ground, unopened=unopened)

    def _begin(self, loaded: Loaded, term: Term | None) -> None:
        """Let it work, or say why nothing does.

        Raises:
            JournalError: the journal takes no record.
        """
        self._loaded, self._term = loaded, term
        self._locks.keep(loaded.key_ids.values())
        told: dict[str, object] = {"digest": loaded.settings.digest, "is_accepted": term is not None}
        self._ground.journal.record(Note.CONFIGURATION, told)
        if term is None:
            self._floor.closed_for(NOT_ACCEPTED)
            _log.warning("nothing opens", reason=NOT_ACCEPTED)
            return
        term.start()
        self._floor.opened(term.trading())
        self._group.start_soon(term.run)
        for account, reason in term.unopened.items():
            _log.warning("an account stays closed", account=account, reason=reason)

    async def _end(self, reason: str) -> None:
        term, self._term = self._term, None
        self._floor.closed_for(reason)
        if term is not None:
            await term.end(reason)

    async def _stop(self, reason: str) -> None:
        _log.info("stopping", reason=reason)
        self._stopping.set()


async def _listening(serving: Serving, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
    """Serve; started once whoever knocks is heard, so that no line says so before."""
    await serving.run(ready=task_status.started)


def _offered(registry: Registry) -> Iterator[OfferedTool]:
    """The tools that propose, as an approver allows them by name."""
    for spec in registry:
        if spec.name in ACTIONS:
            risk = risk_of(spec)
            yield OfferedTool(
                name=spec.name, risk=str(risk.level), source=risk.source, declaration=declaration_of(spec)
            )


def _protection(settings: DeskSettings) -> str:
    """What the approvals of this setup are worth."""
    if settings.proposal_group is None:
        return (
            "Only this user can propose, so serve runs as the desk's own user: approvals hold against a model, and "
            "not against a program that runs as this user and could read the trading keys."
        )
    return (
        f"Group {settings.proposal_group} can propose: where serve runs as another user, it can reach neither the "
        "trading keys nor the operator's socket."
    )


def _fixed(before: DeskSettings, now: DeskSettings) -> list[str]:
    """The settings that differ and cannot change while the process runs."""
    names = ("proposal_socket", "proposal_group", "operator_socket", "console_port", "grant_ms")
    return [name for name in names if getattr(before, name) != getattr(now, name)]
