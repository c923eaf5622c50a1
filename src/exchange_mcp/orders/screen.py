"""A preview as lines of plain text: fixed order, one alphabet, nothing that was not decoded from the plan."""

from exchange_mcp.orders.preview import Preview


def lines(preview: Preview) -> tuple[str, ...]:
    """The lines for the screen; every character is in `wording.ALPHABET`, or spells another one out."""
    raise NotImplementedError
