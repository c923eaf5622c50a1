"""A TCP port that cannot be had: which one, who to look for, and what to change."""

import errno
import sys

import click


def port_refused(error: OSError, what: str, port: int, change: str) -> click.ClickException:
    """The end of a command that could not listen.

    Args:
        error: what the system said.
        what: names what was to listen there, and at which address.
        port: the one that was refused.
        change: what to do about it, beginning with a verb.
    """
    if error.errno == errno.EADDRINUSE:
        return click.ClickException(
            f"{what}: port {port} is in use by another program. See which, and stop it: {_who(port)}. Or {change}"
        )
    return click.ClickException(
        f"{what}: port {port}: {error.strerror or error}. To listen elsewhere, {change}"
    )


def _who(port: int) -> str:
    """The system's own command that names the listener; iproute2's, and Apple's where that is missing."""
    if sys.platform == "darwin":
        return f"lsof -nP -iTCP:{port} -sTCP:LISTEN"
    return f"ss -ltnp 'sport = :{port}'"
