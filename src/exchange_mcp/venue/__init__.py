"""The only package that knows ccxt and aiohttp. It hands out `ReadVenue`s and keeps the rest to itself."""
