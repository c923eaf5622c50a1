"""What a client that checks JSON schemas would find."""

from collections.abc import Iterator
from typing import Any, cast

from jsonschema import Draft202012Validator


def violations(schema: dict[str, Any], value: object) -> list[str]:
    """Why the schema does not allow this value; empty where it does.

    Raises:
        jsonschema.SchemaError: the schema itself is not valid JSON Schema 2020-12.
    """
    Draft202012Validator.check_schema(schema)
    # The stubs of jsonschema leave the type of what is checked partly unknown.
    validator = cast("Any", Draft202012Validator(schema))
    return [error.message for error in validator.iter_errors(value)]


def nodes(schema: object) -> Iterator[dict[str, Any]]:
    """Every object inside a schema, the schema first."""
    if isinstance(schema, dict):
        node = cast("dict[str, Any]", schema)
        yield node
        for value in node.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for item in cast("list[object]", schema):
            yield from nodes(item)
