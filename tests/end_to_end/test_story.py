"""The story of a trader and an assistant, told through a real client, a server, a desk and a venue, each a process."""

import os
from typing import Any

import anyio
import pytest
from mcp.client import Client

from exchange_mcp.desk.operator.messages import HaltOrder
from exchange_mcp.desk.statements import Purpose
from serving import ERAS, Era, asked, refused
from whole_desk.desk import WholeDesk

from .served import WRITING, Recorded, Transport, a_new_one, client_of, hide_orders, price_of, sent

pytestmark = pytest.mark.anyio

# Both transports and both eras; the other two pairs are told in `make soak`.
TOLD = (
    ("stdio", ERAS[0], "ETH/USDT buy", 3),
    ("http", ERAS[1], "SOL/USDT sell", 6),
    *(
        [("stdio", ERAS[1], "SOL/USDT buy", 7), ("http", ERAS[0], "ETH/USDT sell", 4)]
        if "EXCHANGE_MCP_SOAK" in os.environ
        else []
    ),
)
AMOUNTS = {
    "ETH/USDT": ("0.0100", "0.0110", "0.0120", "0.0130"),
    "SOL/USDT": ("0.100", "0.110", "0.120", "0.130"),
}
ORDER = ("POST", "/api/v3/order")
CANCEL = ("DELETE", "/api/v3/order")
LEVERAGE = ("POST", "/fapi/v1/leverage")


class Assistant:
    """A model's side of one market."""

    def __init__(self, client: Client, symbol: str, side: str) -> None:
        self.client = client
        self.order: dict[str, Any] = {"account": "main", "symbol": symbol, "side": side}

    async def place(self, amount: str, **more: object) -> dict[str, Any]:
        kind = "limit" if "price" in more else "market"
        return await asked(self.client, "place_order", **self.order, type=kind, amount=amount, **more)

    async def not_placed(self, amount: str, **more: object) -> dict[str, Any]:
        kind = "limit" if "price" in more else "market"
        return await refused(self.client, "place_order", **self.order, type=kind, amount=amount, **more)

    async def told(self, intent_id: str, state: str) -> dict[str, Any]:
        """The intent, as soon as it is told as this."""
        with anyio.fail_after(30):
            while True:
                intent = await asked(self.client, "get_intent", intent_id=intent_id, wait_seconds=5)
                if intent["state"] == state:
                    return intent
                assert not intent["is_final"], intent


