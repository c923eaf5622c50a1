import importlib
import pkgutil
from dataclasses import replace

import pytest

from exchange_mcp import tools
from exchange_mcp.model.effects import Effect
from exchange_mcp.tools.registry import MOST_TOOLS, BadToolError, Registry, builtin, with_desk, without_desk
from exchange_mcp.tools.spec import ToolSpec

from .test_spec import LOCAL


def declared() -> list[ToolSpec]:
    """Every tool that a module of the package declares, found without the registry."""
    modules = (
        importlib.import_module(f"{tools.__name__}.{m.name}") for m in pkgutil.iter_modules(tools.__path__)
    )
    return [spec for module in modules for spec in getattr(module, "TOOLS", ())]


def test_every_tool_that_is_declared_is_in_the_registry() -> None:
    assert sorted(spec.name for spec in builtin()) == sorted(spec.name for spec in declared())


def test_the_tools_of_this_release_are_the_ones_that_the_design_lists() -> None:
    assert {spec.name: spec.effect for spec in builtin()} == {
        "list_accounts": Effect.LOCAL,
        "get_balance": Effect.READ,
        "get_positions": Effect.READ,
        "get_open_orders": Effect.READ,
        "get_ticker": Effect.READ,
        "get_orderbook": Effect.READ,
        "preview_order": Effect.READ,
        "calculate_position_size": Effect.LOCAL,
        "get_key_scope": Effect.READ,
        "get_annotation_matrix": Effect.LOCAL,
        "place_order": Effect.WRITE,
        "cancel_order": Effect.WRITE,
        "set_leverage": Effect.WRITE,
        "get_intent": Effect.LOCAL,
        "retract_proposal": Effect.LOCAL,
    }


def test_without_a_desk_no_tool_writes_and_with_one_those_do_that_are_named() -> None:
    assert [spec.name for spec in without_desk() if spec.effect is Effect.WRITE or spec.asks_desk] == []
    assert all(spec.hints.read_only.value for spec in without_desk())
    for writing in ([], ["cancel_order"], ["set_leverage", "place_order"]):
        offered = with_desk(writing)
        assert {spec.name for spec in offered if spec.effect is Effect.WRITE} == set(writing)
        assert {spec.name for spec in offered if spec.asks_desk} == {"get_intent", "retract_proposal"}
        assert len(offered) == len(without_desk()) + len(writing) + 2


def test_a_tool_is_found_by_its_name_and_order_is_kept() -> None:
    specs = [replace(LOCAL, name=f"tool_{letter}") for letter in "cab"]
    registry = Registry(specs)
    assert list(registry) == specs
    assert len(registry) == len(specs)
    assert registry.get("tool_a") is specs[1]
    assert registry.get("tool_d") is None


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(BadToolError, match="a_tool: declared twice"):
        Registry([LOCAL, LOCAL])


def test_as_many_tools_as_clients_pass_on_are_served_and_one_more_is_refused() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [f"tool_{first}{second}" for first in letters[:2] for second in letters][: MOST_TOOLS + 1]
    specs = [replace(LOCAL, name=name) for name in names]
    assert len(Registry(specs[:MOST_TOOLS])) == 39
    with pytest.raises(BadToolError, match="40 tools are more than 39"):
        Registry(specs)


def test_every_fault_of_every_declaration_is_told_at_once() -> None:
    with pytest.raises(BadToolError) as caught:
        Registry([replace(LOCAL, name="A"), replace(LOCAL, title="", commitment="")])
    assert str(caught.value).split("; ") == [
        "A: its name is not lower_snake_case of 3 to 48 letters",
        "a_tool: it lacks a title or a description",
        "a_tool: it lacks its commitment",
    ]
