"""How a command shows what it found: with lines and colours at a terminal, as plain aligned text elsewhere.

What is shown is data: nothing in it is markup, and characters that would steer a terminal are written out.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import click

from exchange_mcp.model.venue_text import visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_MOST: Final = 400
_LABEL: Final = 14


def is_rich() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()


def console() -> "Console":
    """The terminal."""
    from rich.console import Console  # noqa: PLC0415 - only where there is one

    return Console(highlight=False, markup=False, emoji=False)


def show(renderable: "RenderableType") -> None:
    """Show it at the terminal."""
    console().print(renderable)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "") -> None:
    """Print rows under a header."""
    shown = [[visible(cell, _MOST) for cell in row] for row in rows]
    if not is_rich():
        click.echo("\n".join(plain_table(header, shown)))
        return
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    drawn = Table(title=title or None, title_justify="left", header_style="bold", pad_edge=False)
    for name in header:
        drawn.add_column(name, overflow="fold")
    for row in shown:
        drawn.add_row(*(Text(cell) for cell in row))
    show(drawn)


def plain_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their widest cell."""
    widths = [max(len(row[at]) for row in (header, *rows)) for at in range(len(header))]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, *rows)
    ]


def pairs(entries: Iterable[tuple[str, str]]) -> None:
    """Print labels and what they say, a line each."""
    for label, told in entries:
        said = visible(told, _MOST)
        if is_rich():
            from rich.text import Text  # noqa: PLC0415 - as above

            show(Text.assemble((f"{label:<{_LABEL}} ", "bold"), said))
        else:
            click.echo(f"{label:<{_LABEL}} {said}".rstrip())
