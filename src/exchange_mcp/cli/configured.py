"""The configuration that a command is about: which file it is, and how it is said what is wrong with it."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import click

from exchange_mcp.config.faults import ConfigError
from exchange_mcp.config.locations import home_directory


def absolute(file: Path) -> Path:
    """The same file for whoever reads the log: a client expands no `~`, and nobody knows where it launched us."""
    if file.parts[:1] == ("~",):
        return home_directory(os.environ).joinpath(*file.parts[1:])
    return file.absolute()


def end_with_faults(error: ConfigError, source: Path | None) -> NoReturn:
    """A line a fault on standard error, and exit code 2."""
    for fault in error.faults:
        # A fault of a secret knows its account and not the file that refers to it.
        click.echo(str(replace(fault, file=fault.file or (source and str(source)))), err=True)
    sys.exit(2)
