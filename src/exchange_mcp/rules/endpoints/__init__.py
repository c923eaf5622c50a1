"""Which endpoints may be asked at each venue: the reviewed lists, and the types they are written in. Pure data.

What may leave the process is the intersection of these lists with what ccxt's own source reaches
(`exchange_mcp.venue.endpoints`).
"""

from collections.abc import Mapping
from types import MappingProxyType

from exchange_mcp.rules.endpoints.classes import Endpoint, EndpointClass, Reviewed

__all__ = ["REVIEWED", "Endpoint", "EndpointClass", "Reviewed"]

REVIEWED: Mapping[str, tuple[Reviewed, ...]] = MappingProxyType({})
"""The reviewed lines of every supported venue, by ccxt id."""
