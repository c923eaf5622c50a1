"""Speaking to the desk from a command: where its operator socket is, what to do without an answer, how a command ends.

Exit codes: 0 done, 1 refused or not done, 2 usage or configuration, 3 the desk is not reachable.
"""

import json
import os
import pwd
import sys
import tomllib
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import click

from exchange_mcp.cli.places import places
from exchange_mcp.cli.tabled import table
from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.locations import home_directory
from exchange_mcp.desk.operator.approving import NotSignableError
from exchange_mcp.desk.operator.client import OperatorClient
from exchange_mcp.model.errors import ErrorCode, ExchangeMcpError, InvalidArgumentError
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.venue_text import visible

REFUSED: Final = 1
MISUSED: Final = 2
UNREACHABLE: Final = 3

_NO_ANSWER: Final = frozenset({ErrorCode.DESK_UNREACHABLE, ErrorCode.DESK_VERSION})
_LONGEST_NAME: Final = 64
_Command = TypeVar("_Command", bound=Callable[..., Any])


def desk_options(command: _Command) -> _Command:
    """What every operator's command takes: where the desk is, and whom the answer is for."""
    is_json = click.option("--json", "is_json", is_flag=True, help="Print it for programs.")
    socket = click.option(
        "--socket",
        "socket",
        type=click.Path(path_type=Path),
        help="The desk's operator socket [default: what desk.toml says].",
    )
    return socket(is_json(command))


@contextmanager
def at_desk(socket: Path | None, *, is_json: bool) -> Generator[OperatorClient]:
    """The desk. An error inside the block ends the command with its sentence, its next step and its exit code."""
    try:
        own = operator_socket() if socket is None else socket
        # Another socket may be another desk's, whose journal is not this user's.
        with OperatorClient(own, journal=places().desk_journal if socket is None else None) as client:
            yield client
    except NotSignableError as error:
        end(
            str(error),
            "Nothing was done; look into it before signing anything else.",
            REFUSED,
            is_json=is_json,
        )
    except SecretError as error:
        end(str(error), "", MISUSED, is_json=is_json)
    except ExchangeMcpError as error:
        code = UNREACHABLE if error.code in _NO_ANSWER else REFUSED
        code = MISUSED if isinstance(error, InvalidArgumentError) else code
        about: str | None = getattr(error, "intent_id", None)
        end(error.message, error.next_step, code, is_json=is_json, named=error.code, about=about)


def end(  # noqa: PLR0913 - what an error says
    message: str,
    next_step: str,
    code: int,
    *,
    is_json: bool,
    named: str | None = None,
    about: str | None = None,
) -> NoReturn:
    """End the command: a sentence on standard error, and as JSON on standard output for programs."""
    if is_json:
        told = {"code": named, "message": message, "hint": next_step, "intent_id": about}
        click.echo(json.dumps({"error": told}))
    sentence = message if message.endswith((".", "!", "?")) else f"{message}."
    click.echo(f"{sentence} {next_step}".strip(), err=True)
    sys.exit(code)


def operator_socket() -> Path:
    """Where the desk listens to its operator: what `desk.toml` says, or else where it does by default."""
    return desk_table_path("operator_socket") or places().operator_socket


def desk_table_path(name: str) -> Path | None:
    """A path in `[desk]` of the user's `desk.toml`, if one stands there.

    The file is only looked into: what else is wrong in it must not keep anybody from halting the desk.
    """
    try:
        content: dict[str, Any] = tomllib.loads(places().desk_file.read_text(encoding="utf-8"))
        named = content.get("desk", {}).get(name)
    except (OSError, ValueError, AttributeError):
        return None
    if not isinstance(named, str):
        return None
    path = Path(named)
    return home_directory(os.environ).joinpath(*path.parts[1:]) if path.parts[:1] == ("~",) else path


def person() -> str:
    """Who gives the command, as the system knows them."""
    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        name = f"uid {os.getuid()}"
    return visible(name, _LONGEST_NAME)


def show_list(
    found: Record, header: Sequence[str], rows: Sequence[Sequence[str]], *, nobody: str, is_json: bool
) -> None:
    """What a list command found: the desk's own record for programs, rows for a person, or that there are none."""
    if is_json:
        print_json(found)
    elif rows:
        table(header, rows)
    else:
        click.echo(nobody, err=True)


def print_json(*records: Record, **more: object) -> None:
    """One JSON object: the members of every record, and what is named."""
    members: dict[str, object] = {}
    for record in records:
        members |= record.model_dump(mode="json")
    click.echo(json.dumps(members | more, indent=2))
