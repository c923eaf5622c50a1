"""Who answers the questions of a command: a person at a terminal, or a script that said everything beforehand.

What is asked and said goes to standard error; standard output is for the result. A secret is read without echo from
the terminal, or from standard input where a script was told to; it is never an argument.
"""

import sys
import termios
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol

import click

from exchange_mcp.config.secret import Secret

Judge = Callable[[str], str | None]
"""Why an answer cannot be taken, as one sentence; None if it can."""

_PEM_BEGINS: Final = "-----BEGIN"
_PEM_ENDS: Final = "-----END"
_MOST_PEM_LINES: Final = 100
_LFLAG: Final = 3


class Asker(Protocol):
    """Answers questions. `option` is what answers one beforehand on the command line; its value comes as `given`.

    `replaces`: a secret that is given may stand in the place of one that is there.
    """

    replaces: bool

    def ask(self, option: str, question: str, *, default: str | None, given: str | None, judge: Judge) -> str:
        """One line that `judge` has nothing against."""
        ...

    def explain(self, text: str) -> None:
        """What the next questions are about; nobody is told who is asked nothing."""
        ...

    def agrees(self, question: str) -> bool:
        """Whether to go on with something; a script never agrees to what it did not ask for."""
        ...

    def secret(self, what: str, where: str) -> Secret:
        """A secret, which will be kept at `where`."""
        ...


def say(text: str = "") -> None:
    """Tell whoever started the command."""
    click.echo(text, err=True)


class Terminal:
    """A person at a terminal, who is asked again after a wrong answer."""

    replaces = True

    def ask(self, option: str, question: str, *, default: str | None, given: str | None, judge: Judge) -> str:
        """The answer to the question, or what the command line gave."""
        answer = given
        while True:
            if answer is None:
                answer = _line(f"{question}{f' [{default}]' if default else ''}: ") or default or ""
            refusal = judge(answer)
            if refusal is None:
                return answer
            say(f"  {refusal if given is None else f'{option}: {refusal}'}")
            answer = given = None

    def explain(self, text: str) -> None:
        """Say it."""
        say(text)

    def agrees(self, question: str) -> bool:
        """Yes, unless it begins with n."""
        return not _line(f"{question} [Y/n]: ").lower().startswith("n")

    def secret(self, what: str, where: str) -> Secret:
        """Asked without echo until it is not empty."""
        with _unseen():
            while True:
                click.echo(f"{what} (not shown): ", nl=False, err=True)
                found = _secret_from(_typed)
                click.echo("", err=True)
                if len(found):
                    say(f"  {len(found)} characters, for {where}.")
                    return found


class Script:
    """A command line that says everything; what it leaves open takes the default, and is an error without one."""

    replaces = False

    def __init__(self, *, reads_secrets: bool) -> None:
        self._reads_secrets = reads_secrets

    def ask(self, option: str, question: str, *, default: str | None, given: str | None, judge: Judge) -> str:
        """What the command line gave, or the default."""
        answer = default if given is None else given
        if answer is None:
            raise click.UsageError(f"with --yes, {option} must be given: {question[0].lower()}{question[1:]}")
        refusal = judge(answer)
        if refusal is not None:
            raise click.UsageError(f"{option}: {refusal}")
        return answer

    def explain(self, text: str) -> None:
        """Not to a script."""

    def agrees(self, question: str) -> bool:  # noqa: ARG002 - nobody is asked
        """No."""
        return False

    def secret(self, what: str, where: str) -> Secret:
        """The next line of standard input, if that is where secrets come from."""
        if not self._reads_secrets:
            raise click.UsageError(f"{where} does not exist; make it, or add --secret-from-stdin")
        found = _secret_from(_next_line)
        if not len(found):
            raise click.UsageError(f"standard input ended before the line with the {what.lower()}")
        return found


def one_of(choices: Sequence[str]) -> Judge:
    """Judges that an answer is one of these."""
    return lambda answer: None if answer in choices else f"choose one of {', '.join(choices)}"


def _line(prompt: str) -> str:
    click.echo(prompt, nl=False, err=True)
    return _typed().strip()


def _next_line() -> str:
    try:
        line = sys.stdin.readline()
        line.encode()
    except UnicodeError:
        raise click.ClickException("what was given is not UTF-8 text") from None
    return line


def _typed() -> str:
    line = _next_line()
    if not line:  # Ctrl-D
        raise click.Abort
    return line


def _secret_from(next_line: Callable[[], str]) -> Secret:
    """One line, or the lines of one PEM block."""
    lines = [next_line()]
    if not lines[0]:
        return Secret("")
    if lines[0].lstrip().startswith(_PEM_BEGINS):
        while _PEM_ENDS not in lines[-1] and lines[-1] and len(lines) < _MOST_PEM_LINES:
            lines.append(next_line())
    return Secret("".join(lines).strip())


@contextmanager
def _unseen() -> Generator[None]:
    """The terminal shows nothing of what is typed inside the block; what was typed before does not count."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    unseen = [*before]
    unseen[_LFLAG] = before[_LFLAG] & ~termios.ECHO
    termios.tcsetattr(descriptor, termios.TCSAFLUSH, unseen)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)
