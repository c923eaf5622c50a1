"""What each tool does, seen from outside: every one is called twice, and what left the process is written down.

`src/exchange_mcp/tools/observed.json` is what was seen; with EXCHANGE_MCP_WRITE_OBSERVED=1 this test writes it anew.
Of a tool that proposes, this sees the half that is `serve`: what arrives at a desk's socket, and that nothing arrives
at the venue. What the desk sends once somebody approved is for a test with a whole desk.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, cast

import pytest
from mcp.client import Client

from exchange_mcp.model.effects import Effect
from exchange_mcp.tools.matrix import APPROVED, MODES, NO_SUCH_TOOL, matrix, observed
from exchange_mcp.tools.refused import REFUSED
from exchange_mcp.tools.registry import builtin
from exchange_mcp.tools.spec import ToolSpec
from serving import ERAS, Era, Sim

from .test_proposing import BUY, WRITING, Place, place, table

pytestmark = pytest.mark.anyio

WITHOUT, WITH, _ = MODES
OF_SERVE: Final = (WITHOUT, WITH)
"""What a whole desk does is seen in `tests/end_to_end/test_observed.py`."""
ARGUMENTS: Final[Mapping[str, dict[str, Any]]] = {
    "get_ticker": {"symbol": "BTC/USDT"},
    "get_orderbook": {"symbol": "BTC/USDT"},
    "preview_order": {**BUY, "price": "90000"},
    "calculate_position_size": {"equity": "1000", "entry": "100", "stop": "99", "risk_percent": "1"},
    "place_order": BUY,
    "cancel_order": {"account": "main", "symbol": "BTC/USDT", "order_id": "42"},
    "set_leverage": {"account": "main", "symbol": "BTC/USDT:USDT", "leverage": 5},
}
NOTHING: Final = "nothing left the process, twice"
READS: Final = "reads alone, the second time no others"
PROPOSES: Final = "one proposal, the second time the same intent; nothing to the venue"
RETRACTS: Final = "its own proposal was taken back, the second time it was so already; nothing to the venue"
INTENT: Final = "the desk's record was read, twice; nothing to the venue"
REFUSES: Final = "REFUSED_BY_DESIGN, twice; nothing left the process"


def account(sim: Sim) -> str:
    return (
        '[accounts.main]\nvenue = "binance"\nenvironment = "sim"\nsim_key = "reader"\n'
        f"rendezvous = {json.dumps(str(sim.rendezvous))}\n"
    )


def requests(sim: Sim) -> list[tuple[str, str]]:
    """What the venue was asked since it was told to forget: method and path."""
    found = sim.control.get("/__sim/requests").raise_for_status().json()["requests"]
    return [(each["method"], each["path"]) for each in found]


@dataclass
class Twice:
    """What two equal calls answered, and what left the process meanwhile, a set of requests a call."""

    answers: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    asked: list[set[tuple[str, str]]] = field(default_factory=list[set[tuple[str, str]]])
    proposed: list[int] = field(default_factory=list[int])
    intents: int = 0

    def told(self, what: str) -> list[object]:
        return [each["data"][what] for each in self.answers]


async def called(here: Place, sim: Sim, client: Client, tool: str, arguments: dict[str, Any]) -> Twice:
    twice, before = Twice(), len(here.office.intents)
    for _ in range(2):
        sim.forget()
        known = len(here.office.proposals)
        result = await client.call_tool(tool, arguments)
        twice.answers.append(cast("dict[str, Any]", result.structured_content))
        twice.asked.append(set(requests(sim)))
        twice.proposed.append(len(here.office.proposals) - known)
    twice.intents = len(here.office.intents) - before
    return twice


def seen(tool: str, twice: Twice) -> str:
    """What that was, in words."""
    wrote = sorted({request for each in twice.asked for request in each if request[0] != "GET"})
    codes = {None if each["error"] is None else each["error"]["code"] for each in twice.answers}
    if wrote:
        return f"WROTE: {wrote}"
    if codes == {"UNKNOWN_TOOL"}:
        return NO_SUCH_TOOL
    if any(twice.asked):
        first, second = twice.asked
        is_reading = codes == {None} and not any(twice.proposed) and second <= first
        return READS if is_reading else f"answered {codes}, asked {twice.asked}, proposed {twice.proposed}"
    if any(twice.proposed):
        is_one = (twice.intents, twice.proposed) == (1, [1, 1]) and len(set(twice.told("intent_id"))) == 1
        return PROPOSES if is_one else f"proposed {twice.proposed}, {twice.intents} intents"
    return _without_a_request(tool, codes, twice)


def _without_a_request(tool: str, codes: set[str | None], twice: Twice) -> str:
    if codes == {"REFUSED_BY_DESIGN"}:
        return REFUSES
    assert codes == {None}, twice.answers
    if "state" not in twice.answers[0]["data"]:
        return NOTHING
    states = twice.told("state")
    if tool == "retract_proposal":
        return RETRACTS if states == ["retracted"] * 2 else f"states {states}"
    return INTENT if states == ["proposed"] * 2 else f"states {states}"


async def every(sim: Sim, directory: Path, era: Era, mode: str) -> dict[str, str]:
    """What each tool, and each name of what is refused, is seen to do in this mode."""
    told: dict[str, str] = {}
    desk = table(directory, WRITING) if mode == WITH else ""
    async with place(directory, desk, accounts=account(sim)) as here, here.client(era) as client:
        await client.call_tool(
            "preview_order", ARGUMENTS["preview_order"]
        )  # markets and the key are known from here on
        offered = {tool.name for tool in (await client.list_tools()).tools}
        expected = {
            spec.name
            for spec in builtin()
            if mode == WITH or not (spec.asks_desk or spec.effect is Effect.WRITE)
        }
        assert offered == expected
        for spec in builtin():
            arguments = ARGUMENTS.get(spec.name, {})
            if spec.asks_desk:
                arguments = {"intent_id": next(iter(here.office.intents), "0" * 32)}
            told[spec.name] = seen(spec.name, await called(here, sim, client, spec.name, arguments))
        for family in REFUSED:
            told[family.name] = seen(family.name, await called(here, sim, client, family.name, {}))
    return told


def written_down(found: dict[str, dict[str, str]]) -> None:
    """Publish what was seen, beside what is there of other modes."""
    before = observed()
    found = {name: {**before.get(name, {}), **modes} for name, modes in found.items()}
    path = Path(str(files("exchange_mcp.tools").joinpath("observed.json")))
    path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def allowed(spec: ToolSpec) -> set[str]:
    """What a declaration allows to be observed, by its effect and hints alone."""
    if spec.effect is Effect.WRITE:
        return {PROPOSES, NO_SUCH_TOOL}
    if spec.asks_desk:
        return {INTENT if spec.hints.read_only.value else RETRACTS, NO_SUCH_TOOL}
    # What the key may do is asked again and again beside the calls, and told from the last answer.
    return {READS, NOTHING} if spec.hints.open_world.value else {NOTHING}


@pytest.mark.parametrize("era", ERAS)
async def test_what_every_tool_does_in_each_mode_is_what_it_declares_and_what_is_published(
    era: Era, sim: Sim, tmp_path: Path
) -> None:
    found: dict[str, dict[str, str]] = {}
    for number, mode in enumerate(OF_SERVE):
        directory = tmp_path / str(number)
        directory.mkdir()
        for name, what in (await every(sim, directory, era, mode)).items():
            found.setdefault(name, {})[mode] = what
    for spec in builtin():
        assert set(found[spec.name].values()) <= allowed(spec), spec.name
    assert {found[family.name][mode] for family in REFUSED for mode in OF_SERVE} == {REFUSES}
    if os.environ.get("EXCHANGE_MCP_WRITE_OBSERVED"):
        written_down(found)
    published = {
        name: {mode: what for mode, what in modes.items() if mode != APPROVED}
        for name, modes in observed().items()
    }
    assert found == published
    assert list(found) == [row.name for row in matrix(builtin()).rows]
