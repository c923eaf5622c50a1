"""Which requests may leave the process at a venue: what ccxt's source reaches, cut by the reviewed lists.

The derivation is in `derivation`; here it is compared with what ships for the pinned ccxt, and cut.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from exchange_mcp.rules.endpoints import Endpoint, EndpointClass


@dataclass(frozen=True, slots=True)
class EndpointTable:
    """What may leave at one venue under one ccxt version.

    Attributes:
        allowed: by class, exactly the reviewed endpoints that ccxt's source reaches too (or that are named directly).
        derived_only: reached by ccxt's source and in no reviewed list: reported, never allowed.
        switched_off: what ccxt would ask by itself and our options forbid, with the reason.
        refused: by class, why nothing of it may leave although lines of it were reviewed.
        hosts: the only host names that the allowed endpoints are asked at, live and sandbox alike.
        digest: identifies all of the above.
    """

    venue: str
    ccxt: str
    allowed: Mapping[EndpointClass, frozenset[Endpoint]]
    derived_only: Mapping[EndpointClass, frozenset[Endpoint]]
    switched_off: Mapping[str, str]
    refused: Mapping[EndpointClass, str]
    hosts: frozenset[str]
    digest: str
