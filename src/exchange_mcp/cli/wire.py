"""The standard streams: where the real stdout went, and something in the place of those that are closed."""

import os
import sys

_STDIN, _STDOUT, _STDERR = 0, 1, 2

_taken: int | None = None


def open_closed_streams() -> None:
    """Put `/dev/null` where the caller closed stdin, stdout or stderr.

    Otherwise the next file or socket to be opened gets the number, and with it what is meant for the stream.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        os.set_inheritable(descriptor, True)  # noqa: FBT003 - the parameter has no name
    os.close(descriptor)
    if sys.__stdin__ is None:
        sys.stdin = os.fdopen(_STDIN, "r", closefd=False)
    if sys.__stdout__ is None:
        sys.stdout = os.fdopen(_STDOUT, "w", closefd=False)
    if sys.__stderr__ is None:
        sys.stderr = os.fdopen(_STDERR, "w", closefd=False)


def take() -> None:
    """Keep the real stdout for MCP frames; everything else that writes to stdout reaches stderr."""
    global _taken  # noqa: PLW0603 - a process has one stdout
    _taken = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)


def taken() -> int:
    """The file descriptor of the real stdout; taken now if it was not before."""
    if _taken is None:
        take()
    assert _taken is not None  # noqa: S101 - take() sets it
    return _taken
