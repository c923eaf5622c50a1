"""The tools that propose, through the transports that clients use: stdio by a process, HTTP by tokens."""

import json
import os
import sys
from pathlib import Path

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from desk_at_socket import DecidedOffice, at_socket
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.config.desk_link import DeskAccess, DeskLinkConfig
from exchange_mcp.config.secret import Secret
from exchange_mcp.server.calls import Calls, Limits
from exchange_mcp.server.desk_side import DeskSide
from exchange_mcp.tools.registry import with_desk
from serving import ERAS, Era, asked, refused

from .http.listening import ACCOUNT, Ready, empty, listening
from .http.listening import ERAS as HTTP_ERAS
from .http.listening import Era as HttpEra
from .test_proposing import BUY, CREDENTIALS, EVERY, WITH_ANY_DESK, WRITING, table, write

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("era", ERAS)
async def test_over_stdio_the_launch_name_proposes_by_its_own_credential(era: Era, tmp_path: Path) -> None:
    write(tmp_path, table(tmp_path, WRITING))
    (tmp_path / "d").mkdir(mode=0o700)
    office = DecidedOffice(dict(CREDENTIALS))
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "exchange_mcp", "serve", "--config", str(tmp_path / "serve.toml")],
        env={**os.environ, "DESK_A": "credential-of-tests"},
    )
    with anyio.fail_after(30), (tmp_path / "log").open("w") as log:
        async with at_socket(office, tmp_path / "d" / "p.sock"):
            async with Client(stdio_client(server, errlog=log), mode=era) as client:
                listed = [tool.name for tool in (await client.list_tools()).tools]
                assert listed[-5:] == WRITING + WITH_ANY_DESK
                intent = await asked(client, "place_order", **BUY)
                assert office.owners == {intent["intent_id"]: "tests"}
                read = await asked(client, "get_intent", intent_id=intent["intent_id"])
                assert read["state"] == "proposed"
            # The client is gone, and so is its server; what it proposed is not.
            assert office.intents[intent["intent_id"]].state == "proposed"
    assert "credential-of-tests" not in (tmp_path / "log").read_text()


def test_a_credential_that_is_not_there_is_a_fault_of_the_start(tmp_path: Path) -> None:
    from exchange_mcp.config.faults import ConfigError  # noqa: PLC0415 - of this test alone
    from exchange_mcp.config.redaction import Redactor  # noqa: PLC0415 - as above
    from exchange_mcp.config.serve import load_serve  # noqa: PLC0415 - as above
    from exchange_mcp.rules.venues import check_account  # noqa: PLC0415 - as above
    from exchange_mcp.server.assembly import keyed_desk  # noqa: PLC0415 - as above

    write(tmp_path, table(tmp_path, WRITING))
    config = load_serve(tmp_path / "serve.toml", check=check_account, environ=os.environ)
    assert config.desk is not None
    with pytest.raises(
        ConfigError, match=r"desk\.credentials\.tests: environment variable DESK_A is not set"
    ):
        keyed_desk(config.desk, environ={}, redactor=Redactor())
    with pytest.raises(ConfigError, match="holds no credential"):
        keyed_desk(config.desk, environ={"DESK_A": "with a space in it"}, redactor=Redactor())


@pytest.mark.parametrize("era", HTTP_ERAS)
async def test_over_http_a_tokens_client_proposes_and_a_read_token_neither_sees_nor_calls_what_writes(
    era: HttpEra, tmp_path: Path
) -> None:
    path = tmp_path / "d" / "p.sock"
    path.parent.mkdir(mode=0o700)
    office = DecidedOffice({"of-the-trader": "trader", "of-the-reader": "reader"})
    config = DeskLinkConfig(socket=path, tools=frozenset({"place_order"}), credentials={}, wait_seconds=0)
    access = DeskAccess(config, {name: Secret(f"of-the-{name}") for name in ("trader", "reader")})
    async with at_socket(office, path), listening(tmp_path) as here:
        ready, clock = Ready(empty), SystemClock()
        desk = DeskSide(access, [ACCOUNT], ready, entropy=SystemEntropy(), clock=clock)
        registry = with_desk(WRITING)
        here.offered.replace(
            registry, Calls(registry, [ACCOUNT], ready, clock, Limits(20, 16, 64), desk=desk)
        )
        async with here.client("trader", era) as client:
            intent_id = (await asked(client, "place_order", **BUY))["intent_id"]
            assert office.owners == {intent_id: "trader"}
        async with here.client("reader", era) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            assert not {*WRITING, "retract_proposal"} & set(listed)
            for tool, arguments, _ in EVERY:
                assert (await refused(client, tool, **arguments))["code"] == "SCOPE_MISSING"
            assert (await refused(client, "retract_proposal", intent_id=intent_id))["code"] == "SCOPE_MISSING"
            # What another client proposed is none of its business either.
            assert (await refused(client, "get_intent", intent_id=intent_id))["code"] == "UNKNOWN_INTENT"
        await desk.close()
    assert len(office.proposals) == 1
    assert json.dumps([each.model_dump(mode="json") for each in office.proposals]).count("of-the-") == 0
