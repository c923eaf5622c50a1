"""Two desks with one key: whatever lock they cannot share, each sees the other at the venue before it sends again."""

import time

from exchange_mcp.desk.pace import Pace

from .desk import WholeDesk, whole_desk


def test_two_desks_on_one_key_that_no_lock_keeps_apart_both_halt_before_either_sends_again(
    desk: WholeDesk,
) -> None:
    desk.start()
    with whole_desk(sim=desk.sim) as other:  # with a runtime directory of its own, as on another machine
        other.start()
        # Both send before the venue shows either's order.
        desk.sim.fail(kind="delay", ms=2500, method="POST", path="/api/v3/order")
        first, second = desk.buy(), other.buy("0.01", symbol="ETH/USDT")
        for each, intent in ((desk, first), (other, second)):
            each.approve(intent.id)
        for each, intent in ((desk, first), (other, second)):
            each.settled(intent.id, "placed")
        desk.sim.heal()
        next_ones = desk.buy("0.01", symbol="ETH/USDT:USDT"), other.buy("0.002", symbol="BTC/USDT:USDT")
        settled = time.monotonic()
        desk.until(lambda _: time.monotonic() - settled > Pace().sweep_age)  # what either saw before is old
        for each, intent in zip((desk, other), next_ones, strict=True):
            each.approve(intent.id)
            assert each.settled(intent.id, "lapsed", "placed", "unknown").state == "lapsed"
            assert "another desk" in str(each.status().accounts[0].halted)
        assert len(desk.placed()) == 2
