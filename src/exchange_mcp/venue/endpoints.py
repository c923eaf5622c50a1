"""Which requests may leave the process at a venue: what ccxt's source reaches, cut by the reviewed lists.

For the ccxt version that was read, what its source reaches ships as data and nothing is parsed. For another version
it is derived from the installed source, and compared, by a strict reading:

- writes wait until an operator accepts the difference by its digest, even if only the version changed;
- if a read or the catalogue reaches one endpoint more, or a new host, or a request that the source no longer tells,
  then nothing at all may leave at that venue until it is accepted. The reviewed list would still cut the newcomer
  off, but ccxt now does something inside a read that nobody has looked at.

A venue without a reviewed list is only ever asked without a key. What its reads reach may leave as far as ccxt sends
it unsigned, if none of it is a write or a sign-in; under another ccxt version that is judged afresh.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.endpoints import REVIEWED, WRITES, Endpoint, EndpointClass
from exchange_mcp.rules.endpoints.switched_off import switched_off
from exchange_mcp.rules.other_venues import other_venues
from exchange_mcp.venue.addresses import learn_public
from exchange_mcp.venue.derivation import Derived, derive
from exchange_mcp.venue.snapshot import INSTALLED, Difference, Snapshot, accepted, difference, shipped, take
from exchange_mcp.venue.sweep import READING, Examined, Offence, examine, exchange_class, sweep

__all__ = [
    "Derived",
    "Difference",
    "EndpointTable",
    "Examined",
    "Offence",
    "Snapshot",
    "accepted",
    "decide",
    "derive",
    "difference",
    "examine",
    "keyless",
    "shipped",
    "snapshots",
    "sweep",
    "table",
    "take",
]

_NONE: Final = frozenset[Endpoint]()


@dataclass(frozen=True, slots=True)
class EndpointTable:
    """What may leave at one venue under one ccxt version.

    Attributes:
        allowed: by class, exactly the reviewed endpoints that ccxt's source reaches too (or that are named directly).
        derived_only: reached by ccxt's source and in no reviewed list: reported, never allowed.
        switched_off: what ccxt would ask by itself and our options forbid, with the reason.
        refused: by class, why nothing of it may leave although something of it was reviewed or derived.
        hosts: the only host names that the allowed endpoints are asked at, live and sandbox alike.
        change: how the installed ccxt differs from the one that was read; None if it is that one, or if none was.
        needs_key: at a venue without a reviewed list, the reads that cannot be sent without a key, with the reason.
    """

    venue: str
    ccxt: str
    allowed: Mapping[EndpointClass, frozenset[Endpoint]]
    derived_only: Mapping[EndpointClass, frozenset[Endpoint]]
    switched_off: Mapping[str, str]
    refused: Mapping[EndpointClass, str]
    hosts: frozenset[str]
    change: Difference | None = None
    needs_key: Mapping[Endpoint, str] = field(default_factory=dict[Endpoint, str])

    @property
    def closed(self) -> str | None:
        """Why nothing can be read at this venue, as one sentence; None if it can."""
        return self.refused.get(EndpointClass.READ) or self.refused.get(EndpointClass.MARKETS)

    def of(self, cls: EndpointClass, market_types: Collection[MarketType]) -> frozenset[Endpoint]:
        """What may leave for this purpose and these market types; a venue without a reviewed list knows no types."""
        lines = REVIEWED.get(self.venue)
        if lines is None:
            return self.allowed[cls]
        wanted = {line.endpoint for line in lines if set(market_types) & set(line.market_types)}
        return self.allowed[cls] & wanted

    @property
    def digest(self) -> str:
        """Identifies all that `listed` tells: SHA-256 in hexadecimal."""
        text = json.dumps(self.listed(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def listed(self) -> dict[str, Any]:
        """The table as JSON values, sorted, for auditors; `refused` is there only where something is."""
        refused = {cls: self.refused[cls] for cls in EndpointClass if cls in self.refused}
        return {
            "venue": self.venue,
            "ccxt": self.ccxt,
            "hosts": sorted(self.hosts),
            "classes": {cls: _listed(self.allowed[cls]) for cls in EndpointClass},
            "derived_only": {cls: _listed(self.derived_only[cls]) for cls in EndpointClass},
            "switched_off": dict(sorted(self.switched_off.items())),
            **({"refused": refused} if refused else {}),
        }


def table(venue: str, accepted_digests: Collection[str] = ()) -> EndpointTable:
    """What may leave at a venue, given the digests of the differences that an operator accepted.

    A venue without a reviewed list gets what its reads reach and ccxt sends without a key, if none of all that its
    reads reach is a write or a sign-in. Parses source where another ccxt is installed than was read, so it is not for
    an event loop.

    Raises:
        LookupError: ccxt has no exchange of that name.
        ValueError: ccxt's source is not there, and it was needed.
    """
    if venue not in REVIEWED:
        return keyless(*_examined(exchange_class(venue)))
    return decide(*snapshots(venue), accepted_digests)


def snapshots(venue: str) -> tuple[Snapshot, Snapshot]:
    """What a supported venue's class reached when it was read, and what the installed one reaches."""
    before = shipped(venue)
    return before, before if before.ccxt == INSTALLED else take(exchange_class(venue))


