"""The demo as a person runs it, once, and what its transcript shows."""

import os
import re
import signal
import subprocess
from collections.abc import Generator
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest

from exchange_mcp import __version__
from exchange_mcp.tools.registry import without_desk
from serving import PROGRAM

from .launching import Done, environment, ran, running

# Any path may hold these; and a character beyond 16 bits is where JSON's escapes are no longer TOML's.
ODD_NAME: Final = 'a place with spaces, "quotes" and \U0001f600'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the demo has its home and its temporary files."""
    place = tmp_path_factory.mktemp("demo") / ODD_NAME
    place.mkdir()
    return place


@pytest.fixture(scope="module")
def demo(place: Path) -> Done:
    """A demo that has ended."""
    return ran("demo", environ=environment(place, TMPDIR=str(place)))


@pytest.fixture(scope="module")
def answers(demo: Done) -> dict[str, str]:
    """What was answered to each question, by the tool that was asked; of a tool asked twice, both."""
    found: dict[str, str] = {}
    for part in demo.stdout.split("\n> ")[1:]:
        _, call, *answer = part.splitlines()
        tool = call.split()[0]
        found[tool] = found.get(tool, "") + "\n".join(answer) + "\n"
    return found


def test_it_ends_by_itself_with_nothing_to_complain_of(demo: Done) -> None:
    assert (demo.returncode, demo.stderr) == (0, "")


def test_it_leaves_no_process_and_no_file_behind(demo: Done, place: Path) -> None:
    assert demo.returncode == 0
    assert running(place) == []
    assert list(place.iterdir()) == []


def test_it_says_whom_it_is_connected_to(demo: Done) -> None:
    assert demo.stdout.startswith(f"Connected over stdio to exchange-mcp {__version__}.\n")


def test_every_tool_is_listed_with_its_four_hints_and_none_changes_anything(demo: Done) -> None:
    cells = [re.split(r"\s*[│|]\s*", line.strip("│| ")) for line in demo.stdout.splitlines()]
    listed = {row[0]: row[1:] for row in cells if len(row) == 5 and row[0] != "tool"}
    words = {True: "yes", False: "no"}
    assert listed == {
        spec.name: [
            words[hint.value]
            for hint in (
                spec.hints.read_only,
                spec.hints.destructive,
                spec.hints.idempotent,
                spec.hints.open_world,
            )
        ]
        for spec in without_desk()
    }
    assert "Tools that can change anything: none." in demo.stdout


def test_balances_of_both_wallets_are_shown_in_full(answers: dict[str, str]) -> None:
    rows = [line.split() for line in answers["get_balance"].splitlines() if line.startswith("main")]
    assert {row[1] for row in rows} == {"spot", "linear"}
    for _, source, asset, free, used, total in rows:
        # The futures wallet rounds each of the three by itself; in the spot wallet they add up.
        if source == "spot":
            assert Decimal(free) + Decimal(used) == Decimal(total), asset
    assert "answered: main spot, main linear; gaps: none" in answers["get_balance"]


def test_positions_of_every_account_are_shown(answers: dict[str, str]) -> None:
    rows = [line.split() for line in answers["get_positions"].splitlines()]
    assert {row[0] for row in rows if row} >= {"main", "hedged"}
    assert {row[2] for row in rows if len(row) > 2 and row[0] in {"main", "hedged"}} == {"long", "short"}


def test_orders_of_every_list_that_the_venue_keeps_apart_are_shown(answers: dict[str, str]) -> None:
    for source in ("spot ", "linear ", "linear conditional "):
        assert any(line.startswith(source) for line in answers["get_open_orders"].splitlines()), source


def test_a_price_and_a_book_are_shown_and_the_book_does_not_cross(answers: dict[str, str]) -> None:
    assert re.search(r"^BTC/USDT +\d+\.\d{8} ", answers["get_ticker"], re.MULTILINE)
    best = re.search(r"^BTC/USDT:USDT +(\S+) x \S+ +(\S+) x ", answers["get_orderbook"], re.MULTILINE)
    assert best is not None
    assert Decimal(best[1]) < Decimal(best[2])


def test_an_order_is_previewed_with_figures_for_fee_balance_and_liquidation(answers: dict[str, str]) -> None:
    lines = dict(re.findall(r"^  (\w+(?: \w+)*) {2,}(.+)$", answers["preview_order"], re.MULTILINE))
    assert lines["effect"] == "flips"
    assert lines["position"] == "long 0.25 BTC now, short 0.15 BTC then"
    assert re.match(r"about \d+\.\d+ USDT \(the account's own rate\)", lines["fee"])
    assert re.match(r"\d+\.\d+ USDT now, \d+\.\d+ USDT then", lines["liquidation"])
    assert "gaps: none" in answers["preview_order"].replace("\n", "")


def test_the_operators_limits_hold_deny_a_flip_and_allow_a_small_order(demo: Done) -> None:
    _, limits, *orders = re.split(r"^> (?:Do my limits|Would they)", demo.stdout, flags=re.MULTILINE)
    assert "policy.toml: the policy holds." in limits
    denied, allowed = orders
    assert "DENIED" in denied
    assert "a position is closed before the other side is opened" in denied
    assert "ALLOWED" in allowed


def test_the_position_size_risks_at_most_what_was_asked(answers: dict[str, str]) -> None:
    size = dict(re.findall(r"^  (\w+): (.+)$", answers["calculate_position_size"], re.MULTILINE))
    assert size["side"] == "long"
    assert Decimal(0) < Decimal(size["loss_at_stop"]) <= Decimal(size["risk_amount"])


def test_a_question_that_fails_says_what_would_be_right(answers: dict[str, str]) -> None:
    assert "UNKNOWN_SYMBOL: " in answers["get_ticker"]
    assert "nearest: BTC/USDT" in answers["get_ticker"]


def test_a_key_that_only_reads_is_accepted_and_says_what_it_may_do(answers: dict[str, str]) -> None:
    (row,) = (line.split() for line in answers["get_key_scope"].splitlines() if line.startswith("main"))
    assert row == ["main", "granted", "denied", "denied", "denied", "yes"]


def test_a_key_that_can_trade_is_refused_with_the_reason_and_the_remedy(answers: dict[str, str]) -> None:
    refusal = " ".join(answers["get_balance"].split())
    assert "KEY_REFUSED: " in refusal
    assert "account trading: serve does not run on a key that can trade" in refusal
    assert (
        'At Binance, under API Management, untick "Enable Spot & Margin Trading", "Enable Futures"' in refusal
    )
    assert not [line for line in answers["get_positions"].splitlines() if line.startswith("trading")]
    assert "trading linear: account trading: serve does not run" in " ".join(answers["get_positions"].split())


def test_withdraw_is_refused(answers: dict[str, str]) -> None:
    assert "REFUSED_BY_DESIGN: withdraw: refused by design." in answers["withdraw"]


def test_a_terminal_without_these_characters_gets_others(tmp_path: Path) -> None:
    done = ran("demo", environ=environment(tmp_path, PYTHONIOENCODING="ascii"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "| get_balance" in done.stdout
    assert done.stdout.isascii()


def test_two_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    arguments = [*PROGRAM, "demo"]
    both = [
        subprocess.Popen(  # noqa: S603 - our own program
            arguments, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for _ in range(2)
    ]
    for process in both:
        shown, _ = process.communicate(timeout=60)
        assert process.returncode == 0, shown
        assert "REFUSED_BY_DESIGN" in shown


@pytest.fixture
def started(tmp_path: Path) -> Generator[subprocess.Popen[str]]:
    """A demo that has shown its first line, as the leader of a group of its own, as a shell would have it."""
    with subprocess.Popen(  # noqa: S603 - our own program
        [*PROGRAM, "demo"],
        env=environment(tmp_path, TMPDIR=str(tmp_path)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Connected")
        yield process


def test_ctrl_c_ends_it_in_a_line_and_leaves_nothing_behind(
    started: subprocess.Popen[str], tmp_path: Path
) -> None:
    os.killpg(started.pid, signal.SIGINT)
    _, complaint = started.communicate(timeout=30)
    assert started.returncode == 1
    assert complaint.strip() == "Aborted!"
    assert running(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_reader_who_has_seen_enough_ends_nothing_badly(
    started: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert started.stdout is not None
    started.stdout.close()
    assert started.stderr is not None
    assert started.stderr.read() == ""
    assert started.wait(timeout=30) == 0
    assert running(tmp_path) == []
