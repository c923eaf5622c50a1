"""exchange-mcp init: set up an account, its key checked before anything is written."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from exchange_mcp.cli.asking import Script, Terminal, say
from exchange_mcp.cli.configured import absolute, end_with_faults
from exchange_mcp.cli.enrolment import Enrolled, Enrolment, Surroundings, Told
from exchange_mcp.cli.key_places import KINDS, PARTS, reference
from exchange_mcp.cli.launch import pasted, program
from exchange_mcp.cli.places import places
from exchange_mcp.config.accepted import load_accepted
from exchange_mcp.config.faults import ConfigError, Fault, SecretError
from exchange_mcp.config.locations import Locations, home_directory, locations
from exchange_mcp.config.logs import configure_logging
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.serve_file import ServeFile
from exchange_mcp.config.toml_text import NotUnicodeError
from exchange_mcp.model.accounts import Environment
from exchange_mcp.rules.venues import check_account

if TYPE_CHECKING:
    from exchange_mcp.config.schema import SecretReference

_PATH: Final = click.Path(path_type=Path)


def _key_options(command: Callable[..., None]) -> Callable[..., None]:
    """Where each part of a key is kept: `--api-key-file PATH`, `--api-key-env NAME` and their like."""
    for part, title in reversed(PARTS.items()):
        option = f"--{part.replace('_', '-')}"
        command = click.option(f"{option}-env", help=f"Environment variable with the {title}.")(command)
        command = click.option(f"{option}-file", help=f"File with the {title}, for you alone.")(command)
    return command


@click.command("init")
@click.option(
    "--config", "file", type=_PATH, help="Configuration file to add to [default: the user's serve.toml]."
)
@click.option("--venue", help="The venue's name, such as binance.")
@click.option("--environment", help=f"One of {', '.join(each.value for each in Environment)}.")
@click.option("--name", help="What the account is called here.")
@click.option("--market-types", help="Such as spot,linear.")
@click.option("--key/--no-key", "wants_key", default=None, help="With a key, or market data only.")
@click.option("--secret-in", "kind", type=click.Choice(KINDS), help="What keeps the parts of the key.")
@_key_options
@click.option("--sim-key", help="Label of a key of the running simulated exchange.")
@click.option("--rendezvous", type=_PATH, help="Where the simulated exchange is published.")
@click.option("--accept-unverified", help="Why to use a live key whose venue does not tell what it may do.")
@click.option("--yes", "is_script", is_flag=True, help="Ask nothing: options and defaults decide.")
@click.option(
    "--secret-from-stdin",
    "reads_secrets",
    is_flag=True,
    help="With --yes: the API key, the secret and, if the venue has one, the passphrase come on standard input, "
    "a line each.",
)
def command(file: Path | None, rendezvous: Path | None, *, is_script: bool, **said: Any) -> None:  # noqa: ANN401 - the options above
    """Add an account to the configuration, and print what to paste into an MCP client.

    The key is checked at its venue before anything is written. A secret is never an argument: it is typed, without
    being shown, or it is where you put it.
    """
    if said["reads_secrets"] and not is_script:
        raise click.UsageError("--secret-from-stdin goes with --yes; at a terminal the secret is asked for")
    if not is_script and not sys.stdin.isatty():
        raise click.UsageError("there is no terminal to ask at; say everything with options, and --yes")
    found, home = places(), home_directory(os.environ)
    source = found.serve_file if file is None else absolute(file)
    told = told_of(said, home)
    redactor = Redactor()
    configure_logging("console", "error", redactor=redactor)
    try:
        serve_file = ServeFile(source, check=check_account, environ=os.environ)
        surroundings = around(found, home, source, rendezvous)
        if not is_script:
            say(
                f"This adds an account to {source}. Nothing is written before the end; Ctrl-C leaves all as it is."
            )
            if serve_file.names:
                say(f"Its accounts: {', '.join(serve_file.names)}.")
        asker = Script(reads_secrets=told.reads_secrets) if is_script else Terminal()
        enrolled = Enrolment(asker, told, serve_file, surroundings, redactor).run()
        _write(serve_file, enrolled)
    except ConfigError as error:
        end_with_faults(error, source)
    except SecretError as error:
        end_with_faults(ConfigError([Fault(None, None, "", str(error))]), None)
    except NotUnicodeError as error:
        raise click.ClickException(f"{error}: not a UTF-8 path; a configuration can name no other") from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{where}{error.strerror or error}") from None
    _say_what_to_paste(source, home, enrolled)


def told_of(said: dict[str, Any], home: Path) -> Told:
    """What the options say beforehand, with the references to a key's parts taken together.

    Raises:
        UsageError: two options say where one part is kept, or one says it in a way that cannot be.
    """
    references: dict[str, SecretReference] = {}
    for part in PARTS:
        path, variable = (cast("str | None", said.pop(f"{part}_{kind}")) for kind in ("file", "env"))
        option = f"--{part.replace('_', '-')}"
        if path is not None and variable is not None:
            raise click.UsageError(f"{option}-file and {option}-env exclude each other")
        try:
            if path is not None:
                references[part] = reference("file", str(absolute(Path(path))), home)
            if variable is not None:
                references[part] = reference("env", variable, home)
        except ValueError as error:
            raise click.UsageError(f"{option}-{'env' if path is None else 'file'}: {error}") from None
    if said["wants_key"] is None and (references or said["sim_key"] or said["kind"]):
        said["wants_key"] = True
    return Told(references=references, **said)


def around(found: Locations, home: Path, source: Path, rendezvous: Path | None) -> Surroundings:
    """What an enrolment needs to know beside the answers; `source` is the configuration that is written.

    A client hands on no XDG variable: what only these lead to has to be named in the configuration.
    """
    usual = locations({}, home).rendezvous_file
    at = found.rendezvous_file if rendezvous is None else absolute(rendezvous)
    return Surroundings(
        home=home,
        secrets=source.parent / "keys",
        rendezvous=at,
        named_rendezvous=None if at == usual else at,
        accepted=load_accepted(found.accepted_file),
    )


def _write(file: ServeFile, enrolled: Enrolled) -> None:
    """Secrets first and the configuration last: whatever interrupts this, a second run goes on from there."""
    say()
    file.require_unchanged()  # or another run may have set up an account whose secrets are at these places
    if enrolled.places is not None:
        for place in enrolled.places.store():
            say(f"Stored: {place}.")
    file.store(enrolled.text)
    say(f"Added account {enrolled.account.name} to {file.path}.")


def _say_what_to_paste(source: Path, home: Path, enrolled: Enrolled) -> None:
    is_found = source == locations({}, home).serve_file
    variables = dict[str, str]() if enrolled.places is None else enrolled.places.variables()
    say("Paste this into your MCP client's configuration, or restart the client if it is there already:")
    if variables:
        say(f"In it, write the values of {', '.join(variables)}; the client passes on no other variable.")
    arguments = ["serve", *([] if is_found else ["--config", str(source)])]
    click.echo(pasted("exchange", program(), arguments, variables))