def decide(before: Snapshot, after: Snapshot, accepted_digests: Collection[str] = ()) -> EndpointTable:
    """What may leave at a supported venue where `before` was read and `after` is installed."""
    if before.ccxt == after.ccxt:
        return _cut(after, {}, None)
    change = difference(before, after)
    is_accepted = any(accepted(change, digest) for digest in accepted_digests)
    return _cut(after, {} if is_accepted else _refusals(change), change)


def _cut(reach: Snapshot, refused: Mapping[EndpointClass, str], change: Difference | None) -> EndpointTable:
    reviewed = {
        cls: frozenset(line.endpoint for line in REVIEWED[reach.venue] if line.cls is cls)
        for cls in EndpointClass
    }
    allowed = {cls: _NONE if cls in refused else reviewed[cls] & reach.reached[cls] for cls in EndpointClass}
    return _made(
        reach,
        allowed,
        {cls: reach.reached[cls] - reviewed[cls] for cls in EndpointClass},
        {cls: why for cls, why in refused.items() if reviewed[cls]},
        change,
    )


def _refusals(change: Difference) -> dict[EndpointClass, str]:
    version = f"ccxt {change.installed} is installed and {change.shipped} was read"
    accept = f"until an operator accepts the difference {change.digest}"
    if change.widens_reads:
        return dict.fromkeys(EndpointClass, f"{version}; its reads reach more, so nothing may leave {accept}")
    return dict.fromkeys(sorted(WRITES), f"{version}; writes wait {accept}")


def keyless(reach: Snapshot, reason: str | None) -> EndpointTable:
    """What may leave at a venue without a reviewed list; nothing for a `reason`, or if its markets need a key."""
    kind = exchange_class(reach.venue)
    reads = frozenset[Endpoint]().union(*(reach.reached[cls] for cls in READING))
    addresses, needs_key = learn_public(kind({}), () if reason else sorted(reads))
    public = frozenset(addresses)
    reason = reason or _without_markets(reach, public)
    allowed = {
        cls: reach.reached[cls] & public if cls in READING and reason is None else _NONE
        for cls in EndpointClass
    }
    refused = dict.fromkeys(
        sorted(WRITES), f"{reach.venue} has no reviewed list, so nothing is written there"
    )
    if reason is not None:
        refused |= dict.fromkeys(READING, reason)
    derived_only = {cls: reach.reached[cls] - allowed[cls] for cls in EndpointClass}
    return replace(_made(reach, allowed, derived_only, refused, None), needs_key=needs_key)


def _without_markets(reach: Snapshot, public: frozenset[Endpoint]) -> str | None:
    loads = reach.reached[EndpointClass.MARKETS]
    if not loads or loads & public:  # some classes bring their markets along
        return None
    asked = ", ".join(map(str, sorted(loads)))
    return f"{reach.venue} is excluded: its list of markets cannot be read without a key ({asked})"


def _examined(kind: Any) -> tuple[Snapshot, str | None]:  # noqa: ANN401 - ccxt is untyped
    """What a class reaches, and why it is excluded if it is. What ships was examined when it was read."""
    if kind.__name__ in other_venues().venues:
        held = shipped(kind.__name__)
        if held.ccxt == INSTALLED:
            return held, None
    return take(kind), examine(kind).reason


def _made(
    reach: Snapshot,
    allowed: Mapping[EndpointClass, frozenset[Endpoint]],
    derived_only: Mapping[EndpointClass, frozenset[Endpoint]],
    refused: Mapping[EndpointClass, str],
    change: Difference | None,
) -> EndpointTable:
    sections = {endpoint.api for endpoints in allowed.values() for endpoint in endpoints}
    return EndpointTable(
        venue=reach.venue,
        ccxt=reach.ccxt,
        allowed=MappingProxyType(allowed),
        derived_only=MappingProxyType(derived_only),
        switched_off=switched_off(reach.venue),
        refused=MappingProxyType(refused),
        hosts=frozenset[str]().union(*(reach.hosts[section] for section in sections)),
        change=change,
    )


def _listed(endpoints: frozenset[Endpoint]) -> list[dict[str, str]]:
    return [{"verb": each.verb, "api": each.api, "path": each.path} for each in sorted(endpoints)]


if __name__ == "__main__":
    from exchange_mcp.venue import endpoint_pages

    endpoint_pages.write()
