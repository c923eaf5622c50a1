"""Setting a desk up, from a key to what is to be started: accounts, limits, the first approver, the first client.

Each step is written when it is done, and a step whose work is there is not done again: whatever interrupts this, the
next run goes on from there, and a run on a desk that is set up changes nothing.
"""

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import click

from exchange_mcp.cli.asking import Asker, Script, Terminal, one_of, say
from exchange_mcp.cli.configured import absolute, end_with_faults
from exchange_mcp.cli.desk_console import console_port
from exchange_mcp.cli.desk_draft import DeskDraft
from exchange_mcp.cli.desk_enrolment import FirstEnrolment
from exchange_mcp.cli.desk_limits import ToldLimits, ask_limits
from exchange_mcp.cli.desk_lines import describe, say_what_to_write
from exchange_mcp.cli.desk_options import given_options
from exchange_mcp.cli.enrolment import Enrolment, Surroundings, Told
from exchange_mcp.cli.init import around, told_of
from exchange_mcp.cli.places import places
from exchange_mcp.config.desk_tables import socket_fault
from exchange_mcp.config.faults import ConfigError, Fault, SecretError
from exchange_mcp.config.locations import Locations, home_directory
from exchange_mcp.config.logs import configure_logging
from exchange_mcp.config.owner_only import write_owner_only
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.toml_text import NotUnicodeError
from exchange_mcp.desk.settings import DeskSettings, judge_settings, load_settings, shorter_socket
from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.errors import JournalError
from exchange_mcp.model.scopes import Role
from exchange_mcp.rules.venues import check_account

_ENROLLED: Final = ("approver", "client", "tools")
_LIMITS: Final = ("symbols", "reference", "max_order", "max_day", "max_leverage", "max_loss")
# Where no money is, there is something to try: the simulated account has positions, at a leverage of 10.
_PRACTICE: Final = {
    "symbols": "BTC/USDT,ETH/USDT,BTC/USDT:USDT,ETH/USDT:USDT",
    "max_order": "5000",
    "max_day": "50000",
    "max_leverage": "10",
    "max_loss": "5000",
}
# And five orders of it rest already: with the limits for money, its first order would be denied.
_PRACTICE_OPEN: Final = 20
_PRACTICE_A_MINUTE: Final = 20


def set_up(file: Path | None, *, is_script: bool, is_sim: bool, rendezvous: Path | None, **said: Any) -> None:  # noqa: ANN401 - the options of `desk_options`
    """Set a desk up, or go on with it; where one is, say what is there.

    Args:
        file: the `desk.toml`; None for the user's.
        is_script: options and defaults answer every question.
        is_sim: the accounts are those of the simulated exchange.
        rendezvous: where that is published, if not at the usual place.
        said: the other options of `cli.desk_options.setup_options`, by name.
    """
    if said["reads_secrets"] and not is_script:
        raise click.UsageError("--secret-from-stdin goes with --yes; at a terminal the secret is asked for")
    if not is_script and not sys.stdin.isatty():
        raise click.UsageError("there is no terminal to ask at; say everything with options, and --yes")
    given = given_options({name: value for name, value in said.items() if name not in _ENROLLED})
    if is_sim:
        said["venue"], said["environment"] = said["venue"] or "binance", Environment.SIM.value
        said["sim_key"] = said["sim_key"] or "trader"
        if is_script:
            said |= {name: value for name, value in _PRACTICE.items() if said[name] is None}
    redactor = Redactor()
    configure_logging("console", "error", redactor=redactor)
    found = places()
    path = found.desk_file if file is None else absolute(file)
    approver, client, tools = (said.pop(name) for name in _ENROLLED)
    port = said.pop("console_port")
    limits = ToldLimits(**{name: said.pop(name) for name in _LIMITS})
    home = home_directory(os.environ)
    told = told_of({**said, "wants_key": True}, home)
    asker = Script(reads_secrets=told.reads_secrets) if is_script else Terminal()
    try:
        surroundings = around(found, home, path, rendezvous)
        setup = _Setup(asker, found, path, surroundings, redactor, given, console_port=port)
        settings = setup.settings(told, limits)
        enrolment = FirstEnrolment(asker, found, home, settings, redactor)
        enrolment.run(approver=approver, client=client, tools=tools)
        say_what_to_write(settings, found, home, enrolment.client)
    except ConfigError as error:
        end_with_faults(error, path)
    except SecretError as error:
        end_with_faults(ConfigError([Fault(None, None, "", str(error))]), None)
    except NotUnicodeError as error:
        raise click.ClickException(f"{error}: not a UTF-8 path; a configuration can name no other") from None
    except JournalError as error:
        raise click.ClickException(f"{error.message} {error.hint}") from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{where}{error.strerror or error}") from None


