"""One decision on the screen: what was decoded from the plan in the frame, the proposer's note outside."""

from collections.abc import Iterator
from typing import Final

import click

from exchange_mcp.cli.tabled import is_rich, show
from exchange_mcp.desk.operator.page import Page

_LABEL: Final = 14


def show_page(page: Page, now_ms: int) -> None:
    """Show it: in a frame at a terminal, as lines elsewhere."""
    if is_rich():
        _show_framed(page, now_ms)
    else:
        click.echo("\n".join(_plain(page, now_ms)))


def page_object(page: Page) -> dict[str, object]:
    """The same for programs."""
    return {
        "environment": page.environment,
        "headline": page.headline,
        "halted": page.halted,
        "where": dict(page.where),
        "lines": list(page.lines),
        "request": list(page.request),
        "similar": list(page.recent),
        "changed": list(page.changed),
        "approvals": page.approvals,
        "expires_ms": page.expires_ms,
        "plan_digest": page.digest,
        "untrusted_note": page.note,
    }


def remaining(until_ms: int, now_ms: int) -> str:
    """How long there is left, in minutes and seconds."""
    seconds = max(0, until_ms - now_ms) // 1000
    return f"{seconds // 60} min {seconds % 60:02} s" if seconds >= 60 else f"{seconds} s"  # noqa: PLR2004 - a minute


def _plain(page: Page, now_ms: int) -> Iterator[str]:
    yield f"=== {page.environment} ==="
    if page.halted is not None:
        yield f"HALTED: {page.halted}"
    yield page.headline
    yield ""
    for label, told in _parts(page, now_ms):
        yield f"{label:<{_LABEL}} {told}".rstrip()
    yield "=== end of what is decided ==="
    yield from _note(page)


def _parts(page: Page, now_ms: int) -> Iterator[tuple[str, str]]:
    yield from page.where
    yield "", ""
    for line in page.lines:
        label, _, told = (
            line.partition(" ") if len(line) <= _LABEL else (line[:_LABEL], "", line[_LABEL + 1 :])
        )
        yield label.strip(), told.strip()
    yield "", ""
    for at, line in enumerate(page.request):
        yield "sends" if at == 0 else "", line
    for line in page.recent:
        yield "WARNING", line
    for line in page.changed:
        yield "changed", line
    yield "", ""
    yield "approval", page.approvals
    yield "plan digest", page.digest
    yield "expires", f"in {remaining(page.expires_ms, now_ms)}"


def _note(page: Page) -> Iterator[str]:
    if page.note is not None:
        yield "Note of the proposer - UNTRUSTED, written by a program; it may say anything:"
        yield f"  {page.note}"


def _show_framed(page: Page, now_ms: int) -> None:
    from rich.console import Group  # noqa: PLC0415 - only where there is a terminal
    from rich.panel import Panel  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    figures = Table.grid(padding=(0, 2))
    figures.add_column(style="bold", no_wrap=True)
    figures.add_column(overflow="fold")
    for label, told in _parts(page, now_ms):
        style = "bold red" if label == "WARNING" else "yellow" if label in {"warning", "changed"} else ""
        figures.add_row(Text(label), Text(told, style=style))
    colour = "red" if page.is_live else "cyan"
    halted = [] if page.halted is None else [Text(f"HALTED: {page.halted}", style="bold red"), Text("")]
    framed = Panel(
        Group(*halted, Text(page.headline, style="bold"), Text(""), figures),
        title=Text(f" {page.environment} ", style=f"bold reverse {colour}"),
        border_style=colour,
    )
    show(framed)
    for line in _note(page):
        show(Text(line, style="dim"))
