"""What a client sees of the tools that propose, in both protocol eras, over a desk at a real socket."""

import json
import os
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import jsonschema
import pytest
from mcp.client import Client
from mcp.server.subscriptions import ToolsListChanged
from mcp_types import ToolListChangedNotification

from desk_at_socket import DecidedOffice, at_socket
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.serve import load_serve
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.model.errors import DeskError, ErrorCode, OrderRefusedError, ProposalRefusedError
from exchange_mcp.rules.venues import check_account
from exchange_mcp.server.assembly import keyed, keyed_desk
from exchange_mcp.server.build import build_over
from exchange_mcp.server.news import News
from exchange_mcp.server.offered import on_wire
from exchange_mcp.server.running import Loaded, Running
from exchange_mcp.tools.declarations import declaration_of, digest_of
from exchange_mcp.tools.registry import builtin, with_desk, without_desk
from serving import ERAS, Era, asked, refused

pytestmark = pytest.mark.anyio

WRITING = ["place_order", "cancel_order", "set_leverage"]
WITH_ANY_DESK = ["get_intent", "retract_proposal"]
CREDENTIALS = {"credential-of-tests": "tests", "credential-of-another": "another"}
BUY: dict[str, object] = {
    "account": "main",
    "symbol": "BTC/USDT",
    "side": "buy",
    "type": "limit",
    "amount": "0.01",
    "price": "60000",
}
EVERY: tuple[tuple[str, dict[str, object], str], ...] = (
    ("place_order", BUY, "place"),
    ("cancel_order", {"account": "main", "symbol": "BTC/USDT", "order_id": "42"}, "cancel"),
    ("set_leverage", {"account": "main", "symbol": "BTC/USDT:USDT", "leverage": 5}, "leverage"),
)
MAIN = '[accounts.main]\nvenue = "binance"\nenvironment = "live"\n'


@dataclass
class Place:
    """A server with its configuration, beside a desk."""

    directory: Path
    running: Running
    news: News
    office: DecidedOffice
    heard: list[str] = field(default_factory=list[str])

    def rewrite(self, desk: str) -> None:
        write(self.directory, desk)

    @asynccontextmanager
    async def client(
        self, era: Era, *, name: str = "tests", scopes: frozenset[Scope] = frozenset(Scope)
    ) -> AsyncGenerator[Client]:
        async def handler(message: object) -> None:
            if isinstance(message, ToolListChangedNotification):
                self.heard.append(era)

        server = build_over(self.running.offered, lambda _: Caller(name, scopes), self.news)
        async with Client(server, mode=era, message_handler=handler) as client:
            yield client


def table(directory: Path, tools: list[str], *, wait: float = 0) -> str:
    return (
        f"[desk]\nsocket = {json.dumps(str(directory / 'd' / 'p.sock'))}\ntools = {json.dumps(tools)}\n"
        f'wait_seconds = {wait}\n[desk.credentials]\ntests = {{ env = "DESK_A" }}\n'
    )


def write(directory: Path, desk: str, accounts: str = MAIN) -> None:
    path = directory / "serve.toml"
    path.write_text(
        f'client = "tests"\n[cache]\ndirectory = {json.dumps(str(directory / "c"))}\n{desk}{accounts}'
    )
    path.chmod(0o600)


@asynccontextmanager
async def place(
    directory: Path, desk: str, *, is_up: bool = True, accounts: str = MAIN
) -> AsyncGenerator[Place]:
    write(directory, desk, accounts)
    environ = {**os.environ, "DESK_A": "credential-of-tests"}

    def load() -> Loaded:
        config = load_serve(directory / "serve.toml", check=check_account, environ=environ)
        access = (
            None if config.desk is None else keyed_desk(config.desk, environ=environ, redactor=Redactor())
        )
        return Loaded(config, keyed(config, environ=environ, redactor=Redactor()), frozenset(), access)

    news, office = News(), DecidedOffice(dict(CREDENTIALS))
    running = Running(
        load(),
        load,
        directory / "c",
        SystemClock(),
        news,
        tools=lambda config: without_desk() if config.desk is None else with_desk(config.desk.tools),
        apply=lambda _: None,
        entropy=SystemEntropy(),
    )
    (directory / "d").mkdir(mode=0o700)
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(running.run)
            try:
                if is_up:
                    async with at_socket(office, directory / "d" / "p.sock"):
                        yield Place(directory, running, news, office)
                else:
                    yield Place(directory, running, news, office)
            finally:
                await running.close()
                group.cancel_scope.cancel()


def names(tools: list[Any]) -> list[str]:
    return [tool.name for tool in tools]


