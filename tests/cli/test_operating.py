"""What an operator types, against a desk that runs: every command, at a terminal and in a script."""

import json
import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from serving import PROGRAM

from .launching import asked
from .operated import Operated, operated_desk
from .terminal import Terminal, at_terminal

ADA = ("--approver", "ada")
PASSPHRASE = "correct horse battery 7"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Generator[Operated]:
    """A desk that is in force, and a person, ada, who can approve at it with a key under a passphrase."""
    with operated_desk(tmp_path_factory.mktemp("operated")) as running:
        assert "is not the configuration that an approver accepted" in running.does("status").stdout
        accepted = running.does("desk", "accept", "--key", str(running.script_key))
        assert accepted.exit_code == 0, accepted.output
        assert "More permissive:" in accepted.stdout
        assert "max_open_orders of [policy] is 50, and was 20" in accepted.stdout
        running.opens()
        with terminal(running, "approvers", "add", "ada", "--key", str(running.script_key)) as person:
            person.answer("passphrase for ada's key", PASSPHRASE)
            person.answer("The same once more", PASSPHRASE)
            assert "ada can approve from now on" in person.rest()
        yield running


def terminal(desk: Operated, *arguments: str) -> AbstractContextManager[Terminal]:
    return at_terminal([*PROGRAM, *arguments], {**desk.environ, "TERM": "xterm", "COLUMNS": "150"})


def approves(person: Terminal, word: str) -> None:
    person.answer("anything else leaves it as it is", word)
    assert not_echoed(person, "Passphrase of ada")


def not_echoed(person: Terminal, question: str) -> bool:
    person.until(question)
    person.until(": ")
    return not person.echoes()


def test_a_person_reads_the_order_says_the_word_and_types_the_passphrase_and_it_is_sent_once(
    desk: Operated,
) -> None:
    intent, before = desk.proposes("0.002"), desk.orders()
    with terminal(desk, "approvals", "approve", intent, *ADA) as person:
        shown = person.until("To approve, type the last four characters")
        assert "SIMULATED - no money, no venue" in shown
        assert "ADDS to your position: long 0.25 BTC becomes long 0.252 BTC" in shown
        assert "quantity = 0.002" in shown
        approves(person, "approve")
        person.press(f"{PASSPHRASE}\n")
        rest = person.rest()
    assert person.process.returncode == 0, rest
    assert "PLACED: market buy 0.002 BTC/USDT:USDT" in rest
    assert PASSPHRASE not in person.shown
    assert (desk.state_of(intent), desk.orders() - before) == ("placed", 1)


def test_any_other_word_leaves_the_proposal_waiting_and_no_passphrase_is_asked_for(desk: Operated) -> None:
    intent = desk.proposes("0.003")
    for word in ("", "y", "yes", "0000"):
        with terminal(desk, "approvals", "approve", intent, *ADA) as person:
            person.answer("anything else leaves it as it is", word)
            rest = person.rest()
        assert (person.process.returncode, "Passphrase" in rest) == (1, False)
    assert desk.state_of(intent) == "proposed"
    desk.does("approvals", "decline", intent)


def test_the_end_of_the_plans_digest_approves_too_and_three_wrong_passphrases_do_not(desk: Operated) -> None:
    intent = desk.proposes("0.004")
    digest = desk.tells("approvals", "show", intent)["plan_digest"]
    with terminal(desk, "approvals", "approve", intent, *ADA) as person:
        approves(person, digest[-4:])
        for times in range(3):
            person.press(f"wrong horse battery {times}\n")
            if times < 2:
                assert not_echoed(person, "is not the passphrase of ada's key")
                assert not person.echoes()
        rest = person.rest()
    assert person.process.returncode == 1
    assert "3 passphrases were wrong; nothing was signed" in rest
    assert "wrong horse" not in person.shown
    assert desk.state_of(intent) == "proposed"
    desk.does("approvals", "decline", intent)


def test_without_a_terminal_nobody_is_asked_and_nothing_is_signed(desk: Operated) -> None:
    intent = desk.proposes("0.005")
    done = subprocess.run(  # noqa: S603 - our own program
        [*PROGRAM, "approvals", "approve", intent, *ADA],
        env=desk.environ,
        input=f"approve\n{PASSPHRASE}\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        start_new_session=True,
    )
    assert done.returncode == 1
    assert "there is no terminal to ask" in done.stderr
    assert desk.state_of(intent) == "proposed"
    declined = desk.tells("approvals", "decline", intent, "--note", "a test", "--by", "ada")
    assert declined["state"] == "declined"


