"""What every command says of itself, and the matrix."""

import json
from pathlib import Path
from typing import Final

import pytest

from exchange_mcp import __version__
from exchange_mcp.tools.matrix import matrix
from exchange_mcp.tools.registry import builtin

from .launching import asked, ran

COMMANDS: Final = (
    *(
        "init",
        "serve",
        "desk",
        "status",
        "console",
        "approvals",
        "halt",
        "resume",
        "propose",
        "intents",
        "approvers",
        "clients",
        "cards",
        "tokens",
        "reload",
        "demo",
        "sim",
        "matrix",
        "scope",
        "policy",
        "egress",
        "outcome",
        "audit",
    ),
)
PUBLISHED: Final = Path(__file__).parents[2] / "docs" / "annotations.md"

Environment = dict[str, str]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_on_stdout(command: str, environ: Environment) -> None:
    done = asked(command, "--help", environ=environ)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: ")
    assert f" {command} [OPTIONS]" in done.stdout.splitlines()[0]


@pytest.mark.parametrize("arguments", [("--help",), ("-h",)])
def test_the_help_lists_every_command(arguments: tuple[str, ...], environ: Environment) -> None:
    done = ran(*arguments, environ=environ)
    assert (done.returncode, done.stderr) == (0, "")
    listed = done.stdout.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == list(COMMANDS)


def test_without_a_command_the_help_is_shown_and_the_exit_code_says_that_nothing_was_done(
    environ: Environment,
) -> None:
    done = ran(environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Commands:" in done.stderr


def test_the_version_is_the_packages(environ: Environment) -> None:
    done = ran("--version", environ=environ)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"exchange-mcp, version {__version__}\n", "")


@pytest.mark.parametrize("arguments", [("trade",), ("matrix", "--format", "xml"), ("sim", "--port", "65536")])
def test_what_cannot_be_meant_ends_with_code_2_and_names_it(
    arguments: tuple[str, ...], environ: Environment
) -> None:
    done = ran(*arguments, environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert arguments[-1] in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_the_published_matrix_is_what_the_command_prints(environ: Environment) -> None:
    done = ran("matrix", "--format", "md", environ=environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == PUBLISHED.read_text(encoding="utf-8")


def test_the_matrix_as_json_is_the_registrys(environ: Environment) -> None:
    done = ran("matrix", "--format", "json", environ=environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == matrix(builtin()).model_dump(mode="json")
