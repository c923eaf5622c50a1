"""Which endpoints ccxt's source reaches from a unified method: read from the installed source, nothing is called.

ccxt's implicit methods are `Entry` descriptors on a class (ccxt/base/types.py). A walk starts at unified methods and
follows every `self.` reference, and every string that names an implicit method, through the class and its bases. It
asks no question about conditions, so it reaches more than any one call would, and never less.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ccxt.base.types import Entry

from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.venue.source import Method, SelfCall, read_method

ROOTS: Final[Mapping[EndpointClass, tuple[str, ...]]] = MappingProxyType(
    {
        EndpointClass.READ: (
            "fetch_balance",
            "fetch_canceled_and_closed_orders",
            "fetch_closed_orders",
            "fetch_funding_rate",
            "fetch_leverage",
            "fetch_leverages",
            "fetch_my_trades",
            "fetch_ohlcv",
            "fetch_open_orders",
            "fetch_order",
            "fetch_order_book",
            "fetch_orders",
            "fetch_position_mode",
            "fetch_positions",
            "fetch_ticker",
            "fetch_time",
            "fetch_trading_fee",
            "fetch_trading_fees",
        ),
        EndpointClass.MARKETS: ("load_markets", "fetch_markets"),
        EndpointClass.ORDER: ("create_order",),
        EndpointClass.CANCEL: ("cancel_order",),
        EndpointClass.LEVERAGE: ("set_leverage",),
        EndpointClass.SCOPE: (),
    }
)
"""The unified methods that this product calls, or will: where the walk of each class starts."""

# Every request runs through this: signing and error handling may ask something by themselves.
_EVERY_REQUEST: Final = "request"
# Our client stands in for these, so that no request loads markets: their endpoints are a class of their own.
_MARKET_LOADING: Final = frozenset({"load_markets", "load_markets_helper"})
# A call of one of these names its request itself, where no descriptor can be seen.
_RAW: Final = frozenset({"request", "fetch", "fetch2"})
_PLUMBING: Final = frozenset({"ccxt.base.exchange", "ccxt.async_support.base.exchange"})
# ccxt's own spelling of camel case (ccxt/base/exchange.py, the constructor).
_CAPITALS: Final = MappingProxyType({"ohlcv": "OHLCV", "le": "LE", "be": "BE", "adl": "ADL"})


@dataclass(frozen=True, slots=True)
class Derived:
    """What one exchange class reaches.

    Attributes:
        reached: by class, each endpoint with one shortest chain of methods that leads to it.
        unresolved: by class, the methods reached whose request cannot be told from the source, each with the reason.
    """

    venue: str
    reached: Mapping[EndpointClass, Mapping[Endpoint, tuple[str, ...]]]
    unresolved: Mapping[EndpointClass, Mapping[str, str]]


class _Found(NamedTuple):
    """A method, and where in the order of resolution it is defined."""

    at: int
    name: str
    method: Method


def derive(exchange_class: type) -> Derived:
    """What the unified methods of an exchange class reach, by class of endpoint; derived once.

    Raises:
        ValueError: the source of the class or of one of its bases is not there.
    """
    return _derived(exchange_class)


@cache
def _derived(exchange_class: type) -> Derived:
    walk = _walk(exchange_class)
    found = {cls: walk.from_roots(cls, roots) for cls, roots in ROOTS.items()}
    return Derived(
        venue=exchange_class.__name__,
        reached=MappingProxyType({cls: MappingProxyType(reached) for cls, (reached, _) in found.items()}),
        unresolved=MappingProxyType({cls: MappingProxyType(unknown) for cls, (_, unknown) in found.items()}),
    )


def reached_by(exchange_class: type, method: str) -> frozenset[Endpoint]:
    """What one unified method reaches by itself, where others than `load_markets` are concerned.

    Raises:
        ValueError: as `derive` does.
    """
    reached, _ = _walk(exchange_class).from_roots(EndpointClass.READ, (method,))
    return frozenset(reached)


def implicit(exchange_class: type) -> dict[str, Endpoint]:
    """Every implicit method of an exchange class by either of its names."""
    names: dict[str, Endpoint] = {}
    for base in reversed(exchange_class.__mro__):
        for name, member in vars(base).items():
            if isinstance(member, Entry):
                names[name] = _endpoint(member)
            elif name in names and read_method(base, name) is not None:
                del names[
                    name
                ]  # its source overrides it; what ccxt sets on the class when it makes a client does not
    return names


def _endpoint(entry: Any) -> Endpoint:  # noqa: ANN401 - ccxt is untyped
    sections = [entry.api] if isinstance(entry.api, str) else entry.api
    return Endpoint(entry.method, "/".join(sections), entry.path)


class _Walk:
    """The class, its bases, and what names mean on it."""

    def __init__(self, exchange_class: type) -> None:
        self._mro = exchange_class.__mro__
        self._implicit = implicit(exchange_class)
        self._described = frozenset(
            text for base in self._mro for text in _strings_of(base, "describe") if text in self._implicit
        )
        self._camel = {
            _camel_case(name): name
            for base in self._mro
            for name, member in vars(base).items()
            if "_" in name and callable(member) and not isinstance(member, Entry)
        }
        self._positions: dict[str, frozenset[int]] = {}

    def from_roots(
        self, cls: EndpointClass, roots: Iterable[str]
    ) -> tuple[dict[Endpoint, tuple[str, ...]], dict[str, str]]:
        """The endpoints reached, each with the chain that leads to it; and the methods that cannot be told."""
        reached: dict[Endpoint, tuple[str, ...]] = {}
        unknown: dict[str, str] = {}
        closed = frozenset[str]() if cls is EndpointClass.MARKETS else _MARKET_LOADING
        first = (*roots, _EVERY_REQUEST) if roots else ()
        pending: deque[tuple[int, str, tuple[str, ...]]] = deque((0, name, ()) for name in first)
        seen: set[tuple[int, str]] = set()
        while pending:
            start, name, chain = pending.popleft()
            endpoint = self._implicit.get(name) if start == 0 else None
            if endpoint is not None:
                reached.setdefault(endpoint, chain)
                continue
            found = None if name in closed else self._find(name, start)
            if found is None or (found.at, found.name) in seen:
                continue
            seen.add((found.at, found.name))
            longer = (*chain, found.name)
            reason = self._unknown(found)
            if reason is not None:
                unknown[found.name] = reason
            pending.extend((0, other, longer) for other in sorted(self._mentioned(found.method)))
            pending.extend((found.at + 1, other, longer) for other in sorted(found.method.inherited))
        return reached, unknown

    def _mentioned(self, method: Method) -> set[str]:
        names = {text for text in method.strings if text in self._implicit} | method.own
        takes_names = [call for call in method.calls if self._name_positions(call.target)]
        names |= {text for call in takes_names for text in self._handed(call)}
        if method.looks_up or any(self._is_untold(call) for call in takes_names):
            # The name may come from ccxt's options, which `describe` fills.
            names |= self._described
        return names

    def _handed(self, call: SelfCall) -> Iterable[str]:
        arguments = [
            call.arguments[at] for at in self._name_positions(call.target) if at < len(call.arguments)
        ]
        return [argument for argument in arguments if isinstance(argument, str)]

    def _is_untold(self, call: SelfCall) -> bool:
        arguments = [
            call.arguments[at] for at in self._name_positions(call.target) if at < len(call.arguments)
        ]
        return not arguments or any(argument is None for argument in arguments)

    def _name_positions(self, target: str) -> frozenset[int]:
        """Which arguments of a method are called as the name of a method, by it or by whom it hands them to."""
        if target not in self._positions:
            self._positions[target] = frozenset()  # a recursive call adds nothing
            found = None if target in self._implicit else self._find(target, 0)
            if found is not None:
                handed_on = {
                    argument
                    for call in found.method.calls
                    for at in self._name_positions(call.target)
                    if at < len(call.arguments) and isinstance(argument := call.arguments[at], int)
                }
                self._positions[target] = found.method.called_arguments | handed_on
        return self._positions[target]

    def _unknown(self, found: _Found) -> str | None:
        if found.method.made_name is not None:
            return f"{found.name} calls a method whose name it makes at run time ({found.method.made_name})"
        raw = sorted(found.method.own & _RAW)
        is_plumbing = found.name in _RAW or self._mro[found.at].__module__ in _PLUMBING
        return f"{found.name} makes its request itself, by {raw[0]}" if raw and not is_plumbing else None

    def _find(self, name: str, start: int) -> _Found | None:
        # By what the source defines: ccxt sets more on a class when a client is made from it.
        for candidate in (name, self._camel.get(name)):
            for at in range(start, len(self._mro)):
                method = None if candidate is None else read_method(self._mro[at], candidate)
                if candidate is not None and method is not None:
                    return _Found(at, candidate, method)
        return None


@cache
def _walk(exchange_class: type) -> _Walk:
    return _Walk(exchange_class)


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(_CAPITALS.get(part, part.capitalize()) for part in others)


def _strings_of(owner: type, name: str) -> frozenset[str]:
    method = read_method(owner, name)
    return frozenset() if method is None else method.strings
