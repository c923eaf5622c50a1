"""Running the desk: its configuration with its secrets, its journal, and the process over both."""

import os
import signal
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, NoReturn

import anyio
import click

from exchange_mcp import __version__
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.configured import absolute, end_with_faults
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.cli.places import places
from exchange_mcp.cli.ports import port_refused
from exchange_mcp.config.accepted import load_accepted
from exchange_mcp.config.faults import ConfigError, Fault, SecretError
from exchange_mcp.config.logs import configure_logging, get_logger
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.journal_errors import LockHeldError
from exchange_mcp.desk.opening import Surroundings, marks_in, open_journal, this_machine
from exchange_mcp.desk.program import Around, Program
from exchange_mcp.desk.records import Opening
from exchange_mcp.desk.settings import DeskAccount, DeskSettings, judge_settings, load_settings
from exchange_mcp.desk.sockets import SocketError
from exchange_mcp.desk.term import Ground, Loaded
from exchange_mcp.model.accounts import AccountName, Environment
from exchange_mcp.model.errors import ExchangeMcpError, JournalError
from exchange_mcp.rules.venues import check_account
from exchange_mcp.server.assembly import Keyed, keyed_account, opening
from exchange_mcp.server.signals import obey
from exchange_mcp.tools.matrix import matrix
from exchange_mcp.tools.registry import builtin

if TYPE_CHECKING:
    from exchange_mcp.venue.opening import Opening as VenueOpening

_log = get_logger(__name__)

_PRIVATE = 0o077


def run_desk(file: Path | None, *, exit_with_stdin: bool = False) -> None:
    """Run it until a signal ends it; exit code 2 for a faulty configuration, 1 for anything else that stops it.

    With `exit_with_stdin` the end of standard input ends it too, and so the end of a parent that holds it.
    """
    os.umask(_PRIVATE)
    found = places()
    source = found.desk_file if file is None else absolute(file)
    redactor = Redactor()

    def load() -> Loaded:
        return _loaded(source, redactor)

    def apply(settings: DeskSettings) -> None:
        configure_logging(settings.log.format, settings.log.level, redactor=redactor)

    try:
        first = load()
    except ConfigError as error:
        end_with_faults(error, source)
    apply(first.settings)
    if exit_with_stdin:
        # By the signal that the process obeys anyway. Not through sys.stdin: its lock would be held at the exit.
        Thread(target=_end_with_input, daemon=True).start()
    with ExitStack() as held:
        try:
            program = _made(source, first, load, apply, held)
            anyio.run(program.run)
        except LockHeldError as error:
            raise click.ClickException(
                f"a desk is running already: {error.message}. {error.next_step}"
            ) from None
        except JournalError as error:
            _stopped_by(error)
        except SocketError as error:
            raise click.ClickException(str(error)) from None
        except BaseExceptionGroup as group:
            ours, others = group.split(ExchangeMcpError)
            if ours is None or others is not None:
                raise
            _stopped_by(_first(ours))


def _end_with_input() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _made(
    source: Path,
    first: Loaded,
    load: Callable[[], Loaded],
    apply: Callable[[DeskSettings], None],
    held: ExitStack,
) -> Program:
    """The process over its journal; `held` gives back both."""
    found, registry = places(), builtin()
    clock, entropy = SystemClock(), SystemEntropy()
    journal = open_journal(
        found.desk_journal,
        Surroundings(
            clock=clock,
            entropy=entropy,
            marks=marks_in(found.state),
            machine=this_machine(),
            opening=Opening(
                version=__version__,
                policy_digest=first.settings.policy.digest(),
                matrix_digest=matrix(registry).digest,
            ),
        ),
    )
    held.callback(_close, journal)
    around = Around(
        file=source,
        judge=lambda text: judge_settings(text, source, check=check_account, environ=os.environ),
        load=load,
        apply=apply,
        runtime=found.runtime,
        obey=obey,
        say=click.echo,
        tools=registry,
    )
    ground = Ground(journal=journal, clock=clock, entropy=entropy, cache=found.cache)
    try:
        program = Program(first, ground, around)
    except OSError as error:
        change = f"change port under [console] in {source}, and sign that: exchange-mcp desk accept"
        raise port_refused(error, "the console", first.settings.console_port, change) from None
    held.callback(program.close)
    return program


def _close(journal: Journal) -> None:
    """The end in order; where the journal takes no last record, the next start finds it as after a crash."""
    try:
        journal.close()
    except JournalError as error:
        _log.warning("the end is not in the journal", error=error.message)


def _stopped_by(error: ExchangeMcpError) -> NoReturn:
    raise click.ClickException(f"{error.message.rstrip('.')}. {error.next_step}") from None


def _first(group: BaseExceptionGroup[ExchangeMcpError]) -> ExchangeMcpError:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


def _loaded(source: Path, redactor: Redactor) -> Loaded:
    """The configuration and its secrets. Raises ConfigError."""
    settings = load_settings(source, check=check_account, environ=os.environ)
    keyed: dict[AccountName, tuple[DeskAccount, Keyed]] = {}
    unopened: dict[AccountName, str] = {}
    faults: list[Fault] = []
    for account in settings.accounts:
        known = account.config.account
        try:
            keyed[known.name] = account, keyed_account(account.config, environ=os.environ, redactor=redactor)
        except SecretError as error:
            if known.environment is Environment.SIM:
                # Its exchange is a program of this machine that may not run yet; the others trade meanwhile.
                unopened[known.name] = str(error)
            else:
                faults += [Fault(str(source), None, "", line) for line in str(error).splitlines()]
    if faults:
        raise ConfigError(faults)

    def openings(names: Collection[AccountName]) -> "list[VenueOpening]":
        return [
            replace(opening(keyed[name][1]), may_transfer=keyed[name][0].may_transfer is not None)
            for name in keyed
            if name in names
        ]

    return Loaded(
        settings=settings,
        key_ids={name: each.credentials.key_id for name, (_, each) in keyed.items() if each.credentials},
        openings=openings,
        unopened=unopened,
        accepted_egress=frozenset(load_accepted(places().accepted_file)),
    )