@pytest.mark.parametrize("era", ERAS)
async def test_each_tool_proposes_what_it_was_asked_and_answers_with_the_intent(
    era: Era, tmp_path: Path
) -> None:
    async with place(tmp_path, table(tmp_path, WRITING)) as here, here.client(era) as client:
        for tool, arguments, action in EVERY:
            intent = await asked(client, tool, **arguments, note="as you said")
            message = here.office.proposals[-1]
            assert (message.tool, message.action, message.note) == (tool, action, "as you said")
            assert message.proposal_id == intent["proposal_id"]
            assert message.account.name == "main"
            spec = builtin().get(tool)
            assert spec is not None
            assert message.declaration == digest_of(declaration_of(spec))
            expected = {name: value for name, value in arguments.items() if name != "account"}
            assert expected.items() <= message.request.items()
            assert (intent["state"], intent["is_final"], intent["repeated"]) == ("proposed", False, False)
            assert intent["approval"] == "One of: anna, at the desk's console."
            assert intent["preview"][1] == "at 60000 USDT\\u{202e}"
            assert "http" not in json.dumps(intent)
    assert len({message.proposal_id for message in here.office.proposals}) == 3


@pytest.mark.parametrize("era", ERAS)
async def test_every_answer_and_error_fits_its_schema_and_the_tools_ask_for_a_person(
    era: Era, tmp_path: Path
) -> None:
    async with place(tmp_path, table(tmp_path, WRITING)) as here, here.client(era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools)[-5:] == WRITING + WITH_ANY_DESK
        for name, tool in tools.items():
            asks = (tool.meta or {}).get("anthropic/requiresUserInteraction")
            assert asks is (True if name in WRITING else None), name
        for tool, arguments, _ in EVERY:
            here.office.refuses = None
            good = await client.call_tool(tool, arguments)
            here.office.refuses = DeskError(ErrorCode.HALTED, "the desk is halted: a test")
            bad = await client.call_tool(tool, arguments)
            for result in (good, bad):
                jsonschema.validate(result.structured_content, tools[tool].output_schema or {})
            assert (good.is_error, bad.is_error) == (False, True)
            assert bad.structured_content["error"]["code"] == "HALTED"


async def test_the_same_asked_again_is_the_same_intent_and_says_that_nothing_new_was_proposed(
    tmp_path: Path,
) -> None:
    async with place(tmp_path, table(tmp_path, WRITING)) as here, here.client("auto") as client:
        first = await asked(client, "place_order", **BUY)
        again = await asked(client, "place_order", **BUY)
        assert again["intent_id"] == first["intent_id"]
        assert again["repeated"] is True
        assert "nothing new was proposed" in again["next"]
        second = await asked(client, "place_order", **BUY, distinct_from=first["intent_id"])
        assert second["intent_id"] != first["intent_id"]


REFUSALS = (
    ProposalRefusedError(ErrorCode.SIMILAR_ORDER, "it is like intent X", intent_id="f" * 32),
    ProposalRefusedError(ErrorCode.BLOCKED_BY_UNKNOWN, "the outcome of X is not known"),
    OrderRefusedError(ErrorCode.AMOUNT_OFF_STEP, "amount: 0.015 is off the step 0.01"),
    DeskError(ErrorCode.NOT_ALLOWED_FOR_CLIENT, "place_order is blocked"),
    DeskError(ErrorCode.NO_APPROVER, "nobody can approve"),
)


@pytest.mark.parametrize("error", REFUSALS, ids=lambda error: error.code)
async def test_a_refusal_of_the_desk_is_told_as_it_is_with_the_ids_it_is_about(
    error: ProposalRefusedError, tmp_path: Path
) -> None:
    async with place(tmp_path, table(tmp_path, WRITING)) as here, here.client("auto") as client:
        here.office.refuses = error
        told = await refused(client, "place_order", **BUY)
        (message,) = here.office.proposals
    assert (told["code"], told["retry"]) == (error.code, error.retry)
    assert told["message"].startswith(error.message)
    assert message.proposal_id in told["message"]


@pytest.mark.parametrize("tool", WRITING)
async def test_an_unknown_outcome_is_an_error_that_says_not_to_propose_again(
    tool: str, tmp_path: Path
) -> None:
    arguments = next(arguments for name, arguments, _ in EVERY if name == tool)
    async with place(tmp_path, table(tmp_path, WRITING)) as here, here.client("auto") as client:
        intent_id = (await asked(client, tool, **arguments))["intent_id"]
        here.office.move(intent_id, state="unknown", reason="the connection broke")
        told = await refused(client, tool, **arguments)
        assert (told["code"], told["retry"]) == ("OUTCOME_UNKNOWN", "after_reconcile")
        assert intent_id in told["message"]
        assert "Do not propose it again" in told["hint"]
        assert "get_intent" in told["hint"]
        assert (await asked(client, "get_intent", intent_id=intent_id))["state"] == "unknown"
        here.office.move(intent_id, state="denied", is_final=True, reason="above the limit")
        assert (await refused(client, tool, **arguments))["code"] == "POLICY_DENIED"
        here.office.move(intent_id, denied_as=ErrorCode.POLICY_MAX_ORDER_NOTIONAL)
        assert (await refused(client, tool, **arguments))["code"] == "POLICY_MAX_ORDER_NOTIONAL"
        here.office.move(intent_id, denied_as=ErrorCode.STOPPING)
        assert (await refused(client, tool, **arguments))["code"] == "POLICY_DENIED"


