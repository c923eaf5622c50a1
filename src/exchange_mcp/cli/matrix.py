"""exchange-mcp matrix: the annotation matrix, as a page or as JSON."""

import click

from exchange_mcp.tools.matrix import as_json, as_markdown, matrix, observed
from exchange_mcp.tools.registry import builtin


@click.command("matrix")
@click.option("--format", "style", type=click.Choice(["md", "json"]), default="md", show_default=True)
def command(style: str) -> None:
    """Print every tool's effect, hints, reasons and commitment, and what is refused by design."""
    table = matrix(builtin())
    click.echo(as_json(table) if style == "json" else as_markdown(table, observed()), nl=False)
