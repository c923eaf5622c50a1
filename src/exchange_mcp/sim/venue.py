"""One request in, one answer out: which host serves what, and in which order it is checked. No I/O."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from exchange_mcp.sim import (
    spot_orders,
    spot_private,
    spot_public,
    usdm_account,
    usdm_algo,
    usdm_income,
    usdm_orders,
    usdm_public,
    usdm_trading,
)
from exchange_mcp.sim.errors import VenueError, unknown_failure, unread
from exchange_mcp.sim.exchange import Exchange
from exchange_mcp.sim.routes import PublicCall, PublicRoute, Route, Routes, SignedCall
from exchange_mcp.sim.signing import OWN_PARAMS, authenticate
from exchange_mcp.sim.wire import Answer, Params, Payload, Request, not_found, refusal, render

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Site:
    """What one host serves, and how it answers.

    Attributes:
        refuses_unread: whether a parameter that the endpoint does not know is an error; on spot it is.
    """

    routes: Routes
    content_type: str
    refuses_unread: bool


def _spot(*routes: Routes) -> Site:
    merged = {key: route for table in routes for key, route in table.items()}
    return Site(merged, "application/json;charset=UTF-8", refuses_unread=True)


_SPOT = _spot(spot_public.ROUTES, spot_private.ROUTES, spot_orders.ROUTES, spot_private.WALLET_ROUTES)
_DEMO_SPOT = _spot(spot_public.ROUTES, spot_private.ROUTES, spot_orders.ROUTES)
_USDM = Site(
    {
        **usdm_public.ROUTES,
        **usdm_account.ROUTES,
        **usdm_trading.ROUTES,
        **usdm_orders.ROUTES,
        **usdm_algo.ROUTES,
        **usdm_income.ROUTES,
    },
    "application/json",
    refuses_unread=False,
)

SITES: Mapping[str, Site] = {
    "api.binance.com": _SPOT,
    "fapi.binance.com": _USDM,
    "demo-api.binance.com": _DEMO_SPOT,
    "demo-fapi.binance.com": _USDM,
}
"""Every host of the venue; the demo environment has no wallet endpoints."""


class Venue:
    """The venue as its clients see it."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._used: dict[str, tuple[int, int]] = {}

    def answer(self, request: Request) -> Answer:
        """Answer a request to one of SITES."""
        site = SITES[request.host]
        route = site.routes.get((request.method, request.path))
        if route is None:
            return not_found()
        now = self._exchange.clock.now_ms()
        try:
            answer = Answer(200, render(self._call(site, route, request, now)))
        except VenueError as error:
            answer = refusal(error)
        except Exception:  # noqa: BLE001 - a venue that breaks still answers, with its own code
            _log.exception("the simulated venue failed on %s %s", request.method, request.path)
            answer = refusal(unknown_failure())
        used = self._count(request.host, route.weight, now)
        return replace(answer, content_type=site.content_type, headers={"x-mbx-used-weight-1m": str(used)})

    def _call(self, site: Site, route: Route, request: Request, now: int) -> Payload:
        params = Params.read(request)
        if isinstance(route, PublicRoute):
            _refuse_unread(site, params, route.accepts)
            return route.answer(PublicCall(self._exchange, params, now))
        key = authenticate(request, params, self._exchange.keys, now, route.access)
        _refuse_unread(site, params, route.accepts | OWN_PARAMS)
        account = self._exchange.accounts[key.account]
        self._exchange.settle(account, now)
        return route.answer(SignedCall(self._exchange, params, now, key, account))

    def _count(self, host: str, weight: int, now: int) -> int:
        minute, used = self._used.get(host, (0, 0))
        this_minute = now // 60_000
        used = weight + (used if minute == this_minute else 0)
        self._used[host] = (this_minute, used)
        return used


def _refuse_unread(site: Site, params: Params, accepts: frozenset[str]) -> None:
    sent = params.names
    if site.refuses_unread and not sent <= accepts:
        raise unread(len(sent & accepts), len(sent))
