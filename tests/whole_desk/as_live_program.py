"""`as_if_live.py` at a venue that may be asked as often as a test asks: our limiter lets everything pass at once.

Not a test: the same arguments. A minute's budget of reads is less than what a day of trading in thirty seconds takes.
"""

import runpy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from exchange_mcp.server import assembly

if TYPE_CHECKING:
    from exchange_mcp.server.assembly import Keyed
    from exchange_mcp.venue.opening import Opening

_AS_IF_LIVE = Path(__file__).parents[1] / "cli" / "as_if_live.py"
_opening = assembly.opening


def unhurried(keyed: "Keyed") -> "Opening":
    """As `assembly.opening`, without the limiter."""
    return replace(_opening(keyed), rate_limit=False)


assembly.opening = unhurried
runpy.run_path(str(_AS_IF_LIVE), run_name="__main__")
