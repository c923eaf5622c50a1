"""`TradingVenue` over ccxt: an account whose key may trade, as the desk is handed it. Serve imports none of it."""
