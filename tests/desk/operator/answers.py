"""What a desk answers an operator, filled with ordinary values."""

from typing import Any

from exchange_mcp.desk.operator.messages import (
    AccountStatus,
    ApproverList,
    ApproverView,
    Challenge,
    ClientList,
    ClientTool,
    ClientView,
    Configuration,
    IntentView,
    Status,
)
from exchange_mcp.desk.statements import sha256_of

NOW_MS = 1_796_083_200_000
DESK = "d" * 16
INTENT = "0123456789abcdef0123456789abcdef"
NONCE = "ab" * 16
POLICY = '{"desk":{"approvals":1,"reference":"USDT"}}'


def view(**changed: Any) -> IntentView:  # noqa: ANN401 - any field
    values: dict[str, Any] = {
        "id": INTENT,
        "seq": 7,
        "state": "proposed",
        "action": "place",
        "account": "main",
        "environment": "sim",
        "venue": "binance",
        "symbol": "BTC/USDT:USDT",
        "summary": "sell 1 BTC/USDT:USDT at the market",
        "effect": "flips",
        "client": "claude",
        "origin": "client",
        "created_at": NOW_MS - 65_000,
        "changed_at": NOW_MS - 65_000,
        "expires_at": NOW_MS + 535_000,
        "reason": "within the limits",
        "client_order_id": "x-1",
        "order_id": None,
    }
    return IntentView(**{**values, **changed})


def status(**changed: Any) -> Status:  # noqa: ANN401 - any field
    values: dict[str, Any] = {
        "desk_id": DESK,
        "tag": "qx7",
        "version": "0.4.0",
        "started_at": NOW_MS - 3_600_000,
        "policy_digest": sha256_of(POLICY),
        "closed": None,
        "halted": None,
        "accounts": (
            AccountStatus(
                name="main",
                venue="binance",
                environment="sim",
                market_types=("spot", "linear"),
                account_id="90001234",
                key="reads and trades",
                closed=None,
                halted=None,
                notional_24h={"USDT": "1250.50"},
                orders_last_minute=1,
                orders_24h=4,
                unknown=0,
            ),
        ),
        "pending": 1,
        "waiting": {},
        "approvers": ("ada",),
        "clients": ("claude",),
        "proposal_socket": "/run/user/1000/exchange-mcp/desk-proposals/proposals.sock",
        "console": None,
        "protection": "the desk runs as the same user as its clients",
    }
    return Status(**{**values, **changed})


def challenge() -> Challenge:
    return Challenge(desk_id=DESK, nonce=NONCE, expires_ms=NOW_MS + 120_000)


def approvers(*views: ApproverView) -> ApproverList:
    return ApproverList(approvers=views)


def clients() -> ClientList:
    tool = ClientTool(
        tool="place_order",
        risk="destructive",
        source="its destructiveHint",
        is_allowed=False,
        reason="destructive, and nobody allowed it by name",
    )
    return ClientList(clients=(ClientView(name="claude", added_at=NOW_MS, tools=(tool,)),))


def configuration(**changed: Any) -> Configuration:  # noqa: ANN401 - any field
    values: dict[str, Any] = {
        "file": "/home/ada/.config/exchange-mcp/desk.toml",
        "text": "a = 1\n",
        "digest": sha256_of("a = 1\n"),
        "accepted_text": "a = 1\n",
        "accepted_digest": sha256_of("a = 1\n"),
        "faults": (),
        "is_accepted": True,
    }
    return Configuration(**{**values, **changed})
