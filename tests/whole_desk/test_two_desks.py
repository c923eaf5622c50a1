"""Two desks with one key: whatever lock they cannot share, each sees the other at the venue."""

from .desk import WholeDesk, whole_desk


def test_two_desks_on_one_key_that_no_lock_keeps_apart_both_halt(desk: WholeDesk) -> None:
    desk.start()
    with whole_desk(sim=desk.sim) as other:  # with a runtime directory of its own, as on another machine
        other.start()
        # Both send before either has looked again: each holds its order back for the other's.
        desk.sim.fail(kind="delay", ms=3000, method="POST", path="/api/v3/order")
        first, second = desk.buy(), other.buy("0.01", symbol="ETH/USDT")
        desk.approve(first.id)
        other.approve(second.id)
        for each, intent in ((desk, first), (other, second)):
            each.settled(intent.id, "placed")
        for each in (desk, other):
            halted = each.until(lambda status: status.accounts[0].halted)
            assert "another desk" in str(halted.accounts[0].halted)
        assert len(desk.placed()) == 2
