"""`python -m exchange_mcp.venue.scope`: write the tables about keys into this checkout."""

from exchange_mcp.venue.scope.pages import write

write()