def test_with_json_only_a_script_approves_since_a_person_has_to_see_what_is_signed(desk: Operated) -> None:
    intent = desk.proposes("0.006")
    assert desk.does("approvals", "approve", intent, *ADA, "--json").exit_code == 2
    done = desk.tells("approvals", "approve", intent, "--key", str(desk.script_key))
    assert done["intent"]["state"] == "placed"
    assert desk.does("approvals", "approve", intent, "--key", str(desk.script_key)).exit_code == 1


def test_a_key_that_the_desk_does_not_know_is_told_before_anything_is_asked(
    desk: Operated, tmp_path: Path
) -> None:
    intent = desk.proposes("0.007")
    desk.does(
        "approvers",
        "add",
        "stranger",
        "--scripted",
        "--new-key",
        str(tmp_path / "k"),
        "--key",
        str(tmp_path / "none"),
    )
    other = tmp_path / "script.approver.json"
    content = json.loads(desk.script_key.read_text(encoding="utf-8"))
    other.write_text(json.dumps({**content, "name": "eve"}), encoding="utf-8")
    other.chmod(0o600)
    done = desk.does("approvals", "approve", intent, "--key", str(other))
    assert (done.exit_code, "is not one that the desk knows eve by" in done.output) == (2, True)
    other.chmod(0o644)
    done = desk.does("approvals", "approve", intent, "--key", str(other))
    assert (done.exit_code, "is open to others" in done.output) == (2, True)
    desk.does("approvals", "decline", intent)


def test_a_halt_needs_no_key_says_what_is_halted_and_only_a_signature_resumes(desk: Operated) -> None:
    waiting = desk.proposes("0.017")
    halted = desk.tells("halt", "--reason", "a drill")
    assert any("a drill" in each for each in halted["halted"])
    script = ("--key", str(desk.script_key))
    try:
        assert "a drill" in desk.tells("status")["halted"]
        assert "halted with the desk" in desk.does("status").stdout
        shown = desk.does("approvals", "show", waiting).stdout.splitlines()
        assert shown[1].startswith("HALTED: The desk is halted by")
        assert "a drill" in desk.tells("approvals", "show", waiting)["halted"]
        signed = desk.tells("approvals", "approve", waiting, *script, code=1)
        assert (signed["intent"]["state"], "sends it now" in signed["message"]) == ("lapsed", False)
        order = ("--operator", *script, "--account", "main", "--symbol", "BTC/USDT:USDT", "--type", "market")
        refused = desk.does("propose", "place", *order, "--side", "buy", "--amount", "0.002")
        assert (refused.exit_code, "halted" in refused.output) == (1, True)
        reducing = desk.proposes("0.002", "--reduce-only", side="sell")
        assert desk.tells("approvals", "approve", reducing, *script)["intent"]["state"] == "placed"
        with terminal(desk, "resume", *ADA) as person:
            assert "a drill" in person.until("Type resume")
            person.until(": ")
            person.press("no\n")
            assert "stays halted" in person.rest()
        assert "a drill" in desk.tells("status")["halted"]
    finally:
        assert desk.does("resume", *script).exit_code == 0
    assert desk.tells("status")["halted"] is None
    again = desk.does("resume", *script)
    assert (again.exit_code, "is not halted" in again.output) == (1, True)


def test_one_account_is_halted_and_its_open_orders_are_cancelled_under_one_signature(desk: Operated) -> None:
    script = ("--key", str(desk.script_key))
    done = desk.does("halt", "--account", "main", "--cancel-open", *script, "--json")
    answer = json.loads(done.stdout)
    # The simulated account has stops on contracts, whose cancel is not offered yet: that is said, and no success.
    assert done.exit_code == 1
    assert {each["state"] for each in answer["cancelled"]["intents"]} == {"canceled"}
    assert "Not done" in answer["cancelled"]["message"]
    assert desk.does("resume", "--account", "nobody", *script).exit_code == 2
    assert desk.does("resume", "--account", "main", *script).exit_code == 0


