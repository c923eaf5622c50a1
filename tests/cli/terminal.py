"""A person at a terminal: a pseudo-terminal of its own, read and typed into as the program asks."""

import os
import select
import subprocess
import termios
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

_PATIENCE_SECONDS = 30.0
# Makes the terminal the one that controls the program.
_CONTROLLED = ("setsid", "--ctty")
CTRL_C = "\x03"
CTRL_D = "\x04"


@dataclass
class Terminal:
    """A program under way at a terminal, and everything that the terminal showed."""

    process: "subprocess.Popen[bytes]"
    descriptor: int
    shown: str = ""
    _seen_to: int = 0

    def until(self, text: str) -> str:
        """What is shown up to the next occurrence of this text."""
        while (at := self.shown.find(text, self._seen_to)) < 0:
            assert self._more(), f"ended before {text!r}; shown:\n{self.shown[self._seen_to :]}"
        before = self.shown[self._seen_to : at]
        self._seen_to = at + len(text)
        return before

    def answer(self, question: str, line: str) -> str:
        """Type a line once the question is shown, and say what was shown before it."""
        before = self.until(question)
        self.until(": ")
        self.press(f"{line}\n")
        return before

    def press(self, keys: str) -> None:
        """Type, without waiting for anything."""
        os.write(self.descriptor, keys.encode())

    def rest(self) -> str:
        """What is shown from here until the program has ended."""
        while self._more():
            pass
        self.process.wait(_PATIENCE_SECONDS)
        return self.shown[self._seen_to :]

    def echoes(self) -> bool:
        """Whether what is typed is shown."""
        return bool(termios.tcgetattr(self.descriptor)[3] & termios.ECHO)

    def _more(self) -> bool:
        ready, _, _ = select.select([self.descriptor], [], [], _PATIENCE_SECONDS)
        assert ready, f"nothing more is shown; last:\n{self.shown[-2000:]}"
        try:
            read = os.read(self.descriptor, 65_536)
        except OSError:  # Linux says so when nobody holds the other end any more
            return False
        self.shown += read.decode(errors="replace").replace("\r\n", "\n")
        return bool(read)


@contextmanager
def at_terminal(program: Sequence[str], environ: Mapping[str, str]) -> Generator[Terminal]:
    """The program at a terminal that controls it, so that Ctrl-C is a signal."""
    ours, theirs = os.openpty()
    with subprocess.Popen(  # noqa: S603 - our own program
        [*_CONTROLLED, *program], stdin=theirs, stdout=theirs, stderr=theirs, env=environ
    ) as process:
        os.close(theirs)
        try:
            yield Terminal(process, ours)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            os.close(ours)
