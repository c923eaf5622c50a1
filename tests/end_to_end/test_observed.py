"""What each tool does through a server, a desk and a person who approves at once: called twice, seen at the venue.

With EXCHANGE_MCP_WRITE_OBSERVED=1 this writes its column of what is published anew; `tests/server` sees the others.
"""

import os
from typing import Any, Final, cast

import pytest
from mcp.client import Client

from exchange_mcp.model.effects import Effect
from exchange_mcp.tools.matrix import APPROVED, observed
from exchange_mcp.tools.refused import REFUSED
from exchange_mcp.tools.registry import builtin
from server.test_observed import written_down
from serving import asked
from whole_desk.desk import WholeDesk

from .served import a_new_one, over_stdio, price_of, sent, serve_config

pytestmark = pytest.mark.anyio

NOTHING: Final = "nothing that writes, twice"
REFUSES: Final = "REFUSED_BY_DESIGN, twice; nothing that writes"
PLACES: Final = "one order; the second time the same intent, and nothing that writes"
CANCELS: Final = "one cancel; the second time ORDER_ENDED, and nothing that writes"
SETS: Final = "the leverage set; the second time set to what it was, another proposal"
Requests = list[tuple[str, str]]
WROTE: Final[dict[str, tuple[Requests, Requests]]] = {
    PLACES: ([("POST", "/api/v3/order")], []),
    CANCELS: ([("DELETE", "/api/v3/order")], []),
    SETS: ([("POST", "/fapi/v1/leverage")], [("POST", "/fapi/v1/leverage")]),
}
LEVERAGE: Final = 7


async def called(
    client: Client, desk: WholeDesk, tool: str, arguments: dict[str, Any]
) -> tuple[str | None, str]:
    """The code of the error and the intent of one call, once everything that it led to is over."""
    result = await client.call_tool(tool, arguments)
    answer = cast("dict[str, Any]", result.structured_content)
    if answer["error"] is not None:
        return answer["error"]["code"], ""
    intent_id = answer["data"].get("intent_id", "")
    if answer["data"].get("state") == "proposed" and tool != "get_intent":
        desk.approve(intent_id)
        desk.settled(intent_id, "placed", "canceled", "set")
    return None, intent_id


async def seen(client: Client, desk: WholeDesk, tool: str, arguments: dict[str, Any]) -> str:
    """What two equal calls of the tool came to, in words."""
    wrote, told = list[list[tuple[str, str]]](), list[tuple[str | None, str]]()
    for _ in range(2):
        desk.sim.forget()
        told.append(await called(client, desk, tool, arguments))
        wrote.append(sent(desk.sim))
    (first, one), (second, another) = told
    if wrote == [[], []]:
        return REFUSES if {first, second} == {"REFUSED_BY_DESIGN"} else NOTHING
    words = next((words for words, pattern in WROTE.items() if pattern == tuple(wrote)), "")
    holds = {
        PLACES: (first, second) == (None, None) and one == another,
        CANCELS: (first, second) == (None, "ORDER_ENDED"),
        SETS: (first, second) == (None, None) and one != another,
    }
    return words if holds.get(words, False) else f"wrote {wrote}, told {told}"


async def test_what_every_tool_does_once_it_is_approved_is_what_it_declares_and_what_is_published(
    desk: WholeDesk,
) -> None:
    order: dict[str, Any] = {"account": "main", "symbol": "ETH/USDT:USDT", "side": "buy", "type": "limit"}
    order |= {"amount": "0.010", "price": price_of(desk, "ETH/USDT", percent=90)}
    arguments: dict[str, dict[str, Any]] = {
        "get_ticker": {"symbol": "BTC/USDT"},
        "get_orderbook": {"symbol": "BTC/USDT"},
        "preview_order": order,
        "calculate_position_size": {"equity": "1000", "entry": "100", "stop": "99", "risk_percent": "1"},
        "set_leverage": {"account": "main", "symbol": "SOL/USDT:USDT", "leverage": LEVERAGE},
    }
    found: dict[str, str] = {}
    async with over_stdio(desk, serve_config(desk)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {spec.name for spec in builtin()}
        resting = {
            **order,
            "symbol": "BTC/USDT",
            "amount": "0.0007",
            "price": price_of(desk, "BTC/USDT", percent=88),
        }
        arguments["place_order"] = await a_new_one(client, resting)
        for spec in builtin():
            if spec.name == "cancel_order":
                intent = await asked(client, "place_order", **arguments["place_order"])
                arguments[spec.name] = {
                    "account": "main",
                    "symbol": "BTC/USDT",
                    "order_id": intent["order_id"],
                }
            elif spec.asks_desk:
                intent = await asked(client, "place_order", **arguments["place_order"])
                arguments[spec.name] = {"intent_id": intent["intent_id"]}
            found[spec.name] = await seen(client, desk, spec.name, arguments.get(spec.name, {}))
            expected = {PLACES, CANCELS, SETS} if spec.effect is Effect.WRITE else {NOTHING}
            assert found[spec.name] in expected, spec.name
            # What changes something at the venue is destructive, and nothing else is.
            assert spec.hints.destructive.value is (found[spec.name] in WROTE), spec.name
            if spec.effect is Effect.WRITE:  # what a repeat does is what its hint says, or less
                assert spec.hints.idempotent.value is (found[spec.name] == SETS)
        for family in REFUSED:
            found[family.name] = await seen(client, desk, family.name, {})
    if os.environ.get("EXCHANGE_MCP_WRITE_OBSERVED"):
        written_down({name: {APPROVED: what} for name, what in found.items()})
    assert found == {name: modes.get(APPROVED) for name, modes in observed().items()}
