"""Another configuration while clients are connected: all of it or nothing, and told when the tools are others."""

import os
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp.client import Client
from mcp.server.subscriptions import ToolsListChanged
from mcp_types import ToolListChangedNotification

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.config.faults import ConfigError, Fault
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.serve import ServeConfig, load_serve
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.rules.venues import check_account
from exchange_mcp.server.assembly import keyed
from exchange_mcp.server.build import build_over
from exchange_mcp.server.news import News
from exchange_mcp.server.running import Loaded, Reloaded, Running
from exchange_mcp.tools.registry import Registry, without_desk
from serving import ERAS, Era, Sim, asked, configured

from .http.listening import WRITE, write_tool

pytestmark = pytest.mark.anyio


def tools(config: ServeConfig) -> Registry:
    return Registry([*without_desk(), *([write_tool([])] if config.client == "desk" else [])])


@asynccontextmanager
async def running(
    config: Path,
    apply: Callable[[ServeConfig], None] = lambda _: None,
    *,
    waiting: Callable[[], object] = lambda: None,
    load_seconds: float = 10,
) -> AsyncGenerator[Running]:
    def reload() -> Loaded:
        waiting()
        return load()

    def load() -> Loaded:
        loaded = load_serve(config, check=check_account, environ=os.environ)
        return Loaded(loaded, keyed(loaded, environ=os.environ, redactor=Redactor()), frozenset())

    server = Running(
        load(),
        reload,
        config.parent / "cache",
        SystemClock(),
        NEWS[0],
        tools=tools,
        apply=apply,
        entropy=SystemEntropy(),
        load_seconds=load_seconds,
    )
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(server.run)
            try:
                yield server
            finally:
                await server.close()
                group.cancel_scope.cancel()


NEWS = [News()]


@pytest.fixture(autouse=True)
def _news() -> None:
    NEWS[0] = News()


@asynccontextmanager
async def client_of(server: Running, era: Era, heard: list[str]) -> AsyncGenerator[Client]:
    async def handler(message: object) -> None:
        if era == "legacy" and isinstance(message, ToolListChangedNotification):
            heard.append("news")

    mcp = build_over(server.offered, lambda _: Caller(server.config.client, frozenset(Scope)), NEWS[0])
    async with Client(mcp, mode=era, message_handler=handler) as client:
        if era == "legacy":
            yield client
            return
        async with client.listen(tools_list_changed=True) as events, anyio.create_task_group() as group:

            async def listen() -> None:
                async for event in events:
                    assert event == ToolsListChanged()
                    heard.append("news")

            group.start_soon(listen)
            yield client
            group.cancel_scope.cancel()


def rewritten(config: Path, old: str, new: str) -> None:
    text = config.read_text(encoding="utf-8")
    assert old in text
    config.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("era", ERAS)
async def test_a_connected_client_hears_of_other_tools_and_can_use_them(
    era: Era, sim: Sim, tmp_path: Path
) -> None:
    heard: list[str] = []
    config = configured(tmp_path, sim)
    async with running(config) as server, client_of(server, era, heard) as client:
        assert client.server_capabilities.tools is not None
        assert client.server_capabilities.tools.list_changed is True
        assert WRITE not in [tool.name for tool in (await client.list_tools()).tools]
        rewritten(config, 'client = "tests"', 'client = "desk"')
        outcome = await server.reload()
        assert (outcome.faults, outcome.tools_changed) == ((), True)
        with anyio.fail_after(5):
            while not heard:
                await anyio.lowlevel.checkpoint()
        assert WRITE in [tool.name for tool in (await client.list_tools()).tools]
        assert await asked(client, WRITE) == {"by": "desk"}
        # Accounts are no tools: nothing to hear of.
        rewritten(config, "[accounts.main]", "[accounts.renamed]")
        assert (await server.reload()).tools_changed is False
        assert [a["name"] for a in (await asked(client, "list_accounts"))["accounts"]] == ["renamed"]
        assert (await asked(client, "get_balance", account="renamed"))["balances"]
    assert heard == ["news"]


