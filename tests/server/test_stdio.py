"""The server as a client launches it: a process on pipes."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from exchange_mcp import __version__
from exchange_mcp.tools.registry import without_desk
from serving import ERAS, PROGRAM, Era, Sim, asked, configured, refused

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def call(number: int, tool: str, **arguments: object) -> dict[str, object]:
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


class Raw:
    """A served process, line by line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def send(self, *messages: object) -> None:
        assert self.process.stdin is not None
        for message in messages:
            self.process.stdin.write(message if isinstance(message, str) else json.dumps(message))
            self.process.stdin.write("\n")
        self.process.stdin.flush()

    def answer(self, number: int) -> dict[str, Any]:
        """The answer of this id; every line before it has to be a frame as well."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            frame = json.loads(line)
            assert frame["jsonrpc"] == "2.0"
            if frame.get("id") == number:
                return frame
        raise AssertionError(f"the server ended before it answered {number}")

    def end(self) -> tuple[str, int]:
        """Close stdin; what was left on stdout, and the exit code."""
        rest, _ = self.process.communicate(timeout=10)
        return rest, self.process.returncode


@contextmanager
def launched(
    *arguments: str, prefix: tuple[str, ...] = (), path: Path | None = None, home: Path | None = None
) -> Generator[Raw]:
    environment = {**os.environ, "HOME": str(home or "/nonexistent")}
    if path is not None:
        environment["PYTHONPATH"] = os.pathsep.join([str(path), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(  # noqa: S603 - our own program
        [*prefix, *PROGRAM, "serve", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            yield Raw(process)
        finally:
            process.kill()


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_of_either_era_asks_a_launched_server_and_gets_an_exact_answer(
    era: Era, sim: Sim, tmp_path: Path
) -> None:
    arguments = [*PROGRAM[1:], "serve", "--config", str(configured(tmp_path, sim))]
    launch = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    with anyio.fail_after(20):
        async with Client(stdio_client(launch), mode=era) as client:
            assert client.server_info is not None
            assert client.server_info.version == __version__
            balances = (await asked(client, "get_balance"))["balances"]
            error = await refused(client, "get_ticker", symbol="BTCUSD")
    xrp = next(b for b in balances if b["asset"] == "XRP")
    assert re.fullmatch(r"\d+\.\d{8}", xrp["free"])
    assert error["code"] == "UNKNOWN_SYMBOL"


def test_listing_and_local_tools_need_no_network_and_a_read_names_what_it_could_not_reach(
    tmp_path: Path,
) -> None:
    # A network namespace of its own, in which even loopback is down.
    prefix = ("unshare", "--net") if os.geteuid() == 0 else ("unshare", "--map-root-user", "--net")
    with launched("--venue", "kraken", prefix=prefix, home=tmp_path) as server:
        server.send(INITIALIZE, INITIALIZED, LIST, call(3, "list_accounts"))
        assert server.answer(1)["result"]["serverInfo"]["name"] == "exchange-mcp"
        assert len(server.answer(2)["result"]["tools"]) == len(without_desk())
        assert server.answer(3)["result"]["structuredContent"]["data"]["accounts"][0]["venue"] == "kraken"
        server.send(call(4, "get_ticker", symbol="BTC/USD"))
        error = server.answer(4)["result"]["structuredContent"]["error"]
        assert (error["code"], error["retry"]) == ("VENUE_UNREACHABLE", "safe")
        assert "kraken" in error["message"]
        assert server.end()[1] == 0


def test_tools_are_listed_before_ccxt_is_imported_and_what_it_prints_stays_off_the_wire(
    tmp_path: Path,
) -> None:
    # A ccxt that never finishes importing, and prints meanwhile, by every way there is.
    fake = tmp_path / "ccxt"
    fake.mkdir()
    (fake / "__init__.py").write_text(
        "import os, subprocess, sys, threading\n"
        "print('noise'); os.write(1, b'noise'); sys.__stdout__.write('noise'); sys.__stdout__.flush()\n"
        "subprocess.run(['echo', 'noise'])\n"
        "threading.Event().wait()\n"
    )
    with launched("--venue", "kraken", path=tmp_path, home=tmp_path) as server:
        server.send(INITIALIZE, INITIALIZED, LIST, call(3, "list_accounts"))
        assert len(server.answer(2)["result"]["tools"]) == len(without_desk())
        assert server.answer(3)["result"]["isError"] is False
        rest, code = server.end()
        assert (rest, code) == ("", 0)


def test_garbage_on_stdin_is_survived(tmp_path: Path) -> None:
    with launched("--venue", "kraken", home=tmp_path) as server:
        server.send("not json", '{"jsonrpc": "2.0"', "[]", INITIALIZE, INITIALIZED, "\x00", LIST)
        assert server.answer(1)["result"]["protocolVersion"] == "2025-11-25"
        assert server.answer(2)["result"]["tools"]


def test_a_request_that_cannot_be_read_is_answered_under_its_id_and_the_next_one_as_ever(
    tmp_path: Path,
) -> None:
    half_an_emoji = json.dumps(call(5, "list_accounts", note="\ud83d"))
    many_digits = json.dumps(call(6, "list_accounts", note=0)).replace("0}", "9" * 5000 + "}")
    no_parameters = json.dumps({**call(7, "list_accounts"), "params": []})
    several = json.dumps([call(8, "list_accounts"), INITIALIZED, call(9, "list_accounts")])
    with launched("--venue", "kraken", home=tmp_path) as server:
        server.send(INITIALIZE, INITIALIZED)
        server.send("[" * 5000, '{"id": 4', '{"method": "x", "params": "\\ud83d"}')
        server.send('{"id": "\\ud83d", "method": "x"}', '{"id": true, "method": "x", "params": 1}')
        server.send(half_an_emoji, many_digits, no_parameters, several, call(10, "list_accounts"))
        told = {number: server.answer(number) for number in range(5, 11)}
        codes = [told[number].get("error", {}).get("code") for number in range(5, 11)]
        assert codes == [-32700, -32700, -32600, -32600, -32600, None]
        assert "nothing of it was done" in told[5]["error"]["message"]
        rest, code = server.end()
        assert (rest, code) == ("", 0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_in_order(number: signal.Signals, tmp_path: Path) -> None:
    with launched("--venue", "kraken", home=tmp_path) as server:
        server.send(INITIALIZE, INITIALIZED, LIST)
        server.answer(2)
        server.process.send_signal(number)
        assert server.process.wait(timeout=5) == 0


def test_a_client_that_is_gone_ends_the_process(tmp_path: Path) -> None:
    with launched("--venue", "kraken", home=tmp_path) as server:
        server.send(INITIALIZE, INITIALIZED)
        server.answer(1)
        assert server.process.stdout is not None
        server.process.stdout.close()
        server.send(LIST)
        assert server.process.wait(timeout=5) == 0


def test_end_of_input_ends_a_server_that_waits_for_a_silent_venue(sim: Sim, tmp_path: Path) -> None:
    sim.fail(path="/api/v3/exchangeInfo", kind="hang")
    with launched("--config", str(configured(tmp_path, sim))) as server:
        server.send(INITIALIZE, INITIALIZED, call(2, "get_ticker", symbol="BTC/USDT"), LIST)
        assert server.end()[1] == 0


def test_a_client_that_hands_a_file_over_for_stdout_is_served(tmp_path: Path) -> None:
    frames = tmp_path / "frames"
    with frames.open("w") as file:
        served = subprocess.run(  # noqa: S603 - our own program
            [*PROGRAM, "serve", "--venue", "kraken"],
            input=json.dumps(INITIALIZE) + "\n",
            stdout=file,
            stderr=subprocess.PIPE,
            text=True,
            timeout=20,
            check=False,
            env={**os.environ, "HOME": str(tmp_path)},
        )
    assert served.returncode == 0, served.stderr
    assert json.loads(frames.read_text())["result"]["serverInfo"]["name"] == "exchange-mcp"
