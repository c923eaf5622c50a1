import json
import re
from statistics import mean
from typing import Any, Literal

import pytest
from pydantic import ValidationError

from exchange_mcp.model.effects import Effect
from exchange_mcp.model.errors import DeadlineError, ErrorCode
from exchange_mcp.model.frozen import Record
from exchange_mcp.tools.answers import Envelope, compact, input_schema, output_schema
from exchange_mcp.tools.registry import builtin, without_desk
from exchange_mcp.tools.spec import ToolSpec

from .json_schema import nodes, violations

TOOLS = tuple(builtin())
BY_NAME = {spec.name: spec for spec in TOOLS}
each_tool = pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)

# The smallest arguments that each tool takes.
LEAST: dict[str, dict[str, Any]] = {
    "list_accounts": {},
    "get_balance": {},
    "get_positions": {},
    "get_open_orders": {},
    "get_ticker": {"symbol": "BTC/USDT"},
    "get_orderbook": {"symbol": "BTC/USDT"},
    "preview_order": {"symbol": "BTC/USDT", "side": "buy", "type": "market"},
    "calculate_position_size": {"equity": "1000", "entry": "100", "stop": "99", "risk_percent": "1"},
    "get_key_scope": {},
    "get_annotation_matrix": {},
    "place_order": {"account": "main", "symbol": "BTC/USDT", "side": "buy", "type": "market"},
    "cancel_order": {"account": "main", "symbol": "BTC/USDT"},
    "set_leverage": {"account": "main", "symbol": "BTC/USDT:USDT", "leverage": 5},
    "get_intent": {"intent_id": "0123456789abcdef0123456789abcdef"},
    "retract_proposal": {"intent_id": "0123456789abcdef0123456789abcdef"},
}


def as_sent(spec: ToolSpec) -> dict[str, Any]:
    """A tool as tools/list carries it."""
    return {
        "name": spec.name,
        "title": spec.title,
        "description": f"{spec.description} Leaves behind: {spec.commitment}.",
        "inputSchema": input_schema(spec.arguments),
        "outputSchema": output_schema(spec.data),
        "annotations": {
            "readOnlyHint": spec.hints.read_only.value,
            "destructiveHint": spec.hints.destructive.value,
            "idempotentHint": spec.hints.idempotent.value,
            "openWorldHint": spec.hints.open_world.value,
        },
        **({"_meta": {"anthropic/requiresUserInteraction": True}} if spec.effect is Effect.WRITE else {}),
    }


def size(spec: ToolSpec) -> int:
    return len(json.dumps(as_sent(spec), separators=(",", ":"), ensure_ascii=False).encode())


@each_tool
def test_no_tool_is_longer_than_the_budget_of_one(spec: ToolSpec) -> None:
    assert size(spec) <= 4500  # DESIGN, section 11


def test_the_tools_together_keep_the_budget_of_the_list() -> None:
    for tools in (TOOLS, tuple(without_desk())):
        assert mean(size(spec) for spec in tools) <= 2300  # DESIGN, section 11


@each_tool
def test_both_schemas_are_valid_and_of_objects_without_references(spec: ToolSpec) -> None:
    for schema in (input_schema(spec.arguments), output_schema(spec.data)):
        assert violations(schema, None)
        assert schema["type"] == "object"
        assert not [node for node in nodes(schema) if "$ref" in node or "$defs" in node]


@each_tool
def test_a_schema_spends_nothing_on_titles_and_docstrings_of_models(spec: ToolSpec) -> None:
    for schema in (input_schema(spec.arguments), output_schema(spec.data)):
        assert not [node for node in nodes(schema) if isinstance(node.get("title"), str)]
        assert not [node for node in nodes(schema) if "properties" in node and "description" in node]


@each_tool
def test_every_field_of_an_answer_is_required(spec: ToolSpec) -> None:
    told = [sorted(node["required"]) for node in nodes(output_schema(spec.data)) if "required" in node]
    full = spec.data.model_json_schema(mode="serialization")
    fields = [sorted(node["properties"]) for node in nodes(full) if isinstance(node.get("properties"), dict)]
    assert fields
    assert all(each in told for each in fields)
    for node in nodes(output_schema(spec.data)):
        if isinstance(node.get("properties"), dict):
            assert set(node["properties"]) <= set(node["required"])


class Ticked(Record):
    """A record with fields of two forms, and one of an enumeration."""

    first: str | None
    second: str | None
    third: str | None
    count: int
    side: Literal["buy", "sell"] | None


