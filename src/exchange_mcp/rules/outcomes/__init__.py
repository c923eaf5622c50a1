"""What a venue's answer to a write proves: one module a venue, and what exceptions say beside it. Pure data.

A code is a refusal only where the venue's page says what was wrong with the request; everything else is unknown.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exchange_mcp.rules.outcomes import binance
from exchange_mcp.rules.outcomes.shapes import Route

ROUTES: Final[Mapping[str, tuple[Route, ...]]] = MappingProxyType({"binance": binance.ROUTES})
"""By ccxt id."""
