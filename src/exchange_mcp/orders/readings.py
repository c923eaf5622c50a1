"""Everything that was read to work out a preview, in one hand."""

from dataclasses import dataclass

from exchange_mcp.model.terms import MarketTerms, Reference, Standing
from exchange_mcp.orders.reasons import Reasons


@dataclass(frozen=True, slots=True)
class Readings:
    """What was read, and where it is said what could not be worked out from it, and why."""

    terms: MarketTerms
    reference: Reference
    standing: Standing
    reasons: Reasons