@dataclass(frozen=True, slots=True)
class _Setup:
    """The part of the setup that ends with a `desk.toml`."""

    asker: Asker
    found: Locations
    path: Path
    around: Surroundings
    redactor: Redactor
    given: list[str]
    console_port: int | None

    def settings(self, told: Told, limits: ToldLimits) -> DeskSettings:
        """What the desk is told, from the file that is there, or from questions."""
        if os.path.lexists(self.path):
            settings = load_settings(self.path, check=check_account, environ=os.environ)
            say(f"{self.path} is there and is used as it stands:")
            for line in describe(settings):
                say(f"  {line}")
            if self.given:
                say(f"What was said with {', '.join(self.given)} changes nothing of it: edit the file.")
            return settings
        draft = DeskDraft(self.path, check=check_account, environ=os.environ)
        if draft.names:
            say(f"Going on with what was begun. Its accounts: {', '.join(draft.names)}.")
        else:
            self.asker.explain(
                "This sets a desk up, which holds trading keys and sends only what you approve. Ctrl-C interrupts it;\n"
                "whatever is done by then is kept, and the next run goes on from there.\n"
            )
        while not draft.names or self._wants_another():
            self._add_account(draft, told)
        market_types = {each for account in draft.accounts for each in account.market_types}
        first = ask_limits(self.asker, limits, draft.names, market_types)
        if _is_simulated(draft):
            first = replace(first, max_open=_PRACTICE_OPEN, max_a_minute=_PRACTICE_A_MINUTE)
        text = draft.settings(
            first,
            has_scripted_approver=self._is_scripted(draft),
            sockets=tuple(self._sockets()),
            console_port=console_port(self.asker, self.console_port),
        )
        settings = judge_settings(text, self.path, check=check_account, environ=os.environ)
        write_owner_only(self.path, text.encode())
        draft.done()
        say(f"\nWritten: {self.path}")
        return settings

    def _wants_another(self) -> bool:
        if isinstance(self.asker, Script):
            return False
        answer = self.asker.ask(
            "", "Another account (yes, no)", default="no", given=None, judge=one_of(["yes", "no"])
        )
        return answer == "yes"

    def _add_account(self, draft: DeskDraft, told: Told) -> None:
        # What was said beforehand is about the first account.
        is_first = not draft.names
        beforehand = told if is_first else Told(reads_secrets=False, wants_key=True)
        enrolled = Enrolment(self.asker, beforehand, draft, self.around, self.redactor, role=Role.DESK).run()
        if enrolled.places is not None:
            for place in enrolled.places.store():
                say(f"Stored: {place}.")
        draft.keep(enrolled.text)
        say(f"Account {enrolled.account.name} can be traded.")

    def _is_scripted(self, draft: DeskDraft) -> bool:
        return _is_simulated(draft) and isinstance(self.asker, Script)

    def _sockets(self) -> list[tuple[str, str]]:
        """Shorter ways to the sockets, where the usual ones are longer than a socket's path can be."""
        usual = {"proposal_socket": self.found.proposal_socket, "operator_socket": self.found.operator_socket}
        shorter = {name: shorter_socket(self.around.home, path) for name, path in usual.items()}
        is_too_long = any(socket_fault(path, shorter="") is not None for path in usual.values())
        return list(shorter.items()) if is_too_long else []


def _is_simulated(draft: DeskDraft) -> bool:
    return all(account.environment is Environment.SIM for account in draft.accounts)