def test_approvers_come_and_go_by_a_signature_and_the_last_one_stays(desk: Operated) -> None:
    script = ("--key", str(desk.script_key))
    assert desk.tells("approvers", "add", "robot", "--scripted", *script)["kind"] == "scripted"
    assert {"ada", "robot", "script"} == {
        each["name"] for each in desk.tells("approvers", "list")["approvers"]
    }
    assert desk.does("approvers", "add", "robot", "--scripted", *script).exit_code == 1
    assert desk.does("approvers", "remove", "nobody", *script).exit_code == 2
    assert desk.does("approvers", "remove", "robot", *script).exit_code == 0
    robot = str(desk.config / "approvers" / "robot.approver.json")
    assert desk.does("resume", "--key", robot).exit_code != 0
    assert "robot" not in desk.does("approvers", "list").stdout


def test_clients_come_and_go_and_only_the_hash_of_a_credential_reaches_the_desk(desk: Operated) -> None:
    script = ("--key", str(desk.script_key))
    added = desk.tells("clients", "add", "second", *script)
    file = Path(added["credential_file"])
    credential = file.read_text(encoding="utf-8")
    assert (file.stat().st_mode & 0o777, credential.startswith("xmcp_")) == (0o600, True)
    assert credential not in json.dumps(added)
    assert "second" in desk.does("clients", "list").stdout
    assert desk.does("clients", "add", "second", *script).exit_code == 2
    assert desk.tells("clients", "show", "second")["name"] == "second"
    assert desk.does("clients", "show", "third").exit_code == 2
    assert desk.does("clients", "allow", "second", "no_such_tool", *script).exit_code == 2
    assert desk.does("clients", "remove", "second", *script).exit_code == 0
    journal = b"".join(each.read_bytes() for each in desk.home.rglob("journal.db*"))
    assert credential.encode() not in journal


def test_watch_follows_what_is_proposed_and_decides_on_it(desk: Operated) -> None:
    with terminal(desk, "approvals", "watch", *ADA) as person:
        person.until("Nothing waits for a decision")
        intent = desk.proposes("0.008")
        person.until("market buy 0.008")
        person.press("1")
        assert "ADDS to your position" in person.until("a approve   d decline")
        person.press("a")
        approves(person, "approve")
        person.press(f"{PASSPHRASE}\n")
        person.until("PLACED: market buy 0.008")
        person.until("Any key goes back")
        person.press(" ")
        person.until("Nothing waits for a decision")
        other = desk.proposes("0.009")
        person.until("market buy 0.009")
        person.press("1")
        person.until("a approve   d decline")
        person.press("d")
        person.until("DECLINED")
        person.until("Any key goes back")
        person.press(" ")
        person.until("Nothing waits for a decision")
        person.press("q")
        person.rest()
    assert person.process.returncode == 0
    assert (desk.state_of(intent), desk.state_of(other)) == ("placed", "declined")


