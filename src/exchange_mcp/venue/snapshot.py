"""What ccxt's source reached when it was read, as it ships; and how another ccxt differs from it."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Any, Final, cast
from urllib.parse import urlsplit

import ccxt.async_support as ccxt

from exchange_mcp.rules.endpoints import REVIEWED, Endpoint, EndpointClass
from exchange_mcp.rules.venues import VENUES
from exchange_mcp.venue.derivation import derive, implicit

INSTALLED: Final[str] = ccxt.__version__

_SHIPPED: Final = resources.files("exchange_mcp.rules.endpoints") / "derived"
# What ccxt's `enable_demo_trading` puts in the place of "api"; bybit has a word of its own for it.
_SANDBOXES: Final = ("demo", "demotrading")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one exchange class reaches under one ccxt version.

    Attributes:
        reached: by class, every endpoint reached; and those named directly that the class has.
        unresolved: by class, the methods reached whose request cannot be told from the source, each with the reason.
        hosts: by ccxt's api section, the host names that it is asked at, live and sandbox alike.
    """

    venue: str
    ccxt: str
    reached: Mapping[EndpointClass, frozenset[Endpoint]]
    unresolved: Mapping[EndpointClass, Mapping[str, str]]
    hosts: Mapping[str, frozenset[str]]

    @classmethod
    def parse(cls, text: str) -> "Snapshot":
        """The snapshot that `str()` wrote."""
        held = json.loads(text)
        return cls(
            venue=held["venue"],
            ccxt=held["ccxt"],
            reached=MappingProxyType(
                {c: frozenset(Endpoint.parse(each) for each in held["classes"][c]) for c in EndpointClass}
            ),
            unresolved=MappingProxyType(
                {c: MappingProxyType(held["unresolved"].get(c, {})) for c in EndpointClass}
            ),
            hosts=MappingProxyType({section: frozenset(names) for section, names in held["hosts"].items()}),
        )

    def __str__(self) -> str:
        held = {
            "venue": self.venue,
            "ccxt": self.ccxt,
            "hosts": {section: sorted(names) for section, names in sorted(self.hosts.items())},
            "classes": {c: [str(each) for each in sorted(self.reached[c])] for c in EndpointClass},
            "unresolved": {
                c: dict(sorted(self.unresolved[c].items())) for c in EndpointClass if self.unresolved[c]
            },
        }
        return json.dumps(held, indent=1, ensure_ascii=False) + "\n"


def take(exchange_class: Any) -> Snapshot:  # noqa: ANN401 - ccxt is untyped
    """Read what an exchange class of the installed ccxt reaches; takes up to half a second, so never on an event loop.

    Raises:
        ValueError: the source of the class or of one of its bases is not there.
    """
    derived = derive(exchange_class)
    reached = {cls: set(endpoints) for cls, endpoints in derived.reached.items()}
    existing = frozenset(implicit(exchange_class).values())
    for line in REVIEWED.get(derived.venue, ()):
        if line.is_named_directly and line.endpoint in existing:
            reached[line.cls].add(line.endpoint)
    sections = {endpoint.api for endpoints in reached.values() for endpoint in endpoints}
    return Snapshot(
        venue=derived.venue,
        ccxt=INSTALLED,
        reached=MappingProxyType({cls: frozenset(endpoints) for cls, endpoints in reached.items()}),
        unresolved=derived.unresolved,
        hosts=MappingProxyType(_hosts(exchange_class(), sections)),
    )


def shipped_text(venue: str) -> str:
    """What ships about a venue that is not excluded, as `str(Snapshot)` wrote it."""
    return (_SHIPPED / f"{venue}.json").read_text(encoding="utf-8")


def shipped(venue: str) -> Snapshot:
    """What a venue's class reached in the ccxt version that was read; of a venue that is not excluded."""
    return Snapshot.parse(shipped_text(venue))


