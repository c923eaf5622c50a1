"""How a test or a demonstration steers the venue: from Python, or over HTTP under /__sim/."""

import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import cast
from urllib.parse import parse_qsl

from exchange_mcp.sim.exchange import Exchange
from exchange_mcp.sim.faults import FaultRule, Faults, parse
from exchange_mcp.sim.keys import PERMISSIONS
from exchange_mcp.sim.order_records import OrderRecord, records
from exchange_mcp.sim.request_log import Entry, RequestLog
from exchange_mcp.sim.wire import Answer, Request, render

HOSTS = frozenset({"localhost", "127.0.0.1"})
"""The Host headers that control is served for; the venue's own hosts never serve it."""

PREFIX = "/__sim/"
_KEYS = "keys/"


class Control:
    """Faults, the request log, what keys may do, and the venue's own order records, in one hand."""

    def __init__(self, faults: Faults, log: RequestLog, exchange: Exchange) -> None:
        self._faults = faults
        self._log = log
        self._exchange = exchange

    def add_fault(self, rule: FaultRule | Mapping[str, object]) -> None:
        """Put a fault in force; a mapping is read as over HTTP, with a ValueError where it makes no sense."""
        self._faults.add(rule if isinstance(rule, FaultRule) else parse(rule))

    def clear_faults(self) -> None:
        """Remove every fault, and let go whatever hangs."""
        self._faults.clear()

    def permit(self, label: str, access: object) -> None:
        """Let a key do `read`, `trade` or `withdraw` from now on, each with what comes before it.

        Raises ValueError where there is no such key or access.
        """
        permissions = PERMISSIONS.get(access) if isinstance(access, str) else None
        if permissions is None:
            raise ValueError(f"access is one of {', '.join(PERMISSIONS)}, not {access!r}")
        self._exchange.keys.permit(label, permissions)

    def requests(self) -> list[Entry]:
        """Return the venue requests received, oldest first."""
        return self._log.entries()

    def clear_requests(self) -> None:
        """Forget the venue requests received."""
        self._log.clear()

    def orders(self, account: str | None = None) -> list[OrderRecord]:
        """Return every order that the venue ever accepted, of one account or of all, as it is now.

        Raises ValueError where there is no such account.
        """
        accounts = self._exchange.accounts
        if account is not None and account not in accounts:
            raise ValueError(f"account is one of {', '.join(accounts)}, not {account!r}")
        now = self._exchange.clock.now_ms()
        wanted = [accounts[name] for name in accounts if account in {None, name}]
        for holder in wanted:
            self._exchange.settle(holder, now)
        return [record for holder in wanted for record in records(holder)]


class ControlSite:
    """The same over HTTP, for whoever has the token."""

    def __init__(self, control: Control, log: RequestLog, token: str) -> None:
        self._control = control
        self._log = log
        self._authorization = f"Bearer {token}".encode()

    def answer(self, request: Request, authorization: str) -> Answer:
        """Answer a request under PREFIX: 401 without the token, 404 and 400 with a reason."""
        if not hmac.compare_digest(authorization.encode(), self._authorization):
            return _say(401, "the control token is missing or wrong")
        answer = Answer(200, b"{}")
        match request.method, request.path.removeprefix(PREFIX):
            case "POST", "faults":
                answer = self._changed(request.body, self._control.add_fault, 201)
            case "POST", path if path.startswith(_KEYS):
                label = path.removeprefix(_KEYS)
                answer = self._changed(
                    request.body, lambda fields: self._control.permit(label, fields.get("access")), 200
                )
            case "DELETE", "faults":
                self._control.clear_faults()
            case "GET", "requests":
                answer = Answer(200, render({"requests": self._log.as_json()}))
            case "GET", "orders":
                answer = self._orders(request.query)
            case "DELETE", "requests":
                self._control.clear_requests()
            case _:
                answer = _say(404, f"no control endpoint {request.method} {request.path}")
        return answer

    def _orders(self, query: str) -> Answer:
        try:
            found = self._control.orders(dict(parse_qsl(query)).get("account"))
        except ValueError as error:
            return _say(400, str(error))
        return Answer(200, render({"orders": [asdict(record) for record in found]}))

    @staticmethod
    def _changed(body: str, change: Callable[[dict[str, object]], None], status: int) -> Answer:
        try:
            fields: object = json.loads(body)
            if not isinstance(fields, dict):
                return _say(400, "the body is a JSON object")
            change(cast("dict[str, object]", fields))
        except ValueError as error:
            return _say(400, str(error))
        return Answer(status, b"{}")


def _say(status: int, error: str) -> Answer:
    return Answer(status, render({"error": error}))
