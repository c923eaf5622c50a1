"""A desk's state that was copied, or went back in time: it is noticed, nothing is sent twice, the way on is said."""

import os
import shutil
import signal
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from cli.launching import environment
from exchange_mcp.desk.operator.messages import IntentView
from exchange_mcp.desk.pace import Pace

from .desk import WholeDesk, enrol, everything, free_port, short_place

FORGOTTEN = "this journal has not sent it: the journal was copied, or an older one restored"


@contextmanager
def standing_still(desk: WholeDesk) -> Generator[None]:
    """The desk does nothing meanwhile, so that a copy of its files is one of a moment, as a disk's snapshot is."""
    assert desk.process is not None
    desk.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, desk.process.pid, os.WSTOPPED)
    yield
    desk.process.send_signal(signal.SIGCONT)


@contextmanager
def copy_of(desk: WholeDesk) -> Generator[WholeDesk]:
    """The desk again, as it stands on the disk: with its journal, its mark and its tag, and with no lock in common."""
    with TemporaryDirectory(prefix="xc", dir=short_place()) as base:
        home, runtime = Path(base) / "home", Path(base) / "run"
        with standing_still(desk):
            shutil.copytree(desk.home, home)
        other = WholeDesk(home, runtime, desk.sim, desk.key, environment(home, XDG_RUNTIME_DIR=str(runtime)))
        text = other.places.desk_file.read_text(encoding="utf-8")
        (line,) = (line for line in text.splitlines() if line.startswith("port = "))
        other.places.desk_file.write_text(text.replace(line, f"port = {free_port()}"), encoding="utf-8")
        try:
            yield other
        finally:
            if other.process is not None:
                other.kill()


def approved(desk: WholeDesk, amount: str, side: str) -> IntentView:
    """An order that is approved, whatever becomes of it then."""
    intent = desk.buy(amount, side=side)
    desk.approve(intent.id)
    return intent


def test_a_copy_of_a_running_desk_and_the_desk_itself_halt_before_either_sends_once_more(
    desk: WholeDesk,
) -> None:
    desk.start()
    both = desk.buy("0.01", symbol="ETH/USDT:USDT", side="sell")
    with copy_of(desk) as other:
        other.start(is_open=False)
        other.accept()  # of the console's port, the one thing in which they differ
        other.until(lambda status: status.closed is None and status.accounts[0].closed is None)
        # Each sends one order by itself, before the venue shows either.
        desk.sim.fail(kind="delay", ms=2500, method="POST", path="/api/v3/order")
        sent = approved(desk, "0.001", "buy"), approved(other, "0.002", "sell")
        for each, intent in zip((desk, other), sent, strict=True):
            each.settled(intent.id, "placed")
        desk.sim.heal()
        settled = time.monotonic()
        desk.until(lambda _: time.monotonic() - settled > Pace().sweep_age)  # what either saw before is old
        # Both hold the same proposal, and the same person approves it at both.
        for each in (desk, other):
            each.approve(both.id)
            assert each.settled(both.id, "lapsed", "placed", "unknown").state == "lapsed"
            assert FORGOTTEN in str(each.status().accounts[0].halted)
        assert {order["client_order_id"] for order in desk.placed()} == {
            intent.client_order_id for intent in sent
        }


def test_what_an_older_journal_has_forgotten_is_seen_at_its_first_look_and_not_sent_again(
    desk: WholeDesk,
) -> None:
    state = desk.places.desk_state
    wanted = {"symbol": "ETH/USDT", "side": "buy", "type": "market", "amount": "0.01"}
    desk.start()
    known = desk.buy()
    with standing_still(desk):
        shutil.copytree(state, older := state.with_name("older"))
    forgotten = desk.proposes("the-first", **wanted).json()["intent_id"]
    for intent_id in (known.id, forgotten):
        desk.approve(intent_id)
        desk.settled(intent_id, "placed")
    desk.kill()
    newest = state.rename(state.with_name("newest"))

    # The journal alone went back: its mark, which did not, says so, and so does one line, with the way on.
    shutil.copytree(older, state)
    shutil.rmtree(state / "marks")
    shutil.copytree(newest / "marks", state / "marks")
    code, said = desk.fails()
    assert (code, len(said.splitlines())) == (1, 1)
    assert "the journal ends at event" in said
    assert "exchange-mcp desk --setup" in said
    shutil.rmtree(state / "marks")  # as on a machine where it never ran
    code, said = desk.fails()
    assert (code, len(said.splitlines())) == (1, 1)
    assert "this journal was in use, and not on this machine" in said
    assert "exchange-mcp desk --setup" in said

    # Journal and mark went back together, as a disk's snapshot takes them.
    shutil.rmtree(state)
    shutil.copytree(older, state)
    desk.start()
    assert FORGOTTEN in str(desk.status().accounts[0].halted)
    again = desk.proposes("the-first", **wanted)  # whoever asked lost the answer
    assert again.json()["error"]["code"] == "HALTED", again.json()
    desk.approve(known.id)  # in this journal, it waits for that
    assert desk.settled(known.id, "lapsed", "placed", "unknown").state == "lapsed"
    assert len(desk.placed()) == 2
    desk.stop()

    # As the line says: the directory is moved away, and the desk set up again with the same file and the same key.
    state.rename(state.with_name("refused"))
    enrol(desk, desk.places.desk_file.read_text(encoding="utf-8"), everything())
    desk.start()
    assert "another desk" in str(desk.status().accounts[0].halted)
    assert len(desk.placed()) == 2
