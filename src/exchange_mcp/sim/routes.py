"""What an endpoint is: who may call it, with which parameters, and what answers it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from exchange_mcp.sim.accounts import Account
from exchange_mcp.sim.exchange import Exchange
from exchange_mcp.sim.keys import Access, ApiKey
from exchange_mcp.sim.wire import Params, Payload


@dataclass(frozen=True, slots=True)
class PublicCall:
    """A request to an endpoint that is open to everybody."""

    exchange: Exchange
    params: Params
    now_ms: int


@dataclass(frozen=True, slots=True)
class SignedCall(PublicCall):
    """A request that was signed with a key; what it asks about is that key's account."""

    key: ApiKey
    account: Account


@dataclass(frozen=True, slots=True)
class PublicRoute:
    """An endpoint without security; `accepts` names the parameters that it reads."""

    answer: Callable[[PublicCall], Payload]
    accepts: frozenset[str] = frozenset()
    weight: int = 1


@dataclass(frozen=True, slots=True)
class SignedRoute:
    """An endpoint that wants key, timestamp and signature; `accepts` names what it reads besides those."""

    answer: Callable[[SignedCall], Payload]
    accepts: frozenset[str] = frozenset()
    weight: int = 1
    access: Access = Access.READ


Route: TypeAlias = PublicRoute | SignedRoute
Routes: TypeAlias = Mapping[tuple[str, str], Route]
"""Endpoints by method and path."""
