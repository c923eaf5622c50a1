"""Which tools a client may use: what can do harm is blocked until it is allowed by name, and what was said stays said.

The desk here was told by an earlier release, whose tools were declared otherwise than those of now.
"""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from exchange_mcp.desk.register import Allowance
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.tools.declarations import declaration_of
from exchange_mcp.tools.registry import builtin
from serving import asked, refused
from whole_desk.desk import CLIENT, WholeDesk
from whole_desk.test_routes import IDENTITY

from .served import Recorded, allow, another_client, over_stdio, price_of, sent, serve_config, traded

pytestmark = pytest.mark.anyio

CANCEL: Final = {"account": "main", "symbol": "BTC/USDT", "order_id": "1"}
LEVERAGE: Final = {"account": "main", "symbol": "SOL/USDT:USDT", "leverage": 3}


def said(tool: str, *, is_allowed: bool, edit: Callable[[dict[str, Any]], object]) -> Allowance:
    """What an approver said of the tool as an earlier release declared it."""
    spec = builtin().get(tool)
    assert spec is not None
    declaration = json.loads(canonical_json(declaration_of(spec)))
    edit(declaration)
    return Allowance(client=CLIENT, tool=tool, is_allowed=is_allowed, declaration=canonical_json(declaration))


EARLIER: Final = (
    # It took less then: now it takes `distinct_from` as well.
    said("place_order", is_allowed=True, edit=lambda was: was["input"]["properties"].pop("distinct_from")),
    said("cancel_order", is_allowed=False, edit=lambda was: was["input"]["properties"].pop("note")),
    # It took more then.
    said(
        "set_leverage",
        is_allowed=True,
        edit=lambda was: was["input"]["properties"]["leverage"].update(maximum=9999),
    ),
)


def known(desk: WholeDesk) -> object:
    """All that the desk says of its clients and their tools."""
    with desk.operator() as operator:
        return operator.clients()


async def test_every_rule_of_the_allowances_holds_from_the_model_to_the_journal() -> None:
    with traded(allowed=EARLIER) as desk:
        recorded, before = Recorded(desk), known(desk)
        order: dict[str, object] = {"account": "main", "symbol": "BTC/USDT", "side": "buy", "type": "limit"}
        order |= {"amount": "0.001", "price": price_of(desk, "BTC/USDT", percent=95)}
        async with over_stdio(desk, serve_config(desk)) as client:
            widened = await refused(client, "place_order", **order)
            assert widened["code"] == "NOT_ALLOWED_FOR_CLIENT"
            assert "argument distinct_from is new" in widened["message"]
            assert f"exchange-mcp clients show {CLIENT}" in widened["hint"]
            blocked = await refused(client, "cancel_order", **CANCEL)
            assert blocked["code"] == "NOT_ALLOWED_FOR_CLIENT"
            assert "blocked it by name" in blocked["message"]
            narrower = await asked(client, "set_leverage", **LEVERAGE)
            assert narrower["state"] == "proposed"
            assert recorded.kinds().count("turned_away") == 2
            assert known(desk) == before  # an update changes nothing that was said

            # It lasts over a restart of the desk, and ends where an approver looks at the tool of now.
            desk.stop()
            desk.start(is_open=False)
            desk.until(
                lambda status: status.closed is None and not any(one.closed for one in status.accounts)
            )
            assert (await refused(client, "place_order", **order))["code"] == "NOT_ALLOWED_FOR_CLIENT"
            allow(desk, CLIENT, "place_order")
            proposed = await asked(client, "place_order", **order)
            assert proposed["state"] == "proposed"
            allow(desk, CLIENT, "place_order", is_allowed=False)
            assert "blocked it by name" in (await refused(client, "place_order", **order))["message"]
            allow(desk, CLIENT, "place_order")
            assert (await asked(client, "place_order", **order))["intent_id"] == proposed["intent_id"]

        # A client of whom nothing was said may read what is its own and propose nothing.
        newcomer = another_client(desk, "newcomer", tools=("cancel_order",))
        async with over_stdio(desk, serve_config(desk, name="newcomer"), credential=newcomer) as client:
            unsaid = await refused(client, "place_order", **order)
            assert unsaid["code"] == "NOT_ALLOWED_FOR_CLIENT"
            assert (
                "nobody has allowed it by name: exchange-mcp clients allow CLIENT place_order"
                in unsaid["message"]
            )
            assert (await refused(client, "cancel_order", **CANCEL))["code"] == "ORDER_NOT_FOUND"

        # A server whose tool is declared otherwise than the desk knows it is of another version.
        message = {
            "proposal_id": "proposal-of-another-version",
            "tool": "place_order",
            "declaration": "0" * 64,
            "account": IDENTITY,
            "action": "place",
            "request": {name: value for name, value in order.items() if name != "account"},
        }
        with desk.client() as http:
            answer = http.post("/v1/proposals", json=message)
        assert answer.json()["error"]["code"] == "NOT_ALLOWED_FOR_CLIENT"
        assert "different versions" in answer.json()["error"]["message"]
        assert recorded.kinds()[-1] == "turned_away"
        assert sent(desk.sim) == []
