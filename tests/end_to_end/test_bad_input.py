"""What bad input gets: a code, one sentence that helps, nothing sent, and the refusal in the journal."""

import json
from typing import Any, Final

import pytest

from exchange_mcp.desk.statements import Purpose
from serving import asked, refused
from whole_desk.desk import WholeDesk

from .served import Recorded, over_stdio, price_of, sent, serve_config

pytestmark = pytest.mark.anyio

MAIN: Final = {"account": "main"}
BUY: Final = {**MAIN, "symbol": "BTC/USDT", "side": "buy", "type": "limit", "amount": "0.001"}
NOBODYS: Final = "0" * 32
Case = tuple[str, dict[str, Any], str, str, str]
"""Tool, arguments, code, words of the message, and the event that tells of it."""


def cases(near: str, far: str, filled: dict[str, Any]) -> list[Case]:
    """By what is wrong with it."""
    of_filled = {**MAIN, "symbol": "BTC/USDT"}
    perpetual = {**MAIN, "symbol": "SOL/USDT:USDT"}
    return [
        ("place_order", {**BUY, "symbol": "ETH/BTC", "amount": "0.1", "price": "0.03"}, "POLICY_DENIED", "symbols in", "denied"),
        ("place_order", {**BUY, "amount": "0.1", "price": near}, "POLICY_DENIED", "max_order_notional", "denied"),
        ("place_order", {**BUY, "price": far}, "POLICY_DENIED", "max_price_distance_percent", "denied"),
        ("place_order", {**BUY, "amount": "0.0010000001", "price": near}, "AMOUNT_OFF_STEP", "nearest valid", "unplanned"),
        ("place_order", {**BUY, "price": near + "1"}, "PRICE_OFF_TICK", "nearest valid", "unplanned"),
        ("place_order", {**BUY, "symbol": "BTC/NOTHING", "price": near}, "UNKNOWN_SYMBOL", "BTC/NOTHING", "unplanned"),
        ("place_order", {**BUY, "account": "other", "price": near}, "UNKNOWN_ACCOUNT", "other", ""),
        ("place_order", {**BUY, "account": "hedged", "symbol": "SOL/USDT:USDT", "amount": "1", "price": "150"},
         "HEDGE_MODE", "hedge", "unplanned"),
        ("set_leverage", {**MAIN, "symbol": "SOL/USDT:USDT", "leverage": 11}, "POLICY_DENIED", "max_leverage", "denied"),
        ("set_leverage", {**perpetual, "leverage": 1000}, "LEVERAGE_TOO_HIGH", "", "unplanned"),
        ("set_leverage", {**MAIN, "symbol": "BTC/USDT:USDT", "leverage": 5}, "POLICY_DENIED",
         "leverage_change_with_position", "denied"),
        ("set_leverage", {**MAIN, "symbol": "BTC/USDT", "leverage": 5}, "LEVERAGE_NOT_TAKEN", "", "unplanned"),
        ("cancel_order", {**of_filled, "order_id": "999999999999"}, "ORDER_NOT_FOUND", "999999999999", "unplanned"),
        ("cancel_order", {**of_filled, "order_id": filled["order_id"]}, "ORDER_ENDED", "ended already", "unplanned"),
        ("cancel_order", {**of_filled, "intent_id": filled["intent_id"]}, "ORDER_ENDED", "ended already", "unplanned"),
        ("cancel_order", {**of_filled, "intent_id": NOBODYS}, "UNKNOWN_INTENT", "", "turned_away"),
        ("place_order", {**BUY, "price": near, "distinct_from": NOBODYS}, "UNKNOWN_INTENT", "", "turned_away"),
    ]  # fmt: skip


async def test_whatever_is_wrong_has_a_code_and_a_sentence_and_is_in_the_journal_and_nothing_is_sent(
    desk: WholeDesk,
) -> None:
    async with over_stdio(desk, serve_config(desk)) as client:
        market = {**MAIN, "symbol": "BTC/USDT", "side": "sell", "type": "market", "amount": "0.001"}
        filled = await asked(client, "place_order", **market)
        desk.approve(filled["intent_id"])
        desk.settled(filled["intent_id"], "placed")
        filled = await asked(client, "get_intent", intent_id=filled["intent_id"])
        desk.sim.forget()
        near, far = (price_of(desk, "BTC/USDT", percent=each) for each in (95, 70))
        wrong: list[str] = []
        for tool, arguments, code, words, event in cases(near, far, filled):
            recorded = Recorded(desk)
            error = await refused(client, tool, **arguments)
            kinds = [kind for kind, _ in recorded.events() if kind != "key_scope"]
            print(code, error, recorded.events()[-1:])
            if (error["code"], words in error["message"], event == "" or kinds[-1:] == [event]) != (
                code,
                True,
                True,
            ):
                wrong.append(f"{tool} {arguments}: {error} {kinds}")
        assert wrong == []
    assert sent(desk.sim) == []
