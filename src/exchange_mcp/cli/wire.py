"""Where the real stdout went: taken away before any import, given back to whoever speaks MCP on it."""

import os

_taken: int | None = None


def take() -> None:
    """Keep the real stdout for MCP frames; everything else that writes to stdout reaches stderr."""
    global _taken  # noqa: PLW0603 - a process has one stdout
    _taken = os.dup(1)
    os.dup2(2, 1)


def taken() -> int:
    """The file descriptor of the real stdout; taken now if it was not before."""
    if _taken is None:
        take()
    assert _taken is not None  # noqa: S101 - take() sets it
    return _taken
