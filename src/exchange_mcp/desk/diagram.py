"""The table of intents as a page: `python -m exchange_mcp.desk.diagram > docs/intents.md`."""

import sys
from collections.abc import Iterator, Sequence
from typing import Final

from exchange_mcp.desk.intents import LIVE, MAY_HAVE_PLACED, TRANSITIONS, State, Transition
from exchange_mcp.model.outcomes import Action

_ACTIONS: Final[tuple[Action, ...]] = ("place", "cancel", "leverage")

_INTRODUCTION: Final = """\
# The states of an intent

Generated from the table in `exchange_mcp/desk/intents.py` by `python -m exchange_mcp.desk.diagram`; a test fails
when they differ. An intent is the durable record of one write. Each arrow is one transaction of the journal: the new
state and its event together, on the disk before anybody is told. What is not listed here raises.
"""

_CLOSING: Final = """\
## What follows from a state

- **Live** ({live}): asking for the same again gives this intent.
- **May have placed** ({placed}): the same for 24 hours, unless the proposal names it in `distinct_from`.
- Every other state blocks nothing. A decline is followed by a pause of ten minutes for exactly what was declined.
- While an intent is unknown, nothing that could add to it is taken or claimed on its account and asset, and its
  worst case stays counted in the limits, however long that takes.
- On start, dispatching becomes unknown and approved lapses, before anything else. Nothing is ever sent again.
"""


def markdown() -> str:
    """The page."""
    parts = [_INTRODUCTION]
    for action in _ACTIONS:
        rows = [row for row in TRANSITIONS if action in row.actions]
        parts += [f"## {action}\n", *_diagram(rows), *_table(rows)]
    parts.append(_CLOSING.format(live=_names(LIVE), placed=_names(MAY_HAVE_PLACED)))
    return "\n".join(parts)


def _diagram(rows: Sequence[Transition]) -> Iterator[str]:
    yield "```mermaid\nstateDiagram-v2\n    [*] --> proposed: recorded"
    for row in rows:
        for end in row.ends:
            yield f"    {row.start} --> {end}: {row.cause}"
    left = {row.start for row in rows}
    ended = {end for row in rows for end in row.ends} - left
    yield from (f"    {end} --> [*]" for end in State if end in ended)
    yield "```\n"


def _table(rows: Sequence[Transition]) -> Iterator[str]:
    yield "| from | by | to | when |\n|---|---|---|---|"
    for row in rows:
        yield f"| {row.start} | {row.cause} | {', '.join(row.ends)} | {row.meaning} |"
    yield ""


def _names(states: frozenset[State]) -> str:
    return ", ".join(state for state in State if state in states)


if __name__ == "__main__":
    sys.stdout.write(markdown())
