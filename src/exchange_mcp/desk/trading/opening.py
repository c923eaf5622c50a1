"""A desk's venues for its engine, one an account, over the trading venues that were opened for them."""

from collections.abc import Collection, Iterable

from exchange_mcp.desk.trading.limits import PolicyLimits
from exchange_mcp.desk.trading.venue import TradingDeskVenue
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.ports import Clock
from exchange_mcp.model.trading import TradingVenue


def desk_venues(
    trading: Iterable[TradingVenue],
    limits: PolicyLimits,
    clock: Clock,
    *,
    carded: Collection[AccountName] = (),
) -> dict[AccountName, TradingDeskVenue]:
    """What `Engine` is handed as its venues.

    Args:
        trading: every account's, opened.
        limits: the same that the engine has.
        clock: the same that the engine has.
        carded: live accounts for whose venue a recorded test card has shown what machine absence rests on.
    """
    by_name = {venue.account.name: venue for venue in trading}
    readings = {name: venue.reading for name, venue in by_name.items()}
    return {
        name: TradingDeskVenue(venue, readings=readings, limits=limits, clock=clock, has_card=name in carded)
        for name, venue in by_name.items()
    }
