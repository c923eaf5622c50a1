"""exchange-mcp audit: a desk's event log, verified or printed."""

import sys
from contextlib import closing
from pathlib import Path

import click

from exchange_mcp.audit.verify import Expected, answer, expectation, mark_of
from exchange_mcp.cli.places import places
from exchange_mcp.model.errors import JournalError


@click.group("audit")
def command() -> None:
    """Verify what a desk recorded, or print it."""


@command.command("verify")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--mark",
    "marks",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A desk's mark, kept outside the journal; without it, this machine's own for a journal.",
)
@click.option(
    "--expect", "expected", multiple=True, metavar="NUMBER:HASH", help="A head that you noted down."
)
def verify(file: Path, *, marks: tuple[Path, ...], expected: tuple[str, ...]) -> None:
    """Verify FILE, a journal or an exported log: 0 if it holds together, 1 with the first bad number, else 2.

    The same check is one file that needs only Python: exchange_mcp/audit/verify.py.
    """
    try:
        noted = [expectation(text) for text in expected]
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    kept = places().state / "desk" / "marks"

    def outside(desk_id: str) -> list[Expected]:
        # An exported log may be older than the mark, and is no worse for it.
        own = (kept / f"{desk_id}.mark",) if _is_journal(file) and desk_id.isalnum() else ()
        return [*noted, *(mark for path in marks or own if (mark := mark_of(path)) is not None)]

    code, text = answer(file, outside)
    click.echo(text, err=code != 0)
    sys.exit(code)


@command.command("export")
@click.argument("journal", type=click.Path(path_type=Path))
def export(journal: Path) -> None:
    """Print the event log of JOURNAL as lines of JSON, in the form that `verify` takes; its desk may run."""
    from exchange_mcp.desk.opening import open_reading  # noqa: PLC0415 - the database library takes its time

    try:
        with closing(open_reading(journal)) as opened:
            for line in opened.export():
                click.echo(line)
    except JournalError as error:
        raise click.ClickException(f"{error.message}. {error.next_step}") from None


def _is_journal(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(6) == b"SQLite"
