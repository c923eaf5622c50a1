"""What an operator may accept: how the installed ccxt differs from the one that was read, and what that would open."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from exchange_mcp.rules.endpoints import REVIEWED, Endpoint, EndpointClass
from exchange_mcp.venue.endpoints import EndpointTable, decide, snapshots
from exchange_mcp.venue.snapshot import Difference, Snapshot, difference


@dataclass(frozen=True, slots=True)
class Proposal:
    """The difference at one supported venue, and what may leave there without its acceptance and with it."""

    change: Difference
    now: EndpointTable
    then: EndpointTable

    def opened(self) -> Mapping[EndpointClass, frozenset[Endpoint]]:
        """By class, what may leave only once it is accepted; classes that gain nothing are left out."""
        gained = {cls: self.then.allowed[cls] - self.now.allowed[cls] for cls in EndpointClass}
        return {cls: endpoints for cls, endpoints in gained.items() if endpoints}


def proposals(
    pairs: Iterable[tuple[Snapshot, Snapshot]], accepted: Collection[str] = ()
) -> tuple[Proposal, ...]:
    """A proposal for each pair of what was read and what is installed that are of different versions."""
    return tuple(
        Proposal(
            change := difference(before, after),
            decide(before, after, accepted),
            decide(before, after, {*accepted, change.digest}),
        )
        for before, after in pairs
        if before.ccxt != after.ccxt
    )


def installed_proposals(accepted: Collection[str] = ()) -> tuple[Proposal, ...]:
    """What may be accepted with the ccxt that is installed; takes some seconds unless that is the one that was read."""
    return proposals(map(snapshots, REVIEWED), accepted)
