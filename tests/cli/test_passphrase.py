"""A passphrase at a terminal: typed unseen, asked for again a few times and ever later, and taken from nowhere else."""

import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import pytest

from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.config.owner_only import write_owner_only
from exchange_mcp.config.secret import Secret
from exchange_mcp.desk.approver_keys import create

from .launching import environment
from .terminal import CTRL_D, Terminal, at_terminal

PASSPHRASE: Final = "seven quiet herons"
ASKS: Final = """
import sys
from pathlib import Path
import click
from exchange_mcp.cli.passphrase import new_passphrase, unlocked

@click.command()
def command():
    if sys.argv[1:] == ["new"]:
        print("taken:", len(new_passphrase("alice")), flush=True)
        return
    failed = lambda name, times: print("failed:", name, times, flush=True)
    paused = lambda seconds: print("paused:", seconds, flush=True)
    print("public:", unlocked(Path(sys.argv[1]), failed=failed, pause=paused).public, flush=True)

command(args=[])
"""


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A key's file, and its public key."""
    made, content = create("alice", Secret(PASSPHRASE), SystemEntropy())
    path = tmp_path_factory.mktemp("keys") / "alice.approver.json"
    write_owner_only(path, content)
    return path, made.public


def asking(home: Path, argument: str) -> AbstractContextManager[Terminal]:
    return at_terminal([sys.executable, "-c", ASKS, argument], environment(home))


def test_the_passphrase_opens_the_key_and_is_not_shown(key: tuple[Path, str], tmp_path: Path) -> None:
    with asking(tmp_path, str(key[0])) as terminal:
        terminal.until("Passphrase of alice's key (not shown): ")
        assert not terminal.echoes()
        terminal.press(f"{PASSPHRASE}\n")
        shown = terminal.rest()
        assert terminal.echoes()
    assert f"public: {key[1]}" in shown
    assert PASSPHRASE not in terminal.shown


def test_a_wrong_one_is_told_slowed_and_asked_again_three_times_at_most(
    key: tuple[Path, str], tmp_path: Path
) -> None:
    with asking(tmp_path, str(key[0])) as terminal:
        for times, seconds in ((1, 1.0), (2, 2.0), (3, 4.0)):
            terminal.answer("Passphrase of alice's key", f"wrong number {times}")
            terminal.until("this is not the passphrase of alice's key")
            terminal.until(f"failed: alice {times}")
            terminal.until(f"paused: {seconds}")
        said = terminal.rest()
    assert said.strip() == "Error: 3 passphrases were wrong; nothing was signed"
    assert terminal.process.returncode == 1
    assert "wrong number" not in terminal.shown


def test_an_interruption_leaves_a_terminal_that_shows_what_is_typed(
    key: tuple[Path, str], tmp_path: Path
) -> None:
    with asking(tmp_path, str(key[0])) as terminal:
        terminal.until("(not shown): ")
        terminal.press(CTRL_D)
        said = terminal.rest()
        assert terminal.echoes()
    assert said.split() == ["Aborted!"]


def test_a_new_one_is_typed_twice_and_judged_before(tmp_path: Path) -> None:
    with asking(tmp_path, "new") as terminal:
        terminal.answer("A passphrase for alice's key", "alice")
        terminal.until("a passphrase has at least 12 characters")
        terminal.answer("A passphrase for alice's key", PASSPHRASE)
        terminal.answer("The same once more", PASSPHRASE + "s")
        terminal.until("the two are not the same")
        terminal.answer("A passphrase for alice's key", PASSPHRASE)
        terminal.answer("The same once more", PASSPHRASE)
        assert f"taken: {len(PASSPHRASE)}" in terminal.rest()
    assert PASSPHRASE not in terminal.shown


@pytest.mark.parametrize("argument", ["new", "file"])
def test_without_a_terminal_nothing_is_read_from_anywhere_else(
    argument: str, key: tuple[Path, str], tmp_path: Path
) -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [
            "/usr/bin/setsid",
            "--wait",
            sys.executable,
            "-c",
            ASKS,
            str(key[0]) if argument == "file" else argument,
        ],
        env=environment(tmp_path, PASSPHRASE=PASSPHRASE),
        input=f"{PASSPHRASE}\n{PASSPHRASE}\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: there is no terminal to ask for the passphrase at; run this at one")