async def test_a_desk_that_is_down_is_a_code_and_changes_no_list(tmp_path: Path) -> None:
    async with place(tmp_path, table(tmp_path, WRITING), is_up=False) as here, here.client("auto") as client:
        assert names((await client.list_tools()).tools)[-5:] == WRITING + WITH_ANY_DESK
        for tool, arguments, _ in EVERY:
            told = await refused(client, tool, **arguments)
            assert (told["code"], told["retry"]) == ("DESK_UNREACHABLE", "safe")
            assert "proposal " in told["message"]
            assert str(tmp_path) not in json.dumps(told)
        assert (await refused(client, "get_intent", intent_id="0" * 32))["code"] == "DESK_UNREACHABLE"


async def test_an_account_that_is_another_at_the_desk_or_none_at_all_gets_nothing_proposed(
    tmp_path: Path,
) -> None:
    async with place(tmp_path, table(tmp_path, WRITING)) as here, here.client("auto") as client:
        here.office.agreed = "mismatch"
        assert (await refused(client, "place_order", **BUY))["code"] == "ACCOUNT_MISMATCH"
        told = await refused(client, "place_order", **{**BUY, "account": "other"})
        assert told["code"] == "UNKNOWN_ACCOUNT"
        assert "main" in told["message"]
        assert here.office.proposals == []


async def test_a_caller_without_a_credential_is_told_which_line_to_add(tmp_path: Path) -> None:
    async with place(tmp_path, table(tmp_path, WRITING)) as here:
        async with here.client("auto", name="web.client") as client:
            for tool, arguments in (("place_order", BUY), ("get_intent", {"intent_id": "0" * 32})):
                told = await refused(client, tool, **arguments)
                assert told["code"] == "CREDENTIAL_REFUSED"
                assert '"web.client" = { file = "~/PATH" }' in told["hint"]
        assert here.office.shaken == []


async def test_a_read_scope_sees_and_calls_none_of_what_writes_but_reads_intents(tmp_path: Path) -> None:
    async with place(tmp_path, table(tmp_path, WRITING)) as here:
        async with here.client("auto", scopes=frozenset({Scope.READ})) as client:
            assert names((await client.list_tools()).tools) == [*names(list(without_desk())), "get_intent"]
            for tool, arguments, _ in EVERY:
                assert (await refused(client, tool, **arguments))["code"] == "SCOPE_MISSING"
            told = await refused(client, "retract_proposal", intent_id="0" * 32)
            assert told["code"] == "SCOPE_MISSING"
        assert here.office.proposals == []


@pytest.mark.parametrize("arguments", [{}, {"order_id": "1", "intent_id": "0" * 32}])
async def test_a_cancel_names_its_order_by_exactly_one_id(
    arguments: dict[str, object], tmp_path: Path
) -> None:
    async with place(tmp_path, table(tmp_path, WRITING)) as here, here.client("auto") as client:
        told = await refused(client, "cancel_order", account="main", symbol="BTC/USDT", **arguments)
        assert told["code"] == "INVALID_ARGUMENT"
        assert here.office.proposals == []


async def test_an_intent_is_waited_for_with_progress_until_its_state_changes(tmp_path: Path) -> None:
    seen: list[str] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        assert (progress < 1, total) == (True, 45)
        seen.append(message or "")

    async with place(tmp_path, table(tmp_path, WRITING)) as here, here.client("auto") as client:
        intent_id = (await asked(client, "place_order", **BUY))["intent_id"]
        answers: list[Any] = []

        async def wait() -> None:
            call = {"intent_id": intent_id, "wait_seconds": 45}
            answers.append(await client.call_tool("get_intent", call, progress_callback=on_progress))

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await until(lambda: here.office.reads >= 2)
            # A wait takes no turn from others, and changes nothing.
            assert (await asked(client, "list_accounts"))["accounts"]
            here.office.move(intent_id, state="approved")
        assert answers[0].structured_content["data"]["state"] == "approved"
        assert seen == [f"intent {intent_id} is proposed"]


