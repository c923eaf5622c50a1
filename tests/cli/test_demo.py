"""The demo as a person runs it, once, and what its transcript shows."""

import os
import re
import select
import signal
import subprocess
from collections.abc import Generator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest

from exchange_mcp import __version__
from exchange_mcp.cli.demo import fit_for_a_journal
from exchange_mcp.desk.filesystems import mounts
from exchange_mcp.tools.registry import without_desk
from serving import PROGRAM

from .launching import Done, environment, running
from .readme import blocks

# Any path may hold these; and a character beyond 16 bits is where JSON's escapes are no longer TOML's.
ODD_NAME: Final = 'a place with spaces, "quotes" and \U0001f600'


def alike(line: str) -> str:
    """A line without what differs from run to run: ids, figures, and the room that they take."""
    without_ids = re.sub(r"\b(?:[0-9a-f]{64}|[0-9a-f]{32}|xm[0-9a-z]{28})\b", "ID", line)
    return " ".join(re.sub(r"-?[0-9]+(?:\.[0-9]+)?", "0", without_ids).split())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the demo has its home and its temporary files."""
    place = tmp_path_factory.mktemp("demo") / ODD_NAME
    place.mkdir()
    return place


@dataclass(frozen=True)
class Ended:
    """Three demos that ran at once: one as it is, one for a screen that has ASCII alone, one whose reader left."""

    demo: Done
    plain: Done
    unread: Done


@pytest.fixture(scope="module")
def ended(place: Path) -> Ended:
    """Three demos that have ended."""
    arguments = [*PROGRAM, "demo"]
    places = {"TMPDIR": str(place)}
    three = [
        subprocess.Popen(  # noqa: S603 - our own program
            arguments,
            env=environment(place, **more),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for more in (places, places | {"PYTHONIOENCODING": "ascii"}, places)
    ]
    unread = three[2]
    assert unread.stdout is not None
    assert unread.stdout.readline().startswith("Connected")
    unread.stdout.close()
    unread.stdout = None
    told = [(process, *process.communicate(timeout=120)) for process in three]
    return Ended(*(subprocess.CompletedProcess(arguments, each.returncode, *said) for each, *said in told))


@pytest.fixture(scope="module")
def demo(ended: Ended) -> Done:
    """One that has ended."""
    return ended.demo


@pytest.fixture(scope="module")
def answers(demo: Done) -> dict[str, str]:
    """What was answered to each question, by the tool that was asked; of a tool asked twice, both."""
    found: dict[str, str] = {}
    for part in reading(demo).split("\n> ")[1:]:
        _, call, *answer = part.splitlines()
        tool = call.split()[0]
        found[tool] = found.get(tool, "") + "\n".join(answer) + "\n"
    return found


def reading(demo: Done) -> str:
    """The part of the transcript before there is a desk."""
    return demo.stdout.partition("The desk: ")[0]


@pytest.fixture(scope="module")
def told(demo: Done) -> list[tuple[str, str]]:
    """Of the part with the desk, what was asked and commanded, and what came of each; spaces and wraps are one."""
    parts = demo.stdout.partition("The desk: ")[2].split("\n> ")[1:]
    return [(first, " ".join(rest.split())) for first, _, rest in (part.partition("\n") for part in parts)]


def test_it_ends_by_itself_with_nothing_to_complain_of(demo: Done) -> None:
    assert (demo.returncode, demo.stderr) == (0, "")


def test_it_leaves_no_process_and_no_file_behind(demo: Done, place: Path) -> None:
    assert demo.returncode == 0
    assert running(place) == []
    assert list(place.iterdir()) == []


def test_it_says_whom_it_is_connected_to(demo: Done) -> None:
    assert demo.stdout.startswith(f"Connected over stdio to exchange-mcp {__version__}.\n")


def test_every_tool_is_listed_with_its_four_hints_and_none_changes_anything(demo: Done) -> None:
    cells = [re.split(r"\s*[│|]\s*", line.strip("│| ")) for line in reading(demo).splitlines()]
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
    shown = reading(demo)
    _, limits, *orders = re.split(r"^> (?:Do my limits|Would they)", shown, flags=re.MULTILINE)
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


def test_an_order_by_hand_goes_from_propose_to_placed(told: list[tuple[str, str]]) -> None:
    (by_hand,) = (came for question, came in told if question.startswith("Propose an order by hand"))
    (approved,) = (came for question, came in told if question.startswith("And approve it."))
    intent = re.search(r"PROPOSED: intent (\w{32})\. ", by_hand)
    assert intent is not None
    assert "worth " in by_hand
    assert f"exchange-mcp approvals approve {intent[1]} " in approved
    assert "SIMULATED - no money" in approved
    assert re.search(rf" PLACED: .+ \(intent {intent[1]}, order \d+\)", approved)


def test_every_approval_is_said_to_be_a_scripts(told: list[tuple[str, str]]) -> None:
    approvals = [question for question, came in told if came.startswith("exchange-mcp approvals approve ")]
    assert len(approvals) == 6
    assert not [each for each in approvals if "script" not in each]


def test_a_model_proposes_sees_the_preview_and_what_became_of_it(told: list[tuple[str, str]]) -> None:
    _, came = next(each for each in told if each[1].startswith("place_order "))
    assert "state: proposed" in came
    assert "position long 0.25 BTC now, long 0.2 BTC then" in came
    _, became = next(each for each in told if each[1].startswith("get_intent "))
    assert "state: placed" in became
    _, held = next(each for each in told if each[1].startswith("get_positions "))
    assert " BTC/USDT:USDT long 0.200 " in held


def test_the_same_at_a_new_price_is_refused_with_the_first_ones_id_and_a_second_one_takes_it(
    told: list[tuple[str, str]],
) -> None:
    orders = [came for _, came in told if came.startswith("place_order ")]
    (first,) = re.findall(r"intent_id: (\w{32})", orders[0])
    assert f"SIMILAR_ORDER: intent {first} " in orders[1]
    assert f'"distinct_from": "{first}"' in orders[2]
    assert "state: proposed" in orders[2]


def test_a_cancel_and_a_leverage_come_to_what_they_say(told: list[tuple[str, str]]) -> None:
    came = " ".join(came for _, came in told)
    assert re.search(r" CANCELED: cancel \w+ on BTC/USDT:USDT ", came)
    assert " SET: leverage 5x on SOL/USDT:USDT " in came


def test_a_lost_answer_ends_as_the_order_that_was_found_and_was_sent_once(
    told: list[tuple[str, str]],
) -> None:
    since = next(at for at, (question, _) in enumerate(told) if question.startswith("Buy back half an ether"))
    proposed, unknown, again, found = (came for _, came in told[since : since + 4])
    (intent,) = re.findall(r"intent_id: (\w{32})", proposed)
    assert " UNKNOWN: " in unknown
    assert f"OUTCOME_UNKNOWN: intent {intent} " in again
    assert "state: placed reason: it was found at the venue" in found
    assert "requests 1, orders 1." in told[since + 3][1]


def test_after_the_halt_nothing_is_taken_and_the_log_holds_together(told: list[tuple[str, str]]) -> None:
    halted, refused, verified = (came for _, came in told[-3:])
    assert "Halted now: the desk: the demo ends" in halted
    assert "HALTED: the desk is halted: the demo ends" in refused
    assert "holds together" in verified


def test_what_the_readme_shows_of_it_is_what_it_printed(demo: Done) -> None:
    # Line by line in their order, whatever figures and ids they have; a line of dots leaves some out.
    shown = [block for block in blocks("") if "\n> " in block]
    assert len(shown) >= 2
    for block in shown:
        printed = iter([alike(line) for line in demo.stdout.splitlines()])
        missing = [
            line for line in block.splitlines() if line not in {"", "..."} and alike(line) not in printed
        ]
        assert not missing


def test_a_terminal_without_these_characters_gets_others(ended: Ended) -> None:
    assert (ended.plain.returncode, ended.plain.stderr) == (0, "")
    assert "| get_balance" in ended.plain.stdout
    assert ended.plain.stdout.isascii()


def test_two_at_once_do_not_disturb_each_other(ended: Ended) -> None:
    for done in (ended.demo, ended.plain):
        assert "REFUSED_BY_DESIGN" in done.stdout
        assert "requests 1, orders 1." in done.stdout


def test_a_reader_who_has_seen_enough_ends_nothing_badly(ended: Ended) -> None:
    assert (ended.unread.returncode, ended.unread.stderr) == (0, "")


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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_a_line_and_leaves_nothing_behind(
    number: signal.Signals, started: subprocess.Popen[str], tmp_path: Path
) -> None:
    # As a shell's Ctrl-C, to all of them; a supervisor's SIGTERM is for the demo alone.
    (os.killpg if number is signal.SIGINT else os.kill)(started.pid, number)
    _, complaint = started.communicate(timeout=30)
    assert started.returncode == 1
    assert complaint.strip() == "Aborted!"
    assert running(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_where_the_usual_place_forgets_everything_another_one_is_taken_or_the_reason_is_said(
    tmp_path: Path,
) -> None:
    forgetful = next((str(each.point) for each in mounts() if each.kind == "tmpfs"), None)
    if forgetful is None:
        pytest.skip("nothing here is on tmpfs")
    assert fit_for_a_journal([forgetful, str(tmp_path)]) == (tmp_path, None)
    place, why = fit_for_a_journal([forgetful])
    assert place is None
    assert why is not None
    assert "tmpfs" in why


def has_a_desk(started: subprocess.Popen[str]) -> None:
    """Wait until its desk serves."""
    assert started.stdout is not None
    while not started.stdout.readline().startswith("  Propose at "):
        assert started.poll() is None


def test_ctrl_c_ends_its_desk_too_and_leaves_nothing_behind(
    started: subprocess.Popen[str], tmp_path: Path
) -> None:
    has_a_desk(started)
    assert running_with("desk", tmp_path)
    os.killpg(started.pid, signal.SIGINT)
    _, complaint = started.communicate(timeout=60)
    assert (started.returncode, complaint.strip()) == (1, "Aborted!")
    assert running_with("desk", tmp_path) == []
    assert running(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_its_desk_ends_with_it_even_if_it_is_killed(started: subprocess.Popen[str], tmp_path: Path) -> None:
    has_a_desk(started)
    desks = [os.pidfd_open(pid) for pid in running_with("desk", tmp_path)]
    assert desks
    started.kill()
    for desk in desks:
        ended, _, _ = select.select([desk], [], [], 60)
        assert ended
        os.close(desk)


def running_with(word: str, directory: Path) -> list[int]:
    """The processes of our program with this command whose working directory is under this one."""
    found: list[int] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            place = (process / "cwd").readlink()
        except OSError:  # it has ended meanwhile, or is somebody else's
            continue
        if word.encode() in words and place.is_relative_to(directory):
            found.append(int(process.name))
    return found
