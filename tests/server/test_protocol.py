"""What a client sees, in both protocol eras, of a server over the simulated exchange."""

import json
from pathlib import Path

import anyio
import jsonschema
import pytest
from mcp.client import Client
from mcp_types import TextContent

from exchange_mcp import __version__
from exchange_mcp.server.calls import Limits
from exchange_mcp.server.offered import on_wire
from exchange_mcp.tools.matrix import matrix
from exchange_mcp.tools.registry import without_desk
from serving import ERAS, Era, Sim, asked, configured, refused, served

pytestmark = pytest.mark.anyio

EVERY_CALL: tuple[tuple[str, dict[str, object]], ...] = (
    ("list_accounts", {}),
    ("get_annotation_matrix", {}),
    ("get_balance", {}),
    ("get_positions", {}),
    ("get_open_orders", {}),
    ("get_ticker", {"symbol": "BTC/USDT"}),
    ("get_orderbook", {"symbol": "BTC/USDT:USDT", "levels": 5}),
    ("calculate_position_size", {"equity": "1000", "risk_percent": "1", "entry": "100", "stop": "90"}),
    (
        "preview_order",
        {"symbol": "BTC/USDT:USDT", "side": "sell", "type": "market", "amount": "0.4", "account": "main"},
    ),
    (
        "preview_order",
        {"symbol": "BTC/USDT", "side": "buy", "type": "market", "cost": "50", "account": "main"},
    ),
    (
        "preview_order",
        {"symbol": "BTC/USDT", "side": "buy", "type": "limit", "amount": "1", "account": "main"},
    ),
    ("get_ticker", {"symbol": "NOPE/NOPE"}),
    ("withdraw", {}),
)


@pytest.mark.parametrize("era", ERAS)
async def test_every_tool_is_listed_with_title_schemas_commitment_and_all_four_hints(
    era: Era, sim: Sim, place: Path
) -> None:
    async with served(configured(place, sim), era=era) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == [spec.name for spec in without_desk()]
    for tool in tools:
        assert tool.title
        assert tool.description is not None
        assert "Leaves behind: nothing." in tool.description
        assert tool.output_schema is not None
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations is not None
        hints = tool.annotations.model_dump(by_alias=True, exclude={"title"})
        assert all(isinstance(value, bool) for value in hints.values()), hints
        assert len(hints) == 4


@pytest.mark.parametrize("era", ERAS)
async def test_the_structure_equals_the_text_and_fits_the_declared_schema_errors_included(
    era: Era, sim: Sim, place: Path
) -> None:
    schemas = {spec.name: on_wire(spec).output_schema for spec in without_desk()}
    async with served(configured(place, sim), era=era) as client:
        for name, arguments in EVERY_CALL:
            result = await client.call_tool(name, arguments)
            (content,) = result.content
            assert isinstance(content, TextContent)
            assert json.loads(content.text) == result.structured_content
            assert ": " not in content.text[:40]
            assert result.is_error == (result.structured_content["error"] is not None)
            if name in schemas:
                jsonschema.validate(result.structured_content, schemas[name] or {})


@pytest.mark.parametrize("era", ERAS)
async def test_the_server_says_its_own_name_and_version_and_that_it_is_read_only(
    era: Era, sim: Sim, place: Path
) -> None:
    async with served(configured(place, sim), era=era) as client:
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("exchange-mcp", __version__)
        assert client.instructions is not None
        assert "read-only" in client.instructions
        assert client.server_capabilities.resources is None
        assert client.server_capabilities.prompts is None


async def test_registry_live_list_and_matrix_agree(sim: Sim, place: Path) -> None:
    published = {row.name: row for row in matrix(without_desk()).rows}
    async with served(configured(place, sim)) as client:
        tools = (await client.list_tools()).tools
        told = await asked(client, "get_annotation_matrix")
    for tool in tools:
        row = published.pop(tool.name)
        hints = tool.annotations
        assert hints is not None
        assert (row.read_only, row.destructive, row.idempotent, row.open_world) == (
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        )
    assert {row.effect for row in published.values()} == {"refused"}
    assert told == matrix(without_desk()).model_dump(mode="json")


async def test_no_tool_that_changes_anything_and_no_withdraw_is_listed(sim: Sim, place: Path) -> None:
    async with served(configured(place, sim)) as client:
        tools = (await client.list_tools()).tools
        error = await refused(client, "withdraw", asset="BTC", amount="1")
    assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
    assert not [tool.name for tool in tools if "withdraw" in tool.name or "transfer" in tool.name]
    assert error["code"] == "REFUSED_BY_DESIGN"


SOURCES: tuple[tuple[str, dict[str, object], str, str], ...] = (
    ("get_balance", {}, "/api/v3/account", "spot"),
    ("get_balance", {}, "/fapi/v3/account", "linear"),
    ("get_open_orders", {}, "/api/v3/openOrders", "spot"),
    ("get_open_orders", {}, "/fapi/v1/openOrders", "linear"),
    ("get_open_orders", {}, "/fapi/v1/openAlgoOrders", "linear conditional"),
)


@pytest.mark.parametrize(("tool", "arguments", "path", "source"), SOURCES)
async def test_a_source_that_fails_is_a_named_gap_beside_the_others_answers(  # noqa: PLR0917 - a table's columns
    tool: str, arguments: dict[str, object], path: str, source: str, sim: Sim, place: Path
) -> None:
    sim.fail(path=path, kind="status", status=500, body="<html>oops</html>", content_type="text/html")
    async with served(configured(place, sim)) as client:
        coverage = (await asked(client, tool, **arguments))["coverage"]
    assert coverage["complete"] is False
    assert [gap["source"] for gap in coverage["gaps"]] == [source]
    assert source not in [answered["source"] for answered in coverage["answered"]]
    assert coverage["answered"]


async def test_a_venue_that_says_nothing_is_a_gap_at_the_deadline_and_the_other_account_answers(
    sim: Sim, place: Path
) -> None:
    async with served(configured(place, sim, extra=second_account(sim)), limits=Limits(1, 16, 64)) as client:
        await warmed(client)
        sim.fail(path="/fapi/v2/positionRisk", kind="hang", times=1)
        coverage = (await asked(client, "get_positions"))["coverage"]
    (gap,) = coverage["gaps"]
    assert (gap["code"], gap["retry"], gap["source"]) == ("DEADLINE_EXCEEDED", "safe", "linear")
    assert "no answer within 0.9 s" in gap["message"]  # nine tenths of the deadline of one second
    assert {gap["account"], coverage["answered"][0]["account"]} == {"main", "other"}


async def warmed(client: Client) -> None:
    """Wait until the markets are known, however long ccxt's import and their download take."""
    with anyio.fail_after(20):
        while (await client.call_tool("get_ticker", {"symbol": "BTC/USDT"})).is_error:
            pass


def second_account(sim: Sim) -> str:
    return f"""[accounts.other]
venue = "binance"
environment = "sim"
sim_key = "reader-alt"
rendezvous = {json.dumps(str(sim.rendezvous))}
"""