@dataclass(frozen=True, slots=True)
class Difference:
    """What another ccxt version reaches that the shipped one does not, and the reverse.

    Attributes:
        added: by class, the endpoints that only the installed one reaches.
        removed: by class, the endpoints that only the shipped one reaches.
        unresolved: by class, the methods whose request can no longer be told from the source.
        hosts: the new host names, each behind its api section, such as "private api.example.com".
    """

    venue: str
    shipped: str
    installed: str
    added: Mapping[EndpointClass, frozenset[Endpoint]]
    removed: Mapping[EndpointClass, frozenset[Endpoint]]
    unresolved: Mapping[EndpointClass, frozenset[str]]
    hosts: frozenset[str]

    @property
    def is_empty(self) -> bool:
        """Whether nothing but the version changed."""
        return not any((self.hosts, *self.added.values(), *self.removed.values(), *self.unresolved.values()))

    @property
    def widens_reads(self) -> bool:
        """Whether a read or the catalogue reaches more, less surely, or at a new host."""
        reading = (EndpointClass.READ, EndpointClass.MARKETS)
        return bool(self.hosts or any(self.added[cls] or self.unresolved[cls] for cls in reading))

    @property
    def digest(self) -> str:
        """Identifies this difference between these two versions at this venue: SHA-256 in hexadecimal."""
        return hashlib.sha256(str(self).encode()).hexdigest()

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.venue}: ccxt {self.shipped} was read, {self.installed} is installed"
        yield from (f"+ host {host}" for host in sorted(self.hosts))
        for cls in EndpointClass:
            yield from (f"+ {cls} {endpoint}" for endpoint in sorted(self.added[cls]))
            yield from (f"- {cls} {endpoint}" for endpoint in sorted(self.removed[cls]))
            yield from (f"? {cls} {method}" for method in sorted(self.unresolved[cls]))


def difference(before: Snapshot, after: Snapshot) -> Difference:
    """How the installed ccxt's reach at a venue differs from the one that was read."""
    gained = {
        f"{section} {name}"
        for section, names in after.hosts.items()
        for name in names - before.hosts.get(section, frozenset())
    }
    return Difference(
        venue=after.venue,
        shipped=before.ccxt,
        installed=after.ccxt,
        added=MappingProxyType({cls: after.reached[cls] - before.reached[cls] for cls in EndpointClass}),
        removed=MappingProxyType({cls: before.reached[cls] - after.reached[cls] for cls in EndpointClass}),
        unresolved=MappingProxyType(
            {
                cls: frozenset(after.unresolved[cls]) - frozenset(before.unresolved[cls])
                for cls in EndpointClass
            }
        ),
        hosts=frozenset(gained),
    )


def accepted(change: Difference, digest: str) -> bool:
    """Whether an operator who gave this digest accepted this difference, and no other."""
    return change.digest == digest


def _hosts(exchange: Any, sections: set[str]) -> dict[str, frozenset[str]]:  # noqa: ANN401 - ccxt is untyped
    live = exchange.urls["api"]
    has_sandbox = exchange.id in VENUES and VENUES[exchange.id].sandbox_market_types
    sandboxes = [exchange.urls[name] for name in _SANDBOXES if has_sandbox and exchange.urls.get(name)]
    hosts: dict[str, frozenset[str]] = {}
    for section in sorted(sections):
        asked = _texts(_below(live, section))
        asked += [found for urls in sandboxes if isinstance(found := _below(urls, section), str)]
        name = _hostname(exchange, section)
        hosts[section] = frozenset(
            host for url in asked if (host := urlsplit(url.replace("{hostname}", name)).netloc)
        )
    return hosts


def _hostname(exchange: Any, section: str) -> str:  # noqa: ANN401 - ccxt is untyped
    """What ccxt fills into the URLs of a section: htx has a host a section, others one for all of them, or none."""
    named = _below(exchange.urls.get("hostnames"), section)
    return named if isinstance(named, str) else exchange.hostname or ""


def _below(urls: Any, section: str) -> Any:  # noqa: ANN401 - ccxt is untyped
    """The part of ccxt's urls that a section leads to; where no key names it, one host serves all sections."""
    below = urls
    for word in section.split("/"):
        parts = cast("dict[str, Any]", below if isinstance(below, dict) else {})
        below = parts.get(word, below)
    return below


def _texts(urls: Any) -> list[str]:  # noqa: ANN401 - ccxt is untyped
    if isinstance(urls, str):
        return [urls]
    parts = cast("dict[str, Any]", urls).values() if isinstance(urls, dict) else ()
    return [text for part in parts for text in _texts(part)]
