"""What may leave at one venue, as an auditor reads it: JSON for programs, text for a terminal."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.venue.endpoints import EndpointTable


def as_json(table: EndpointTable) -> dict[str, Any]:
    """`{venue, ccxt, hosts, classes, derived_only, switched_off, digest}`, and `refused` where something is."""
    return {**table.listed(), "digest": table.digest}


def as_text(table: EndpointTable) -> str:
    """The same as lines, with the reason beside everything that may not leave."""
    return "\n".join(_lines(table)) + "\n"


def _lines(table: EndpointTable) -> Iterator[str]:
    count = sum(map(len, table.allowed.values()))
    yield f"{table.venue}, ccxt {table.ccxt}: {count or 'no'} request{'' if count == 1 else 's'} may leave"
    yield f"digest {table.digest}"
    if table.change is not None:
        yield "\ndifference to the ccxt that was read"
        yield from (f"  {line}" for line in str(table.change).splitlines())
    if table.refused:
        yield "\nrefused"
        yield from (f"  {cls}: {why}" for cls, why in sorted(table.refused.items()))
    if table.hosts:
        yield "\nhosts"
        yield from (f"  {host}" for host in sorted(table.hosts))
    for cls in EndpointClass:
        yield from _requests(f"{cls}: may leave", table.allowed[cls])
    for cls in EndpointClass:
        others = table.derived_only[cls] - table.needs_key.keys()
        yield from _requests(f"{cls}: reached by ccxt's source, not allowed", others)
    if table.needs_key:
        yield "\nread: reached by ccxt's source, not allowed, since this venue is never asked with a key"
        yield from (f"  {endpoint}: {why}" for endpoint, why in sorted(table.needs_key.items()))
    yield "\nswitched off, although ccxt would ask it by itself"
    yield from (f"  {name}: {why}" for name, why in sorted(table.switched_off.items()))


def _requests(title: str, endpoints: Collection[Endpoint]) -> Iterator[str]:
    if endpoints:
        yield f"\n{title}"
        yield from aligned(endpoints)


def aligned(endpoints: Iterable[Endpoint]) -> Iterator[str]:
    """A line a request: verb, ccxt's section, path template."""
    rows = sorted(endpoints)
    widest = max((len(each.api) for each in rows), default=0)
    yield from (f"  {each.verb:<6} {each.api:<{widest}}  {each.path}" for each in rows)