async def test_an_unknown_outcome_is_waited_for_as_any_other_state_is(tmp_path: Path) -> None:
    async with place(tmp_path, table(tmp_path, WRITING)) as here, here.client("auto") as client:
        intent_id = (await asked(client, "place_order", **BUY))["intent_id"]
        here.office.move(intent_id, state="unknown", approval=None)
        answers: list[Any] = []

        async def wait() -> None:
            answers.append(await asked(client, "get_intent", intent_id=intent_id, wait_seconds=45))

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await until(lambda: here.office.reads >= 2)
            here.office.move(intent_id, state="placed", is_final=True, order_id="77")
        assert answers[0]["state"] == "placed"


async def test_a_proposal_may_wait_a_moment_for_its_decision(tmp_path: Path) -> None:
    async with place(tmp_path, table(tmp_path, WRITING, wait=10)) as here, here.client("auto") as client:
        answers: list[Any] = []

        async def propose() -> None:
            answers.append(await asked(client, "place_order", **BUY))

        async with anyio.create_task_group() as group:
            group.start_soon(propose)
            await until(lambda: here.office.reads >= 1)
            (intent_id,) = here.office.intents
            here.office.move(intent_id, state="approved")
            await until(lambda: here.office.reads >= 2)
            here.office.move(intent_id, state="placed", is_final=True, approval=None, order_id="77")
        assert (answers[0]["state"], answers[0]["order_id"]) == ("placed", "77")


async def test_a_call_that_is_cancelled_cancels_nothing_at_the_desk(tmp_path: Path) -> None:
    async with place(tmp_path, table(tmp_path, WRITING, wait=10)) as here, here.client("auto") as client:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "place_order", BUY)
            await until(lambda: here.office.reads >= 1)
            group.cancel_scope.cancel()
        (intent,) = here.office.intents.values()
        assert intent.state == "proposed"
        assert len(here.office.proposals) == 1


async def test_only_ones_own_proposal_is_read_and_taken_back(tmp_path: Path) -> None:
    async with place(tmp_path, table(tmp_path, WRITING)) as here, here.client("auto") as client:
        intent_id = (await asked(client, "place_order", **BUY))["intent_id"]
        for _ in range(2):
            assert (await asked(client, "retract_proposal", intent_id=intent_id))["state"] == "retracted"
        here.office.owners[intent_id] = "another"
        for tool in WITH_ANY_DESK:
            assert (await refused(client, tool, intent_id=intent_id))["code"] == "UNKNOWN_INTENT"


@pytest.mark.parametrize("era", ERAS)
async def test_the_desk_comes_and_goes_with_a_reload_and_clients_hear_of_it(era: Era, tmp_path: Path) -> None:
    async with place(tmp_path, "") as here, here.client(era) as client:
        assert client.instructions is not None
        assert "read-only" in client.instructions
        assert names((await client.list_tools()).tools) == names(list(without_desk()))
        assert (await refused(client, "place_order", **BUY))["code"] == "UNKNOWN_TOOL"
        async with anyio.create_task_group() as group:
            if era == "auto":
                listening = anyio.Event()

                async def listen() -> None:
                    async with client.listen(tools_list_changed=True) as events:
                        listening.set()
                        async for event in events:
                            assert event == ToolsListChanged()
                            here.heard.append(era)

                group.start_soon(listen)
                await listening.wait()
            for count, tools in enumerate((["place_order"], WRITING, []), 1):
                here.rewrite(table(tmp_path, tools))
                assert (await here.running.reload()).faults == ()
                await until(lambda count=count: len(here.heard) >= count)
                assert names((await client.list_tools()).tools) == [
                    *names(list(without_desk())),
                    *tools,
                    *WITH_ANY_DESK,
                ]
            group.cancel_scope.cancel()
        async with here.client(era) as another:
            assert another.instructions is not None
            assert "read-only" not in another.instructions
            assert "until a person approves" in another.instructions
        assert (await refused(client, "withdraw", amount="1"))["code"] == "REFUSED_BY_DESIGN"


async def test_a_server_imports_httpx_no_sooner_than_it_asks_a_desk() -> None:
    program = (
        "import sys; import exchange_mcp.cli.serve, exchange_mcp.server.desk_side, exchange_mcp.tools.proposals;"
        "assert 'httpx' not in sys.modules, 'httpx'"
    )
    done = await anyio.run_process([sys.executable, "-c", program], check=False)
    assert done.returncode == 0, done.stderr.decode()


async def until(condition: Callable[[], bool]) -> None:
    with anyio.fail_after(10):
        while not condition():
            await anyio.lowlevel.checkpoint()


def test_the_answers_of_the_tools_that_propose_name_no_schema_twice() -> None:
    schemas = {
        spec.name: on_wire(spec).output_schema
        for spec in builtin()
        if spec.name in {*WRITING, *WITH_ANY_DESK}
    }
    assert len({json.dumps(schema) for schema in schemas.values()}) == 1
