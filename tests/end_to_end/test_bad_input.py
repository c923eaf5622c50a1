"""What bad input gets: a code, one sentence that helps, nothing sent, and the refusal in the journal."""

from typing import Any, Final

import pytest

from serving import asked, refused
from whole_desk.desk import WholeDesk

from .link_proxy import Kind, proxied
from .served import Recorded, another_client, over_stdio, price_of, sent, serve_config

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
        ("place_order", {**BUY, "symbol": "XRP/USDT", "amount": "10", "price": "2.0"},
         "POLICY_SYMBOLS", "symbols in", "denied"),
        ("place_order", {**BUY, "amount": "0.1", "price": near},
         "POLICY_MAX_ORDER_NOTIONAL", "max_order_notional", "denied"),
        ("place_order", {**BUY, "price": far},
         "POLICY_MAX_PRICE_DISTANCE_PERCENT", "max_price_distance_percent", "denied"),
        ("place_order", {**BUY, "amount": "0.0010000001", "price": near},
         "AMOUNT_OFF_STEP", "nearest valid", "unplanned"),
        ("place_order", {**BUY, "price": near + "1"}, "PRICE_OFF_TICK", "nearest valid", "unplanned"),
        ("place_order", {**BUY, "symbol": "BTC/NOTHING", "price": near}, "UNKNOWN_SYMBOL", "BTC/NOTHING", "unplanned"),
        ("place_order", {**BUY, "account": "other", "price": near}, "UNKNOWN_ACCOUNT", "other", ""),
        ("place_order", {**BUY, "account": "hedged", "symbol": "SOL/USDT:USDT", "amount": "1", "price": "150"},
         "HEDGE_MODE", "hedge", "unplanned"),
        ("set_leverage", {**perpetual, "leverage": 21}, "POLICY_MAX_LEVERAGE", "max_leverage", "denied"),
        ("set_leverage", {**perpetual, "leverage": 1000}, "LEVERAGE_TOO_HIGH", "", "unplanned"),
        ("set_leverage", {**MAIN, "symbol": "BTC/USDT:USDT", "leverage": 5}, "POLICY_LEVERAGE_CHANGE_WITH_POSITION",
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
            if (error["code"], words in error["message"], event == "" or kinds[-1:] == [event]) != (
                code,
                True,
                True,
            ):
                wrong.append(f"{tool} {arguments}: {error} {kinds}")
        assert wrong == []
    assert sent(desk.sim) == []


async def test_another_clients_intent_is_nobodys_for_whoever_does_not_own_it(desk: WholeDesk) -> None:
    stranger = another_client(desk, "stranger")
    order = {
        **BUY,
        "symbol": "SOL/USDT:USDT",
        "amount": "0.10",
        "price": price_of(desk, "SOL/USDT", percent=90),
    }
    async with over_stdio(desk, serve_config(desk)) as client:
        own = (await asked(client, "place_order", **order))["intent_id"]
    recorded = Recorded(desk)
    async with over_stdio(desk, serve_config(desk, name="stranger"), credential=stranger) as client:
        for tool in ("get_intent", "retract_proposal"):
            assert (await refused(client, tool, intent_id=own))["code"] == "UNKNOWN_INTENT"
        for tool, arguments in (
            ("cancel_order", {**MAIN, "symbol": order["symbol"], "intent_id": own}),
            ("place_order", {**order, "side": "sell", "distinct_from": own}),
        ):
            assert (await refused(client, tool, **arguments))["code"] == "UNKNOWN_INTENT"
            assert recorded.kinds()[-1] == "turned_away"
        # What stands in the way of its own order is said to be another's, and not which.
        similar = await refused(
            client, "place_order", **{**order, "price": price_of(desk, "SOL/USDT", percent=91)}
        )
        assert similar["code"] == "SIMILAR_ORDER"
        assert own not in str(similar)
    assert desk.intent(own).state == "proposed"
    async with over_stdio(desk, serve_config(desk)) as client:
        await asked(client, "retract_proposal", intent_id=own)
    assert sent(desk.sim) == []


async def test_another_account_behind_the_same_name_is_found_before_anything_is_proposed(
    desk: WholeDesk,
) -> None:
    recorded = Recorded(desk)
    async with over_stdio(desk, serve_config(desk, hedged_trades=["spot", "linear"])) as client:
        order = {**BUY, "account": "hedged", "price": price_of(desk, "BTC/USDT", percent=95)}
        error = await refused(client, "place_order", **order)
    assert error["code"] == "ACCOUNT_MISMATCH"
    assert "The desk does not trade spot on it." in error["message"]
    ((kind, text),) = recorded.events()
    assert (kind, '"code":"ACCOUNT_MISMATCH"' in text) == ("turned_away", True)
    assert sent(desk.sim) == []


async def test_a_reading_key_of_another_account_is_found_by_the_venues_own_id_of_it(desk: WholeDesk) -> None:
    assert desk.status().accounts[0].account_id
    order = {**BUY, "price": price_of(desk, "BTC/USDT", percent=94)}
    async with over_stdio(desk, serve_config(desk, reads_main="reader-alt")) as client:
        error = await refused(client, "place_order", **order)
        assert error["code"] == "ACCOUNT_MISMATCH"
        assert "own account id is another one at the desk than at serve" in error["message"]
    assert sent(desk.sim) == []


async def test_a_desk_of_another_version_is_named_and_asked_nothing(desk: WholeDesk) -> None:
    path = desk.runtime / "another.sock"
    recorded = Recorded(desk)
    async with (
        proxied(path, desk.places.proposal_socket) as proxy,
        over_stdio(desk, serve_config(desk, socket=path)) as client,
    ):
        proxy.arm(Kind.ANY_ANSWER, "another version")
        error = await refused(client, "place_order", **BUY, price=price_of(desk, "BTC/USDT", percent=95))
    assert error["code"] == "DESK_VERSION"
    assert "version 2 of the protocol, and this server 1" in error["message"]
    with desk.client() as http:  # a server of another version, at this desk
        answer = http.post("/v1/handshake", json={"protocol": 2, "version": "9", "accounts": []})
    assert answer.json()["error"]["code"] == "DESK_VERSION"
    assert recorded.kinds() == ["turned_away"]
    assert sent(desk.sim) == []
