"""Coinbase: three truth values, of which the third is for all that moves money."""

from typing import Final

from exchange_mcp.model.scopes import Ability, KeyScope
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.venue.scope.findings import Findings, account, members
from exchange_mcp.venue.scope.question import ScopeQuestion, safely

_KNOWN: Final = frozenset({"can_view", "can_trade", "can_transfer", "portfolio_uuid", "portfolio_type"})


def _read(raw: object, _own: str | None) -> KeyScope:
    answer = members(raw, "the answer")
    found = Findings("coinbase")
    found.only(answer, _KNOWN, "the answer")
    found.switches(answer, ("can_view",), Ability.READ)
    found.switches(answer, ("can_trade",), Ability.TRADE)
    found.switches(answer, ("can_transfer",), Ability.WITHDRAW)
    found.switches(answer, ("can_transfer",), Ability.TRANSFER)
    return found.scope(account_id=account(answer.get("portfolio_uuid")))


QUESTION: Final = ScopeQuestion(
    method="v3PrivateGetBrokerageKeyPermissions",
    endpoint=Endpoint.parse("GET v3/private brokerage/key_permissions"),
    parse=safely("coinbase", _read),
    page="https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/data-api/get-api-key-permissions",
    told="`can_view`, `can_trade`, and `can_transfer` for withdrawals and transfers alike; `portfolio_uuid`",
    untold="whether the key is restricted to IP addresses; when it expires",
)
"""How Coinbase is asked."""
