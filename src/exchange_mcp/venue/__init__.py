"""The only package that knows ccxt and aiohttp. It hands out `ReadVenue`s and keeps everything else to itself."""