def test_fields_of_the_most_frequent_form_are_named_once_and_checked_all_the_same() -> None:
    schema = output_schema(Ticked)
    assert schema["properties"]["data"] == {
        "type": ["object", "null"],
        "properties": {"count": {"type": "integer"}, "side": {"enum": ["buy", "sell", None]}},
        "additionalProperties": {"type": ["string", "null"]},
        "required": ["first", "second", "third", "count", "side"],
    }
    right = {"first": "1", "second": None, "third": "3", "count": 3, "side": None}
    assert violations(schema, {"data": right, "error": None}) == []
    for wrong in (
        {name: value for name, value in right.items() if name != "second"},
        {**right, "third": 3},
        {**right, "count": "3"},
        {**right, "side": "none"},
    ):
        assert violations(schema, {"data": wrong, "error": None}), wrong


@each_tool
def test_an_answer_has_no_json_number_but_a_count(spec: ToolSpec) -> None:
    kinds = [node.get("type") for node in nodes(output_schema(spec.data))]
    assert "number" not in kinds
    assert not [kind for kind in kinds if isinstance(kind, list) and "number" in kind]


@each_tool
def test_the_least_arguments_are_accepted_by_the_model_and_by_its_schema(spec: ToolSpec) -> None:
    spec.arguments.model_validate(LEAST[spec.name])
    assert violations(input_schema(spec.arguments), LEAST[spec.name]) == []


@each_tool
def test_an_unknown_argument_is_refused_by_the_model_and_by_its_schema(spec: ToolSpec) -> None:
    arguments: dict[str, Any] = {**LEAST[spec.name], "params": {}}
    with pytest.raises(ValidationError, match=r"params\n.*not permitted"):
        spec.arguments.model_validate(arguments)
    assert violations(input_schema(spec.arguments), arguments)


@each_tool
def test_no_tool_takes_credentials_or_free_form_parameters(spec: ToolSpec) -> None:
    schema = input_schema(spec.arguments)
    assert schema["additionalProperties"] is False
    for name, argument in schema["properties"].items():
        assert not re.search(r"key|secret|pass|token|credential|param|option|header|url|path", name)
        # A scalar: an object or an array would carry whatever its writer likes.
        kinds = {argument["type"]} if isinstance(argument["type"], str) else set(argument["type"])
        assert kinds <= {"string", "integer", "boolean", "null"}, (name, argument)


WRONG: list[tuple[str, str, Any]] = [
    ("get_balance", "account", 7),
    ("get_balance", "include_empty", "true"),
    ("get_balance", "include_empty", 1),
    ("get_balance", "include_empty", None),
    ("get_orderbook", "levels", "7"),
    ("get_orderbook", "levels", True),
    ("get_orderbook", "levels", 7.5),
    ("get_orderbook", "levels", 0),
    ("get_orderbook", "levels", -1),
    ("get_orderbook", "levels", 51),
    ("get_ticker", "symbol", None),
    ("get_ticker", "symbol", "B" * 65),
    ("calculate_position_size", "equity", 1000),
    ("calculate_position_size", "equity", 1000.5),
    ("calculate_position_size", "equity", True),
    ("calculate_position_size", "equity", None),
    ("calculate_position_size", "equity", "null"),
    ("calculate_position_size", "equity", ""),
    ("calculate_position_size", "equity", "1e-8"),
    ("calculate_position_size", "equity", "NaN"),
    ("calculate_position_size", "equity", "Infinity"),
    ("calculate_position_size", "equity", "-1"),
    ("calculate_position_size", "equity", "+1"),
    ("calculate_position_size", "equity", "1,000"),
    ("calculate_position_size", "side", "buy"),
    ("calculate_position_size", "leverage", None),
    ("calculate_position_size", "amount_step", 1e-8),
    ("calculate_position_size", "min_amount", "null"),
    ("preview_order", "symbol", None),
    ("preview_order", "side", "long"),
    ("preview_order", "type", "stop"),
    ("preview_order", "amount", 0.1),
    ("preview_order", "amount", "1e3"),
    ("preview_order", "price", "NaN"),
    ("preview_order", "trigger_price", ""),
    ("preview_order", "cost", "1,000"),
    ("preview_order", "time_in_force", "GTX"),
    ("preview_order", "reduce_only", "true"),
    ("preview_order", "post_only", None),
    ("place_order", "account", None),
    ("place_order", "amount", 0.1),
    ("place_order", "reduce_only", "true"),
    ("place_order", "reduce_only", 1),
    ("place_order", "distinct_from", "0123"),
    ("place_order", "distinct_from", "../../v1/handshake"),
    ("place_order", "note", "x" * 141),
    ("cancel_order", "order_id", "1/../2"),
    ("cancel_order", "order_id", ""),
    ("cancel_order", "intent_id", "0123456789ABCDEF0123456789ABCDEF"),
    ("set_leverage", "leverage", "5"),
    ("set_leverage", "leverage", 0),
    ("set_leverage", "leverage", 5.5),
    ("set_leverage", "leverage", True),
    ("get_intent", "intent_id", "1"),
    ("get_intent", "wait_seconds", 46),
    ("get_intent", "wait_seconds", -1),
    ("retract_proposal", "intent_id", None),
]


