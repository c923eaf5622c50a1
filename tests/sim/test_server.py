import asyncio
import json
import os
import signal
import ssl
import stat
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest

from exchange_mcp.sim import RendezvousError, SimulatedExchange
from exchange_mcp.sim.rendezvous import Rendezvous, published

from .clients import Counted, Json, StillClock, http

PATIENCE_SECONDS = 20


def described(pid: int) -> Rendezvous:
    return Rendezvous(pid=pid, port=1, ca_pem="PEM", control_token="t", keys={}, seed=1, started_at_ms=0)


@pytest.fixture(scope="module")
def dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


@contextmanager
def program(path: Path, *options: str) -> Generator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "exchange_mcp.sim", "--rendezvous", str(path), "--seed", "5", *options]
    piped = subprocess.PIPE
    with subprocess.Popen(command, stdin=piped, stderr=piped) as child:  # noqa: S603 - our own program
        try:
            yield child
        finally:
            child.kill()


def read(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


async def appears(path: Path, child: subprocess.Popen[bytes]) -> Json:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (found := read(path)) is None:
            assert child.poll() is None
            await asyncio.sleep(0.01)
    return found


@pytest.mark.anyio
async def test_two_servers_one_after_another_work_in_one_process() -> None:
    venue = SimulatedExchange(clock=StillClock(), entropy=Counted())
    # A delay is what stopping cuts short: after one stop it has to hold back again, and not cut.
    venue.control.add_fault({"kind": "delay", "ms": 1})
    for _ in range(2):
        async with (
            venue.serving() as serving,
            http(serving.port, serving.ca_pem) as session,
            session.get("https://api.binance.com/api/v3/ping") as response,
        ):
            assert response.status == 200
    with pytest.raises(RuntimeError, match="not being served"):
        _ = venue.port


@pytest.mark.anyio
async def test_two_servers_at_once_do_not_mix() -> None:
    one, other = (SimulatedExchange(seed=seed, clock=StillClock()) for seed in (1, 2))
    async with one.serving(), other.serving():
        prices: list[str] = []
        for venue in (one, other):
            async with (
                http(venue.port, venue.ca_pem) as session,
                session.get("https://api.binance.com/api/v3/ticker/price?symbol=BTCUSDT") as response,
            ):
                prices.append((await response.json())["price"])
    assert len(set(prices)) == 2


@pytest.mark.anyio
async def test_a_client_that_trusts_another_authority_gets_no_connection(sim: SimulatedExchange) -> None:
    async with http(sim.port, SimulatedExchange().ca_pem) as session:
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await session.get("https://api.binance.com/api/v3/ping")


@pytest.mark.anyio
async def test_a_port_that_is_taken_is_refused(sim: SimulatedExchange) -> None:
    with pytest.raises(OSError, match="in use"):
        async with SimulatedExchange().serving(sim.port):
            pass


def test_signals_of_the_process_are_left_alone(sim: SimulatedExchange) -> None:
    assert sim.port
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_the_rendezvous_file_is_its_owners_alone_and_goes_with_the_program(tmp_path: Path) -> None:
    path = tmp_path / "one" / "two" / "rendezvous.json"
    with published(described(os.getpid()), path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert {stat.S_IMODE(place.stat().st_mode) for place in (path.parent, path.parent.parent)} == {0o700}
        assert [entry.name for entry in path.parent.iterdir()] == ["rendezvous.json"]
    assert not path.exists()


def test_a_rendezvous_file_that_became_anothers_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "rendezvous.json"
    with published(described(os.getpid()), path):
        path.write_text("another", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "another"


def test_the_file_of_a_dead_program_is_replaced(tmp_path: Path, dead_pid: int) -> None:
    path = tmp_path / "rendezvous.json"
    path.write_text(described(dead_pid).to_json(), encoding="utf-8")
    with published(described(os.getpid()), path):
        assert json.loads(path.read_text(encoding="utf-8"))["pid"] == os.getpid()


def test_the_file_of_a_living_program_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "rendezvous.json"
    text = described(os.getppid()).to_json()
    path.write_text(text, encoding="utf-8")
    with (
        pytest.raises(RendezvousError, match=f"running process {os.getppid()}"),
        published(described(os.getpid()), path),
    ):
        pass
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("content", ["notes", "[]", '{"pid": 1}', '{"schema": 1, "pid": "1"}'])
def test_a_file_that_is_something_else_is_not_replaced(tmp_path: Path, content: str) -> None:
    path = tmp_path / "rendezvous.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(RendezvousError, match="not a rendezvous file"), published(described(1), path):
        pass
    assert path.read_text(encoding="utf-8") == content


def test_a_symbolic_link_is_neither_followed_nor_replaced(tmp_path: Path) -> None:
    target, path = tmp_path / "target", tmp_path / "rendezvous.json"
    path.symlink_to(target)
    with pytest.raises(RendezvousError, match="symbolic link"), published(described(1), path):
        pass
    assert path.is_symlink()
    assert not target.exists()


@pytest.mark.anyio
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_the_program_serves_what_its_file_says_and_ends_in_order_on_a_signal(
    tmp_path: Path, number: signal.Signals
) -> None:
    path = tmp_path / "sim" / "rendezvous.json"
    with program(path, "--accounts", "3") as child:
        found = await appears(path, child)
        assert found.keys() == {
            "schema",
            "pid",
            "port",
            "ca_pem",
            "control_token",
            "keys",
            "seed",
            "started_at_ms",
        }
        assert (found["schema"], found["pid"], found["seed"]) == (1, child.pid, 5)
        assert {label: key["account"] for label, key in found["keys"].items()} == {
            "reader": "main",
            "trader": "main",
            "withdrawer": "main",
            "reader-alt": "alt",
            "reader-acct3": "acct3",
            "trader-alt": "alt",
            "trader-acct3": "acct3",
        }
        assert "PRIVATE KEY" not in path.read_text(encoding="utf-8")
        async with http(found["port"], found["ca_pem"]) as session:
            bearer = {"Authorization": f"Bearer {found['control_token']}"}
            async with session.get(
                f"https://127.0.0.1:{found['port']}/__sim/requests", headers=bearer
            ) as response:
                assert await response.json() == {"requests": []}
        child.send_signal(number)
        assert child.wait(PATIENCE_SECONDS) == 0
        assert child.stderr is not None
        assert child.stderr.read() == b""
    assert not path.exists()


@pytest.mark.anyio
async def test_the_program_ends_with_its_parents_end_of_the_pipe_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "rendezvous.json"
    with program(path, "--exit-with-stdin") as child:
        await appears(path, child)
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait(PATIENCE_SECONDS) == 0
    assert not path.exists()


@pytest.mark.anyio
async def test_the_program_listens_on_loopback_alone(tmp_path: Path) -> None:
    path = tmp_path / "rendezvous.json"
    with program(path) as child:
        found = await appears(path, child)
        # Another address of this machine that is not bound; all of 127.0.0.0/8 is loopback on Linux.
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.2", found["port"], ssl=ssl.create_default_context())


@pytest.mark.anyio
async def test_a_second_program_leaves_the_first_ones_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "rendezvous.json"
    with program(path) as first:
        found = await appears(path, first)
        with program(path) as second:
            assert second.wait(PATIENCE_SECONDS) != 0
            assert second.stderr is not None
            assert b"belongs to the running process" in second.stderr.read()
        assert json.loads(path.read_text(encoding="utf-8")) == found
