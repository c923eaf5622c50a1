"""A passphrase is typed at the terminal that controls the program, unseen, and comes from nowhere else.

Standard input may be a pipe that a model fills; /dev/tty is the person's own (tty(4)).
"""

import os
import termios
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from exchange_mcp.config.secret import Secret
from exchange_mcp.desk.approver_keys import (
    ApproverKey,
    WrongPassphraseError,
    read_key_file,
    refused_passphrase,
    unlock,
)

ATTEMPTS: Final = 3
TERMINAL: Final = Path("/dev/tty")

_LONGEST_LINE: Final = 4096
_LFLAG: Final = 3

Failed = Callable[[str, int], None]
"""Told of each wrong passphrase: whose key it was for, and the how manieth it is."""


def new_passphrase(name: str) -> Secret:
    """A passphrase for the key of the approver `name`, typed twice; asked for until it can be taken.

    Raises:
        ClickException: there is no terminal.
        Abort: Ctrl-D.
    """
    with _terminal() as descriptor:
        while True:
            passphrase = _asked(descriptor, f"A passphrase for {name}'s key (not shown): ")
            refusal = refused_passphrase(name, passphrase)
            if refusal is not None:
                _write(descriptor, f"  {refusal}\n")
                continue
            if _asked(descriptor, "The same once more (not shown): ") == passphrase:
                return passphrase
            _write(descriptor, "  the two are not the same\n")


def unlocked(path: Path, *, failed: Failed, pause: Callable[[float], None] = time.sleep) -> ApproverKey:
    """The approver's key in this file, once its passphrase was typed; asked at most three times, each one later.

    Raises:
        ClickException: there is no terminal, or three passphrases were wrong.
        SecretError: the file cannot be used.
        Abort: Ctrl-D.
    """
    name = read_key_file(path).name
    with _terminal() as descriptor:
        for times in range(1, ATTEMPTS + 1):
            try:
                return unlock(path, _asked(descriptor, f"Passphrase of {name}'s key (not shown): "))
            except WrongPassphraseError as error:
                _write(descriptor, f"  {error}\n")
                failed(name, times)
                pause(2.0 ** (times - 1))
    raise click.ClickException(f"{ATTEMPTS} passphrases were wrong; nothing was signed")


def typed(question: str) -> str:
    """One line typed at the controlling terminal, shown as it is typed; nothing that is piped in can answer it.

    Raises:
        ClickException: there is no terminal.
        Abort: Ctrl-D.
    """
    with _terminal() as descriptor:
        termios.tcflush(descriptor, termios.TCIFLUSH)
        _write(descriptor, question)
        line = os.read(descriptor, _LONGEST_LINE)
    if not line:
        raise click.Abort
    return line.decode("utf-8", "replace").strip()


@contextmanager
def _terminal() -> Generator[int]:
    """The terminal that controls this program, however its streams are connected."""
    try:
        descriptor = os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        raise click.ClickException(
            "there is no terminal to ask for the passphrase at; run this at one: a passphrase is no option, "
            "no environment variable, and does not come on standard input"
        ) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _asked(descriptor: int, prompt: str) -> Secret:
    """One line, typed unseen; what was typed before the question does not count."""
    before = termios.tcgetattr(descriptor)
    unseen = [*before]
    unseen[_LFLAG] = (before[_LFLAG] & ~termios.ECHO) | termios.ICANON
    termios.tcsetattr(descriptor, termios.TCSAFLUSH, unseen)
    try:
        _write(descriptor, prompt)
        line = os.read(descriptor, _LONGEST_LINE)
    finally:
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)
        _write(descriptor, "\n")
    if not line:  # Ctrl-D
        raise click.Abort
    return Secret(line.decode("utf-8", "surrogateescape").rstrip("\r\n"))


def _write(descriptor: int, text: str) -> None:
    os.write(descriptor, text.encode())
