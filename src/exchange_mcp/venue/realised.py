"""What an account's derivatives realised: every row of the span, over all its pages, or an error.

Which rows count is of the trade: a closed position's profit or loss, the fees of its fills, its funding, and what a
liquidation or a delivery settled. Transfers, vouchers and rebates do not; leaving a rebate out errs on the safe side.
https://developers.binance.com/docs/derivatives/usds-margined-futures/account/rest-api/Get-Income-History
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.errors import BadAnswerError, NotCoveredError
from exchange_mcp.model.readings import Realised
from exchange_mcp.venue.standing.question import rows
from exchange_mcp.venue.terms import Parsed, number

SymbolOf = Callable[[str], str]
"""From the venue's own id of a market to its unified symbol, or to itself where none is listed."""

# The page's largest answer; and as many of them as an account fills in a day that trades without pause.
_SIZE: Final = 1000
_MOST_PAGES: Final = 20
_COUNTED: Final = frozenset(
    {"REALIZED_PNL", "COMMISSION", "FUNDING_FEE", "INSURANCE_CLEAR", "DELIVERED_SETTELMENT"}
)


async def _binance_usdm(
    client: Any,  # noqa: ANN401 - ccxt is untyped
    since_ms: int,
    symbol_of: SymbolOf,
) -> Sequence[Realised]:
    # By its whole text: what is booked while pages are read may push a row onto the next one.
    found: dict[tuple[tuple[str, str], ...], Realised] = {}
    for page in range(1, _MOST_PAGES + 1):
        asked = {"startTime": since_ms, "limit": _SIZE, "page": page}
        told = rows(await client.fapiPrivateGetIncome(asked))
        for row in told:
            if row.get("incomeType") in _COUNTED:
                key = tuple(sorted((str(name), str(value)) for name, value in row.items()))
                found[key] = _realised(row, symbol_of)
        if len(told) < _SIZE:
            return tuple(found.values())
    raise NotCoveredError(f"there are more than {_SIZE * _MOST_PAGES} entries, more than are read")


def _realised(row: Parsed, symbol_of: SymbolOf) -> Realised:
    amount, at_ms = number(row, "income"), number(row, "time")
    asset, market = row.get("asset"), row.get("symbol")
    if amount is None or at_ms is None or not isinstance(asset, str) or not asset:
        raise BadAnswerError("the venue sent an entry of what was realised without its amount, asset or time")
    return Realised(
        symbol=symbol_of(market) if isinstance(market, str) and market else None,
        asset=asset,
        amount=amount,
        at_ms=int(at_ms),
    )


RealisedReader = Callable[[Any, int, SymbolOf], Awaitable[Sequence[Realised]]]

REALISED: Final[Mapping[tuple[str, MarketType], RealisedReader]] = MappingProxyType(
    {("binance", MarketType.LINEAR): _binance_usdm}
)
"""By venue and market type: how it is read, from a moment on, UTC milliseconds, that moment included."""