@pytest.mark.parametrize(("tool", "argument", "value"), WRONG, ids=repr)
def test_a_value_of_another_form_is_refused_by_the_model_and_by_its_schema(
    tool: str, argument: str, value: object
) -> None:
    arguments = LEAST[tool] | {argument: value}
    with pytest.raises(ValidationError) as caught:
        BY_NAME[tool].arguments.model_validate(arguments)
    assert {error["loc"][0] for error in caught.value.errors()} == {argument}
    assert violations(input_schema(BY_NAME[tool].arguments), arguments)


@pytest.mark.parametrize(
    ("tool", "argument", "value"),
    [
        ("calculate_position_size", "equity", "0"),
        ("calculate_position_size", "stop", "0.000"),
        ("calculate_position_size", "amount_step", "0"),
        ("get_ticker", "symbol", ""),
        ("get_ticker", "symbol", " BTC/USDT"),
        ("get_ticker", "symbol", "BTC /USDT"),
        ("get_ticker", "symbol", "BTC/USDT\u202e"),
        ("get_open_orders", "symbol", "BTC\n/USDT"),
    ],
    ids=repr,
)
def test_a_value_that_only_the_model_can_tell_wrong_is_refused_by_name(
    tool: str, argument: str, value: object
) -> None:
    with pytest.raises(ValidationError) as caught:
        BY_NAME[tool].arguments.model_validate(LEAST[tool] | {argument: value})
    assert {error["loc"][0] for error in caught.value.errors()} == {argument}


class OddlyNamed(Record):
    """A record whose fields are called as schema keywords are."""

    title: str
    default: str | None
    description: int


def test_a_field_that_is_called_as_a_keyword_of_schemas_is_kept() -> None:
    data = output_schema(OddlyNamed)["properties"]["data"]
    assert data == {
        "type": ["object", "null"],
        "properties": {
            "title": {"type": "string"},
            "default": {"type": ["string", "null"]},
            "description": {"type": "integer"},
        },
        "required": ["title", "default", "description"],
    }


def test_what_an_argument_is_by_default_is_told() -> None:
    properties = input_schema(BY_NAME["get_orderbook"].arguments)["properties"]
    assert properties["levels"] == {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}
    assert input_schema(BY_NAME["get_balance"].arguments)["properties"] == {
        "account": {"type": ["string", "null"]},
        "include_empty": {"type": "boolean", "default": False},
    }


@each_tool
def test_an_error_is_an_answer_that_every_output_schema_allows(spec: ToolSpec) -> None:
    sent = Envelope.failed(DeadlineError("too late")).structured()
    assert violations(output_schema(spec.data), sent) == []
    assert sent == {
        "data": None,
        "error": {
            "code": "DEADLINE_EXCEEDED",
            "message": "too late",
            "hint": DeadlineError.hint,
            "retry": "safe",
        },
    }


@each_tool
def test_an_output_schema_refuses_an_answer_that_lacks_a_field(spec: ToolSpec) -> None:
    schema = output_schema(spec.data)
    assert violations(schema, {"data": {}, "error": None})
    assert violations(schema, {"data": None}) == ["'error' is a required property"]


def test_the_text_of_an_answer_is_the_same_answer_on_one_line() -> None:
    sent = Envelope.failed(DeadlineError('"späte"\nAntwort')).structured()
    written = compact(sent)
    assert json.loads(written) == sent
    assert not re.search(r"[\n\r]|\": | ,", written)


def test_no_tool_repeats_the_list_of_error_codes() -> None:
    for spec in TOOLS:
        assert ErrorCode.CLOCK_SKEW not in json.dumps(as_sent(spec))