async def test_a_faulty_file_changes_nothing_and_says_what_is_wrong(sim: Sim, tmp_path: Path) -> None:
    heard: list[str] = []
    config = configured(tmp_path, sim)
    async with running(config) as server, client_of(server, "auto", heard) as client:
        before = server.config
        for broken, said in (
            ("[accounts.main", "not valid TOML"),
            (config.read_text("utf-8").replace('"binance"', '"nowhere"'), "nowhere"),
            (config.read_text("utf-8").replace('"reader"', '"gone"'), "gone"),
            (config.read_text("utf-8") + "[http]\nport = 9999\n", "restart"),
        ):
            whole = config.read_text("utf-8")
            config.write_text(broken.replace('client = "tests"', 'client = "desk"'), encoding="utf-8")
            outcome = await server.reload()
            config.write_text(whole, encoding="utf-8")
            assert len(outcome.faults) == 1
            assert said in outcome.faults[0]
            assert server.config is before
            assert WRITE not in [tool.name for tool in (await client.list_tools()).tools]
            assert (await asked(client, "get_balance"))["balances"]
    assert heard == []


async def test_what_cannot_be_applied_beside_it_keeps_the_configuration_before(
    sim: Sim, tmp_path: Path
) -> None:
    def refuses(_: ServeConfig) -> None:
        raise ConfigError([Fault(None, None, "http.certificate", "is none")])

    config = configured(tmp_path, sim)
    async with running(config, refuses) as server:
        rewritten(config, 'client = "tests"', 'client = "desk"')
        outcome = await server.reload()
    assert outcome.faults == ("http.certificate: is none",)
    assert server.config.client == "tests"


async def test_a_call_that_is_under_way_is_answered_by_the_venues_that_it_asked(
    sim: Sim, tmp_path: Path
) -> None:
    config = configured(tmp_path, sim)
    caller = Caller("tests", frozenset(Scope))
    async with running(config) as server:
        assert (await server.offered.calls.call("get_balance", {}, caller)).error is None
        sim.fail(path="/api/v3/account", kind="delay", ms=1000, times=1)
        answers: list[object] = []

        async def ask() -> None:
            answers.append((await server.offered.calls.call("get_balance", {}, caller)).error)

        async with anyio.create_task_group() as group:
            sim.forget()
            group.start_soon(ask)
            while "/api/v3/account" not in sim.paths():
                await anyio.lowlevel.checkpoint()
            assert (await server.reload()).faults == ()
            assert answers == []
        assert answers == [None]


class Locked:
    """A keyring that waits for its owner to unlock it."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.unlocked = threading.Event()
        self.had_to_give_up = False

    def __call__(self) -> None:
        self.asked.set()
        self.had_to_give_up = not self.unlocked.wait(5)


async def test_while_a_secret_takes_its_time_to_be_read_calls_are_answered(sim: Sim, tmp_path: Path) -> None:
    keyring, outcomes = Locked(), list[Reloaded]()

    async with (
        running(configured(tmp_path, sim), waiting=keyring) as server,
        client_of(server, "auto", []) as client,
        anyio.create_task_group() as group,
    ):

        async def reload() -> None:
            outcomes.append(await server.reload())

        group.start_soon(reload)
        while not keyring.asked.is_set():
            await anyio.lowlevel.checkpoint()
        assert await asked(client, "list_accounts")
        assert outcomes == []
        keyring.unlocked.set()
        while not outcomes:
            await anyio.lowlevel.checkpoint()
    assert outcomes == [Reloaded()]
    assert not keyring.had_to_give_up


async def test_a_configuration_that_cannot_be_read_in_time_changes_nothing_and_the_next_reload_is_not_held_up(
    sim: Sim, tmp_path: Path
) -> None:
    config, keyring = configured(tmp_path, sim), Locked()
    async with running(config, waiting=keyring, load_seconds=1) as server:
        rewritten(config, 'client = "tests"', 'client = "desk"')
        (fault,) = (await server.reload()).faults
        assert "within 1 s" in fault
        assert server.config.client == "tests"
        keyring.unlocked.set()
        assert (await server.reload()).faults == ()
        assert server.config.client == "desk"
