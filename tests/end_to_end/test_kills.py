"""Serve and then the desk are killed between every two steps of an order; the model asks again, and one order is sent.

The steps are the states of `desk.intents` that an order can leave: while it is in each, everything between the model
and the venue is killed once. The venue counts.
"""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, Final, cast

import anyio
import anyio.to_thread
import pytest
from mcp.client import Client

from exchange_mcp.audit.verify import verify
from exchange_mcp.desk.intents import LIVE, TRANSITIONS, State
from serving import Sim
from whole_desk.desk import WholeDesk
from whole_desk.nursery import Nursery, nursery

from .served import (
    Recorded,
    a_new_one,
    hide_orders,
    kill_server,
    looked_at,
    over_stdio,
    price_of,
    serve_config,
)

pytestmark = pytest.mark.anyio

ORDER: Final = "/api/v3/order"
PATIENCE_SECONDS: Final = 60
Hold = Callable[[Sim], None]
Step = tuple[State, Hold, tuple[State, ...], int]
"""Where the order is held, how, where it may be after the desk's next start, and how many orders the venue has then."""


def nothing(_: Sim) -> None:
    """Nobody decides: it waits by itself."""


def the_re_check(sim: Sim) -> None:
    sim.fail(kind="hang", method="GET", path="/api/v3/depth")


def the_answer(sim: Sim) -> None:
    sim.fail(kind="hang", when="after", method="POST", path=ORDER)


def the_look_afterwards(sim: Sim) -> None:
    sim.fail(kind="hang", method="GET", path=ORDER)


def every_trace(sim: Sim) -> None:
    hide_orders(sim)
    sim.fail(kind="close", when="after", method="POST", path=ORDER, times=1)


STEPS: Final[tuple[Step, ...]] = (
    (State.PROPOSED, nothing, (State.PROPOSED,), 0),
    (State.APPROVED, the_re_check, (State.LAPSED,), 0),
    (State.DISPATCHING, the_answer, (State.PLACED,), 1),
    (State.ACCEPTED, the_look_afterwards, (State.PLACED,), 1),
    (State.UNKNOWN, every_trace, (State.PLACED,), 1),
)


def test_every_state_that_an_order_can_leave_for_another_step_is_a_step_here() -> None:
    leaves = {row.start for row in TRANSITIONS if "place" in row.actions}
    assert {state for state, *_ in STEPS} == leaves & LIVE == LIVE


def begin(births: Nursery, desk: WholeDesk) -> None:
    """Run the desk, from the moment that account main takes writes."""
    births.run(desk.environ, desk.log)
    desk.until(lambda status: status.closed is None and status.accounts[0].closed is None)


async def answer_of(client: Client, order: Mapping[str, object]) -> tuple[str | None, str]:
    """The code of the error, if it is one, and all that was said."""
    result = await client.call_tool("place_order", dict(order))
    answer = cast("dict[str, Any]", result.structured_content)
    return None if answer["error"] is None else answer["error"]["code"], str(answer)


async def proposed(client: Client, order: Mapping[str, object]) -> str:
    """The intent that is answered, a new one or an earlier one."""
    result = await client.call_tool("place_order", dict(order))
    answer = cast("dict[str, Any]", result.structured_content)
    assert answer["error"] is None, answer
    return cast("str", answer["data"]["intent_id"])


async def test_whatever_is_killed_the_model_gets_the_same_intent_and_the_venue_one_order(
    desk: WholeDesk,
) -> None:
    config = serve_config(desk)
    order: dict[str, object] = {"account": "main", "symbol": "BTC/USDT", "side": "buy", "type": "limit"}
    order |= {"amount": "0.0001", "price": price_of(desk, "BTC/USDT", percent=102)}
    known = len(desk.placed())
    desk.stop()
    async with AsyncExitStack() as held:
        births = held.enter_context(nursery())
        begin(births, desk)
        client = await held.enter_async_context(over_stdio(desk, config))
        order = await a_new_one(client, order)
        for state, hold, afterwards, orders in STEPS:
            intent_id = await proposed(client, order)
            signed = looked_at(desk, intent_id)
            hold(desk.sim)
            if state is not State.PROPOSED:
                with desk.operator() as operator:
                    operator.signed(signed)
            desk.settled(intent_id, state)
            kill_server(config)
            recorded = Recorded(desk)
            client = await held.enter_async_context(over_stdio(desk, config))
            if hold is not the_re_check:  # planning would read the book as well
                _, said = await answer_of(client, order)
                assert intent_id in said, state
                assert "proposed" not in recorded.kinds()
            assert desk.intent(intent_id).state == state
            births.kill()
            births.gone()
            desk.sim.heal()
            begin(births, desk)
            desk.settled(intent_id, *afterwards)
            placed = [each["client_order_id"] for each in desk.placed()[known:]]
            assert placed == [desk.intent(intent_id).client_order_id] * orders, state
            again = await proposed(client, order)
            # What lapsed was not sent: the same may be asked for anew.
            assert (again == intent_id) is (state is not State.APPROVED), state
            if orders:
                order["distinct_from"] = intent_id
            else:
                await client.call_tool("retract_proposal", {"intent_id": again})
            known += orders
    assert verify(desk.places.desk_journal).count > 0


async def test_a_server_that_is_killed_while_the_desk_plans_leaves_at_most_one_proposal(
    desk: WholeDesk,
) -> None:
    """The model's first call is cut, and the client's own timeout, a cancel and a disconnect are no different."""
    config = serve_config(desk)
    order: dict[str, object] = {"account": "main", "symbol": "BTC/USDT", "side": "sell", "type": "limit"}
    order |= {"amount": "0.0002", "price": price_of(desk, "BTC/USDT", percent=110)}
    async with over_stdio(desk, config) as client:
        order = await a_new_one(client, order)
        recorded = Recorded(desk)
        desk.sim.forget()
        desk.sim.fail(kind="hang", method="GET", path="/api/v3/depth")
        for _ in range(2):  # cancelled by the client, and then cut
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "place_order", order)
                with anyio.fail_after(PATIENCE_SECONDS):
                    while "/api/v3/depth" not in await anyio.to_thread.run_sync(desk.sim.paths):
                        pass
                desk.sim.forget()
                group.cancel_scope.cancel()
        kill_server(config)
    desk.sim.heal()
    async with over_stdio(desk, config) as client:
        answers = [await answer_of(client, order) for _ in range(2)]
        first = answers[0][1].partition("'intent_id': '")[2][:32]
        assert all(code is None and first in said for code, said in answers)
        assert recorded.kinds().count("proposed") == 1
        await client.call_tool("retract_proposal", {"intent_id": first})