def test_watch_in_a_pipe_prints_a_line_an_event(desk: Operated) -> None:
    with subprocess.Popen(  # noqa: S603 - our own program
        [*PROGRAM, "approvals", "watch", "--json"], env=desk.environ, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            intent = desk.proposes("0.011")
            # Proposed before or after it began to follow: it is in the list that waits, or in an event.
            while (line := process.stdout.readline()) and intent not in line:
                assert json.loads(line)
            assert intent in line
            process.send_signal(signal.SIGINT)
            process.wait(30)
        finally:
            process.kill()
    desk.does("approvals", "decline", intent)


def test_an_intent_is_shown_with_its_events_and_what_is_not_unknown_is_not_resolved(desk: Operated) -> None:
    intent = desk.proposes("0.012")
    shown = desk.does("intents", "show", intent).stdout
    assert "market buy 0.012 BTC/USDT:USDT" in shown
    assert "proposed" in shown
    script = ("--key", str(desk.script_key), "--note", "seen at the venue")
    assert desk.does("intents", "resolve", intent, "canceled", *script).exit_code == 2
    refused = desk.does("intents", "resolve", intent, "placed", *script)
    assert (refused.exit_code, "only what is unknown is resolved" in refused.output) == (1, True)
    assert desk.does("intents", "show", "no-such").exit_code == 1
    assert desk.does("intents", "show", "../status").exit_code == 2
    desk.does("approvals", "decline", intent)


@pytest.mark.parametrize(
    "order",
    [
        ("place", "--side", "buy", "--type", "market", "--amount", "1e3"),
        ("place", "--side", "buy", "--type", "market", "--amount", "0,1"),
        ("cancel",),
        ("cancel", "--order-id", "1", "--intent", "2"),
        ("leverage", "--leverage", "0"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_meant_is_not_proposed(order: tuple[str, ...], desk: Operated) -> None:
    action, *rest = order
    given = ("--operator", "--key", str(desk.script_key), "--account", "main", "--symbol", "BTC/USDT:USDT")
    done = desk.does("propose", action, *given, *rest)
    assert (done.exit_code, "Traceback" in done.output) == (2, False)


def test_status_tells_a_person_and_a_program_the_same(desk: Operated) -> None:
    told, shown = desk.tells("status"), desk.does("status").stdout
    assert told["desk_id"] in shown
    assert told["accounts"][0]["key"] in shown
    assert "takes proposals" in shown
    assert told["edited"] is None
    file = desk.config / "desk.toml"
    accepted = file.read_text(encoding="utf-8")
    file.write_text(accepted + "# something else\n", encoding="utf-8")
    try:
        told, shown = desk.tells("status"), desk.does("status").stdout
    finally:
        file.write_text(accepted, encoding="utf-8")
    assert "exchange-mcp desk accept" in told["edited"]
    assert f"EDITED {told['edited']}" in " ".join(shown.split())


@pytest.mark.parametrize(
    "command",
    [
        ("status",),
        ("approvals", "list"),
        ("halt",),
        ("resume",),
        ("intents", "list"),
        ("approvers", "list"),
        ("clients", "list"),
        ("desk", "accept"),
    ],
    ids=" ".join,
)
def test_without_a_desk_every_command_ends_with_3_and_says_how_to_start_one(
    command: tuple[str, ...], environ: dict[str, str]
) -> None:
    done = asked(*command, environ=environ)
    assert (done.exit_code, "Start it: exchange-mcp desk" in done.stderr) == (3, True)
    told = asked(*command, "--json", environ=environ)
    assert (told.exit_code, json.loads(told.stdout)["error"]["code"]) == (3, "DESK_UNREACHABLE")


def test_a_broken_desk_toml_keeps_nobody_from_halting(desk: Operated, tmp_path: Path) -> None:
    home = tmp_path / "elsewhere"
    (home / ".config" / "exchange-mcp").mkdir(parents=True)
    (home / ".config" / "exchange-mcp" / "desk.toml").write_text("[desk\n", encoding="utf-8")
    # The socket lies where the runtime directory says, whatever is wrong with the file.
    done = asked("status", environ={**desk.environ, "HOME": str(home)})
    assert done.exit_code == 0, done.output


def test_a_passphrase_is_in_no_file_no_log_and_no_process(desk: Operated) -> None:
    held = [each for each in desk.home.rglob("*") if each.is_file()]
    assert held
    forms = {PASSPHRASE.encode(), PASSPHRASE.replace(" ", "%20").encode(), PASSPHRASE.encode().hex().encode()}
    assert not [each for each in held if any(form in each.read_bytes() for form in forms)]
    assert not any(PASSPHRASE in line for line in desk.told.lines)
    process = Path("/proc") / str(desk.told.process.pid)
    assert PASSPHRASE.encode() not in (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
    assert os.environ.get("PASSPHRASE") is None


def test_a_client_proposes_by_hand_with_the_tools_that_an_approver_allows_it_by_name(desk: Operated) -> None:
    script = ("--key", str(desk.script_key))
    order = ("--account", "main", "--symbol", "ETH/USDT", "--side", "buy", "--type", "limit")
    priced = (*order, "--amount", "0.01", "--price", "3000", "--post-only")
    assert desk.does("clients", "block", "assistant", "place_order", *script).exit_code == 0
    refused = desk.does("propose", "place", *priced)
    assert (refused.exit_code, "blocked it by name" in refused.output) == (1, True)
    assert desk.does("clients", "allow", "assistant", "place_order", *script).exit_code == 0
    # Far from the market, so that the limits deny what the desk now takes from this client.
    answer = desk.tells("propose", "place", *priced, code=1)
    assert answer["error"]["code"] == "POLICY_MAX_PRICE_DISTANCE_PERCENT"
    near = ("propose", "place", *order[:-1], "market", "--amount", "0.01")
    taken = desk.tells(*near)
    assert taken["state"] == "proposed"
    assert desk.tells(*near)["intent_id"] == taken["intent_id"]
    assert desk.tells("approvals", "decline", taken["intent_id"])["state"] == "declined"
