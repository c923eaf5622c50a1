"""What an order in a market is held to, from the row in which its venue lists that market. Pure.

Binance's rows are read filter by filter; of the other venues it is what ccxt's market structure gives exactly.
"""

from exchange_mcp.model.terms import MarketTerms
from exchange_mcp.venue.listed import binance, structure
from exchange_mcp.venue.terms import Parsed


def market_terms(venue: str, market: Parsed, precision_mode: int) -> MarketTerms:
    """The terms of one listed market; `precision_mode` says what the figures of ccxt's `precision` are.

    Raises:
        BadAnswerError: the row lacks a rule that its venue documents, or holds what is no exact number.
        NotCoveredError: it is not told on which grid prices and amounts are, or what an amount counts.
    """
    if venue == "binance" and not market.get("inverse"):
        return binance.terms(market)
    return structure.terms(venue, market, precision_mode)
