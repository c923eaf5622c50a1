"""The envelope `{data, error}`: the one shape of every answer, and its JSON schema."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, cast

from pydantic import BaseModel
from pydantic_core import to_json

from exchange_mcp.model.errors import ErrorBody, ErrorCode, ExchangeMcpError
from exchange_mcp.model.frozen import Record

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Envelope:
    """One answer: data or an error, never both, never neither."""

    data: Record | None = None
    error: ErrorBody | None = None

    @classmethod
    def failed(cls, error: ExchangeMcpError) -> "Envelope":
        """The envelope of an error."""
        return cls(error=error.body())

    def structured(self) -> dict[str, Any]:
        """The answer as JSON values; decimals and instants are text."""
        return {
            "data": None if self.data is None else self.data.model_dump(mode="json"),
            "error": None if self.error is None else self.error.model_dump(mode="json"),
        }


def compact(structured: Mapping[str, Any]) -> str:
    """The same answer as one line of JSON without spaces."""
    return to_json(structured).decode()


_REFERENCE: Final = "#/$defs/"


def output_schema(data: type[Record]) -> Schema:
    """The JSON schema of a tool's envelope, as short as it can say it.

    Every definition stands where it is used, since some clients do not follow references. What an object holds today
    is all required; fields of which most are of one form are named there alone, with that form for every property that
    is not described. So objects stay open to fields of that form that a later release may add.
    """
    schema = data.model_json_schema(mode="serialization")
    definitions = _definitions(schema)
    envelope: Schema = {
        "type": "object",
        "properties": {
            "data": {"anyOf": [schema, {"type": "null"}]},
            "error": _error_schema(),
        },
        "required": ["data", "error"],
    }
    return cast("Schema", _shortened(_inlined(envelope, definitions)))


@cache
def _error_schema() -> Schema:
    """An error or null, the same for every tool."""
    schema = ErrorBody.model_json_schema(mode="serialization")
    return {"anyOf": [_inlined(schema, _definitions(schema)), {"type": "null"}]}


def _definitions(schema: Schema) -> Schema:
    """Taken out of the schema. The list of error codes is long; the documentation has it, the wire need not."""
    return {**cast("Schema", schema.pop("$defs", {})), ErrorCode.__name__: {"type": "string"}}


def input_schema(arguments: type[BaseModel]) -> Schema:
    """The JSON schema of a tool's arguments, defaults kept."""
    schema = arguments.model_json_schema(mode="validation")
    definitions = cast("Schema", schema.pop("$defs", {}))
    return cast("Schema", _shortened(_inlined(schema, definitions), of_input=True))


def _inlined(node: object, definitions: Schema) -> object:
    """The schema with each reference replaced by what it refers to; no record of ours contains itself."""
    if isinstance(node, list):
        return [_inlined(item, definitions) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    schema = cast("Schema", node)
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return _inlined(definitions[reference.removeprefix(_REFERENCE)], definitions)
    return {key: _inlined(value, definitions) for key, value in schema.items()}


def _shortened(node: object, *, of_input: bool = False, names: bool = False) -> object:
    """Without titles and docstrings of models, and nullable types in their short form.

    Only an input keeps its defaults, and its refusal of properties that are not declared.
    """
    if isinstance(node, list):
        return [_shortened(item, of_input=of_input) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    schema = cast("Schema", node)
    if names:  # the keys are property names, not schema keywords
        return {key: _shortened(value, of_input=of_input) for key, value in schema.items()}
    result: Schema = {}
    for key, value in schema.items():
        if key == "title" or (key == "default" and not (of_input and value is not None)):
            continue
        if key == "additionalProperties" and value is False and not of_input:
            continue
        if key == "description" and ("properties" in schema or "enum" in schema):
            continue  # the docstring of a model or of an enumeration is for readers of the code
        result[key] = _shortened(value, of_input=of_input, names=key == "properties")
    return _nullable(result) if of_input else _by_form(_without_type(_nullable(result)))


def _without_type(schema: Schema) -> Schema:
    """An enumeration says by its values what their type is."""
    is_told = "enum" in schema or "const" in schema
    return {key: value for key, value in schema.items() if key != "type"} if is_told else schema


def _by_form(schema: Schema) -> Schema:
    """An object's properties without those of the most frequent form, which becomes that of all that are not named."""
    properties = cast("dict[str, Schema]", schema.get("properties", {}))
    if (
        not properties
        or "additionalProperties" in schema
        or set(properties) != set(schema.get("required", ()))
    ):
        return schema
    forms = {name: json.dumps(form) for name, form in properties.items()}
    form = Counter(forms.values()).most_common(1)[0][0]
    others = {name: each for name, each in properties.items() if forms[name] != form}
    rest = {key: value for key, value in schema.items() if key != "properties"}
    short = {**({"properties": others} if others else {}), "additionalProperties": json.loads(form), **rest}
    return min(schema, short, key=lambda each: len(json.dumps(each)))


def _nullable(schema: Schema) -> Schema:
    options = schema.get("anyOf")
    if not isinstance(options, list) or len(cast("list[object]", options)) != 2:  # noqa: PLR2004 - a pair
        return schema
    first, second = cast("list[Schema]", options)
    if second != {"type": "null"}:
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    if "enum" in first:
        first = {**first, "enum": [*first["enum"], None]}
    if isinstance(first.get("type"), str):
        return {**first, "type": [first["type"], "null"], **rest}
    return {**first, **rest} if "enum" in first else schema
