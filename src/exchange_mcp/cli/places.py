"""Where this user's files are, or, in one sentence, why nobody can tell."""

import os

import click

from exchange_mcp.config.locations import Locations, home_directory, locations


def places() -> Locations:
    """The locations for this user.

    Raises:
        ClickException: HOME is not set, and the user database does not know this user; as in a container
            that runs under a number.
    """
    try:
        home = home_directory(os.environ)
    except KeyError:
        raise click.ClickException(
            f"this user (uid {os.getuid()}) has no home directory; set HOME to an absolute path"
        ) from None
    return locations(os.environ, home)
