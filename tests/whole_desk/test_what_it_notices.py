"""What a desk notices by itself, within a minute of it. Each waits for a look that comes in its own time."""

import pytest

from exchange_mcp.desk.operator.client import DeskAnswerError
from exchange_mcp.model.errors import ErrorCode

from .desk import TOML, WholeDesk, whole_desk


def test_a_venue_that_cannot_be_looked_up_keeps_its_own_account_closed_and_the_other_trades() -> None:
    gone = TOML.replace(
        "[policy]",
        """[accounts.second]
venue = "binance"
environment = "sim"
market_types = ["spot", "linear"]
sim_key = "trader"
rendezvous = "/nowhere/rendezvous.json"
[policy]""",
    ).replace('accounts = ["main"]', 'accounts = ["main", "second"]')
    with whole_desk(toml=gone) as desk:
        desk.start()
        main, second = desk.status().accounts
        assert main.closed is None
        assert "/nowhere/rendezvous.json" in str(second.closed)
        assert desk.buy().state == "proposed"
        desk.stop()
        desk.sim.fail(kind="status", status=503)
        desk.start(is_open=False)
        down = desk.until(lambda status: "did not answer" in str(status.accounts[0].closed))
        assert down.closed is None
        with pytest.raises(DeskAnswerError) as refused:
            desk.buy("0.002")
        assert refused.value.code is ErrorCode.WRITES_CLOSED
        assert desk.stop() == 0


def test_a_key_that_got_wider_while_the_desk_runs_is_used_no_more(desk: WholeDesk) -> None:
    desk.start()
    proposed = desk.buy()
    desk.sim.control.post("/__sim/keys/trader", json={"access": "withdraw"}).raise_for_status()
    # The watch over the key asks twice a minute at the least that the configuration allows.
    desk.until(
        lambda status: "withdraw" in status.accounts[0].key and "granted" not in status.accounts[0].key
    )
    with pytest.raises(DeskAnswerError) as refused:
        desk.approve(proposed.id)
    assert refused.value.code is ErrorCode.KEY_REFUSED
    assert desk.placed() == []


def test_two_desks_on_one_key_notice_each_other_though_neither_sends_again(desk: WholeDesk) -> None:
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
