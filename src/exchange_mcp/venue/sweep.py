"""Which exchange classes must not be read from, because what their reads reach includes a write or a sign-in."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import ccxt.async_support as ccxt

from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.rules.endpoints.known_reads import KNOWN_READS
from exchange_mcp.venue.derivation import derive

READING: Final = (EndpointClass.READ, EndpointClass.MARKETS)

# Words of a path that say what a request does. A GET with one is a write until it is among the known reads.
_ACTING: Final = re.compile(
    r"activate|add|apply|approve|authorize|bind|borrow|broadcast|buy|cancel|close|confirm|"
    r"convert|create|deduct|delete|disable|edit|enable|lend|loan|login|logout|place|purchase|"
    r"redeem|register|remove|repay|reset|sell|send|sendtx|session|set|signin|stake|submit|"
    r"subscribe|switch|token|transfer|unstake|update|withdraw|withdrawals?"
)
_PARAMETER: Final = re.compile(r"\{[^}]*\}")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_RUN: Final = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Offence:
    """Something that a read would reach and that is no read as far as anyone can tell.

    `chain` leads there from a unified method. `endpoint` is None where the source does not tell the request.
    """

    endpoint: Endpoint | None
    chain: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        asked = "a request" if self.endpoint is None else str(self.endpoint)
        return f"{' > '.join(self.chain)} reaches {asked}, which {self.why}"


@dataclass(frozen=True, slots=True)
class Examined:
    """What the reads of one exchange class reach.

    Attributes:
        venue: the name of the class.
        reads: how many endpoints its reads and its catalogue reach.
        offences: what of it is no read; a class with any is excluded.
    """

    venue: str
    reads: int
    offences: tuple[Offence, ...]

    @property
    def reason(self) -> str | None:
        """Why nothing may be read at this venue, as one sentence; None if it may."""
        if not self.offences:
            return None
        others = len(self.offences) - 1
        more = f" ({others} more like it)" if others else ""
        return f"{self.venue} is excluded: {self.offences[0]}{more}"


def examine(exchange_class: type) -> Examined:
    """Whether an exchange class may be read from."""
    derived = derive(exchange_class)
    reached = {
        endpoint: chain for cls in reversed(READING) for endpoint, chain in derived.reached[cls].items()
    }
    known = frozenset[Endpoint]().union(
        *(KNOWN_READS.get(base.__name__, frozenset()) for base in exchange_class.__mro__)
    )
    offences = [
        Offence(endpoint, chain, why)
        for endpoint, chain in sorted(reached.items())
        if endpoint not in known and (why := _why(endpoint)) is not None
    ]
    untold = {name: why for cls in READING for name, why in derived.unresolved[cls].items()}
    offences += [Offence(None, (name,), f"cannot be told: {why}") for name, why in sorted(untold.items())]
    return Examined(derived.venue, len(reached), tuple(offences))


def sweep() -> tuple[Examined, ...]:
    """Examine every exchange class of the installed ccxt; takes about ten seconds."""
    return tuple(examine(exchange_class(name)) for name in ccxt.exchanges)


def exchange_class(name: str) -> Any:  # noqa: ANN401 - ccxt is untyped
    """The class that ccxt has for a venue.

    Raises:
        LookupError: it has none of that name.
    """
    if name not in ccxt.exchanges:
        near = difflib.get_close_matches(name, ccxt.exchanges, n=1, cutoff=0.75)
        meant = f'; did you mean "{near[0]}"?' if near else ""
        raise LookupError(f'ccxt {ccxt.__version__} has no exchange "{name}"{meant}')
    return getattr(ccxt, name)


def _why(endpoint: Endpoint) -> str | None:
    if endpoint.verb != "GET":
        return f"is sent by {endpoint.verb} and is no known read"
    acting = [word for word in _words(endpoint.path) if _ACTING.fullmatch(word)]
    return f'acts by its name ("{acting[0]}") and is no known read' if acting else None


def _words(path: str) -> Iterator[str]:
    for run in _RUN.findall(_PARAMETER.sub("", path)):
        yield run.lower()
        yield from (word.lower() for word in _WORD.findall(run))
