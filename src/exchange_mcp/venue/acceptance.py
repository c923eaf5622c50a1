"""What an operator may accept: how the installed ccxt differs from the one that was read, and what that would open."""

from collections.abc import Collection, Iterable, Iterator, Mapping
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
) -> Iterator[Proposal]:
    """A proposal for each pair of what was read and what is installed that are of different versions."""
    for before, after in pairs:
        if before.ccxt != after.ccxt:
            change = difference(before, after)
            with_it = decide(before, after, {*accepted, change.digest})
            yield Proposal(change, decide(before, after, accepted), with_it)


def installed_proposals(accepted: Collection[str] = ()) -> Iterator[Proposal]:
    """What may be accepted with the ccxt that is installed; each takes up to half a second to derive."""
    return proposals(map(snapshots, REVIEWED), accepted)