@pytest.mark.parametrize(("transport", "era", "what", "leverage"), TOLD)
async def test_from_a_proposal_to_a_halt_every_order_is_one_that_a_person_approved(  # noqa: PLR0915 - one story
    desk: WholeDesk, transport: Transport, era: Era, what: str, leverage: int
) -> None:
    symbol, _, side = what.partition(" ")
    first, second, third, fourth = AMOUNTS[symbol]
    far = price_of(desk, symbol, percent=90 if side == "buy" else 110)
    recorded, known = Recorded(desk), len(desk.placed())
    async with client_of(desk, transport, era) as client:
        assert {*WRITING, "get_intent", "retract_proposal"} <= {
            tool.name for tool in (await client.list_tools()).tools
        }
        model = Assistant(client, symbol, side)

        # Proposed: an answer and no error, though nobody approved it yet; asked again it is the same.
        known_order = await a_new_one(client, {**model.order, "type": "market", "amount": first})
        beside = {name: known_order[name] for name in ("distinct_from",) if name in known_order}
        proposed = await model.place(first, note="as the user asked", **beside)
        assert (proposed["state"], proposed["is_final"], proposed["approvals_needed"]) == (
            "proposed",
            False,
            1,
        )
        assert "script" in proposed["approval"]
        assert "://" not in proposed["approval"]  # it says where, and no link acts
        assert any(proposed["client_order_id"] in line for line in proposed["preview"])
        assert len(proposed["plan_digest"]) == 64
        again = await model.place(first, **beside)
        assert (again["intent_id"], again["repeated"]) == (proposed["intent_id"], True)
        assert sent(desk.sim) == []

        # Approved, filled, and told.
        desk.approve(proposed["intent_id"])
        placed = await model.told(proposed["intent_id"], "placed")
        (filled,) = desk.placed()[known:]
        assert (str(filled["id"]), filled["status"]) == (placed["order_id"], "FILLED")
        assert sent(desk.sim) == [ORDER]

        # Again at a new price: told which order stands in the way.
        similar = await model.not_placed(first, price=far)
        assert (similar["code"], similar["retry"]) == ("SIMILAR_ORDER", "never")
        assert proposed["intent_id"] in similar["message"]
        assert "distinct_from" in similar["message"]

        # A deliberate second one, which rests and is cancelled by the venue's id; the approver is told of the first.
        resting = await model.place(second, price=far, distinct_from=proposed["intent_id"])
        assert proposed["intent_id"] in resting["similar"]
        desk.approve(resting["intent_id"])
        at_venue = await model.told(resting["intent_id"], "placed")
        cancel = {"account": "main", "symbol": symbol}
        canceling = await asked(client, "cancel_order", **cancel, order_id=at_venue["order_id"])
        desk.approve(canceling["intent_id"])
        await model.told(canceling["intent_id"], "canceled")
        assert sent(desk.sim) == [ORDER, ORDER, CANCEL]

        # A third, whose answer is lost on its way from the venue: unknown, blocked, found, and not sent again.
        hide_orders(desk.sim)
        desk.sim.fail(kind="close", when="after", method="POST", path=ORDER[1], times=1)
        lost = await model.place(third, price=far, distinct_from=resting["intent_id"])
        desk.approve(lost["intent_id"])
        await model.told(lost["intent_id"], "unknown")
        unknown = await model.not_placed(third, price=far, distinct_from=resting["intent_id"])
        assert (unknown["code"], unknown["retry"]) == ("OUTCOME_UNKNOWN", "after_reconcile")
        assert "get_intent" in unknown["hint"]
        blocked = await model.not_placed(fourth, price=far, distinct_from=lost["intent_id"])
        assert (blocked["code"], blocked["retry"]) == ("BLOCKED_BY_UNKNOWN", "after_reconcile")
        assert all(lost["intent_id"] in each["message"] for each in (unknown, blocked))
        desk.sim.heal()
        assert (await model.told(lost["intent_id"], "placed"))["order_id"] is not None
        by_intent = await asked(client, "cancel_order", **cancel, intent_id=lost["intent_id"])
        desk.approve(by_intent["intent_id"])
        await model.told(by_intent["intent_id"], "canceled")
        assert sent(desk.sim) == [ORDER, ORDER, CANCEL, ORDER, CANCEL]

        # Another leverage, in a market without a position.
        asked_for = {"account": "main", "symbol": "SOL/USDT:USDT", "leverage": leverage}
        changing = await asked(client, "set_leverage", **asked_for)
        desk.approve(changing["intent_id"])
        await model.told(changing["intent_id"], "set")

        # Halted: an error code and the same tools; what waits is not approved; only a signature resumes.
        waiting = await model.place(fourth, price=far, distinct_from=lost["intent_id"])
        with desk.operator() as operator:
            operator.halt(HaltOrder(by="somebody", reason="a look at the news"))
        halted = await model.not_placed(fourth, price=far, distinct_from=waiting["intent_id"])
        assert halted["code"] == "HALTED"
        assert "a look at the news" in halted["message"]
        assert set(WRITING) <= {tool.name for tool in (await client.list_tools()).tools}
        desk.sign(Purpose.RESUME, {"account": None, "reason": "a look at the news"})
        assert (await asked(client, "get_intent", intent_id=waiting["intent_id"]))["state"] == "proposed"
        back = await asked(client, "retract_proposal", intent_id=waiting["intent_id"])
        assert back["state"] == "retracted"

    assert sent(desk.sim) == [ORDER, ORDER, CANCEL, ORDER, CANCEL, LEVERAGE]
    assert len(desk.placed()) == known + 3
    kinds = recorded.kinds()
    assert kinds.count("granted") == kinds.count("claimed") == 6
