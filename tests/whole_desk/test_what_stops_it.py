"""What keeps the desk from starting, from opening, or from going on: one clear line each, and nothing sent."""

import socket
import sqlite3
from collections.abc import Generator
from contextlib import closing

import pytest

from exchange_mcp.desk.operator.client import DeskAnswerError
from exchange_mcp.desk.operator.messages import HaltOrder
from exchange_mcp.model.errors import ErrorCode
from serving import Sim, simulated_exchange

from .desk import WholeDesk, whole_desk


@pytest.fixture(scope="module")
def exchange(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sim]:
    """One for all those desks that come to nothing."""
    with simulated_exchange(tmp_path_factory.mktemp("sim")) as sim:
        yield sim


@pytest.fixture
def unlucky(exchange: Sim) -> Generator[WholeDesk]:
    """A desk that is not going to ask its venue anything."""
    with whole_desk(sim=exchange) as made:
        yield made


def rewritten(desk: WholeDesk, before: str, after: str) -> None:
    """Change desk.toml."""
    text = desk.places.desk_file.read_text(encoding="utf-8")
    assert before in text
    desk.places.desk_file.write_text(text.replace(before, after), encoding="utf-8")


def test_a_second_desk_is_refused_and_the_first_one_goes_on(desk: WholeDesk) -> None:
    desk.start()
    propose, look = desk.told
    assert str(desk.places.proposal_socket) in propose
    assert "exchange-mcp console" in look
    assert desk.process is not None
    code, said = desk.fails()
    assert code == 1
    assert "a desk is running already" in said
    assert str(desk.process.pid) in said
    assert len(said.splitlines()) == 1
    # Another journal, the same key: what the runtime directory of the user keeps is the key's lock.
    with whole_desk(sim=desk.sim) as other:
        other.environ = {**other.environ, "XDG_RUNTIME_DIR": str(desk.runtime)}
        code, said = other.fails()
    assert code == 1
    assert "the API key is held by process" in said
    assert desk.status().closed is None


def test_what_is_wrong_with_the_configuration_is_said_line_by_line_and_nothing_starts(
    unlucky: WholeDesk,
) -> None:
    rewritten(unlucky, "max_leverage = 10", "max_leverage = 0\nunheard_of = 1")
    code, said = unlucky.fails()
    assert code == 2
    assert len(said.splitlines()) == 2
    assert all(line.startswith(f"{unlucky.places.desk_file}:") for line in said.splitlines())


def test_a_directory_that_others_can_enter_keeps_the_desk_from_starting(unlucky: WholeDesk) -> None:
    directory = unlucky.places.operator_socket.parent
    directory.mkdir(parents=True)
    directory.chmod(0o750)
    code, said = unlucky.fails()
    assert (code, "chmod 700" in said, len(said.splitlines())) == (1, True, 1)


def test_a_port_that_is_taken_keeps_the_desk_from_starting_and_is_named(unlucky: WholeDesk) -> None:
    port = int(unlucky.places.desk_file.read_text(encoding="utf-8").partition("port = ")[2].split()[0])
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        code, said = unlucky.fails()
    assert (code, f"the console: port {port} is in use" in said, len(said.splitlines())) == (1, True, 1)
    assert f":{port}" in said.partition("See which")[2]  # the command that names it
    assert f"change port under [console] in {unlucky.places.desk_file}" in said


def test_without_an_approver_nothing_can_be_proposed(exchange: Sim) -> None:
    with whole_desk(sim=exchange, enrolled=False) as desk:
        desk.start(is_open=False)
        assert desk.status().closed is not None
        with pytest.raises(DeskAnswerError) as refused:
            desk.buy()
        assert refused.value.code is ErrorCode.SIGNATURE_REFUSED
        with desk.client() as client:
            assert client.post("/v1/proposals", json={}).status_code == 401
        assert desk.sim.paths() == []  # nobody's venue was opened
        assert desk.stop() == 0


def test_a_changed_configuration_opens_nothing_until_it_is_signed_and_then_at_once(desk: WholeDesk) -> None:
    rewritten(desk, "max_order_notional = 5000", "max_order_notional = 50")
    desk.start(is_open=False)
    assert "desk accept" in str(desk.status().closed)
    with pytest.raises(DeskAnswerError) as refused:
        desk.buy()
    assert refused.value.code is ErrorCode.CONFIGURATION_NOT_ACCEPTED
    assert desk.sim.paths() == []
    desk.accept()
    opened = desk.until(lambda status: status.closed is None and status.accounts[0].closed is None)
    assert desk.buy("0.002").state == "denied"  # 200 USDT and more: the new limit counts
    # And again while it runs.
    rewritten(desk, "max_order_notional = 50", "max_order_notional = 5000")
    desk.reload()
    desk.until(lambda status: status.closed is not None)
    desk.accept()
    again = desk.until(lambda status: status.closed is None and status.accounts[0].closed is None)
    assert again.policy_digest != opened.policy_digest
    assert desk.buy("0.002").state == "proposed"
    # A fault changes nothing.
    rewritten(desk, "max_leverage = 10", "max_leverage = 0")
    desk.reload()
    while "desk.toml cannot be used" not in desk.log.read_text(encoding="utf-8"):
        desk.status()
    assert desk.status().closed is None


def test_a_journal_that_takes_no_record_closes_a_running_desk_in_one_line_and_reads_go_on(
    desk: WholeDesk,
) -> None:
    desk.start()
    with closing(sqlite3.connect(desk.places.desk_journal, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        desk.reload()
        desk.until(lambda status: "The journal took no record" in str(status.closed))
        other.execute("ROLLBACK")
        desk.reload()
        desk.until(lambda status: status.closed is None and status.accounts[0].closed is None)
        other.execute("BEGIN IMMEDIATE")
        assert desk.stop() == 0
    said = desk.log.read_text(encoding="utf-8")
    assert "the end is not in the journal" in said
    assert "Traceback" not in said


def test_after_a_halt_that_could_not_be_recorded_no_reload_opens_the_desk_again(desk: WholeDesk) -> None:
    desk.start()
    with (
        closing(sqlite3.connect(desk.places.desk_journal, isolation_level=None)) as other,
        desk.operator() as operator,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DeskAnswerError, match="until it is restarted"):
            operator.halt(HaltOrder(by="somebody", reason="a look"))
        other.execute("ROLLBACK")
        desk.reload()
        desk.until(lambda _: "desk.toml is not taken up" in desk.log.read_text(encoding="utf-8"))
        assert "A halt could not be recorded" in str(desk.status().accounts[0].closed)


def test_a_key_that_can_withdraw_closes_its_account_and_says_the_remedy() -> None:
    with whole_desk(key="withdrawer") as desk:
        desk.start(is_open=False)
        closed = desk.until(
            lambda status: status.accounts[0].closed and "withdraw" in status.accounts[0].closed
        )
        assert "key" in str(closed.accounts[0].closed)
        with pytest.raises(DeskAnswerError):
            desk.buy()
        assert desk.placed() == []
