"""A tool's declaration as data: what is digested, what an operator allows, and when a later one allows more."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.tools.answers import input_schema, output_schema

if TYPE_CHECKING:
    from exchange_mcp.tools.spec import ToolSpec

Declaration = dict[str, Any]

_HINTS: Final = ("readOnly", "destructive", "idempotent", "openWorld")
# A bound that is absent is none at all. Of a lower one less is looser, of an upper one more.
_LOWER: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems")
_UPPER: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems")
_WORDS: Final = ("title", "description")


def declaration_of(spec: "ToolSpec") -> Declaration:
    """The declaration as JSON values: everything that a client is shown of the tool, and its effect."""
    hints = spec.hints
    values = (hints.read_only, hints.destructive, hints.idempotent, hints.open_world)
    return {
        "name": spec.name,
        "title": spec.title,
        "description": spec.description,
        "effect": spec.effect.value,
        "input": input_schema(spec.arguments),
        "output": output_schema(spec.data),
        "hints": {name: hint.value for name, hint in zip(_HINTS, values, strict=True)},
        "commitment": spec.commitment,
    }


def digest_of(declaration: Mapping[str, object]) -> str:
    """SHA-256 of the declaration's canonical JSON, in hex.

    Raises:
        TypeError: it holds a float, or anything else that has no canonical form.
    """
    return hashlib.sha256(canonical_json(declaration).encode()).hexdigest()


def widened(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """What the declaration now has that an operator who allowed the one before did not allow, as one sentence.

    A hint that changed either way counts: one that promises less danger makes clients ask less, one that admits more
    says that the tool does more. So does any argument that takes more than before, and any other wording of what the
    tool does, since the wording is what was read when it was allowed. What is merely narrower, or about the answer
    alone, does not. Whatever cannot be compared counts as wider.
    """
    return next(_widenings(before, now), None)


def _widenings(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    if before.get("name") != now.get("name"):
        yield f"it is another tool: {now.get('name')}, not {before.get('name')}"
    if before.get("effect") != now.get("effect"):
        yield f"its effect is {now.get('effect')}, and was {before.get('effect')}"
    old_hints, new_hints = _mapping(before.get("hints")), _mapping(now.get("hints"))
    for hint in _HINTS:
        old, new = old_hints.get(hint), new_hints.get(hint)
        if old is not new:
            yield f"its hint {hint} is {_json(new)}, and was {_json(old)}"
    for part in ("description", "commitment"):
        if before.get(part) != now.get(part):
            yield f"its {part} is another one"
    yield from _looser("its arguments", _mapping(before.get("input")), _mapping(now.get("input")))


def _looser(place: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """How the second schema takes what the first did not. A keyword that is not known here must not differ."""
    yield from _of_any_name(place, before, now)
    old, new = _mapping(before.get("properties")), _mapping(now.get("properties"))
    for name, schema in new.items():
        if name not in old:
            yield f"argument {name} is new"
        elif schema != old[name]:
            yield from _looser(f"argument {name}", _mapping(old[name]), _mapping(schema))
    for name in before.get("required", ()):
        if name not in now.get("required", ()):
            yield f"argument {name} is not required any more"
    for word in ("type", "enum"):
        yield from _more_choices(place, word, before, now)
    yield from _bounds(place, before, now)
    known = {"additionalProperties", "properties", "required", "type", "enum", *_LOWER, *_UPPER}
    for word in sorted({*before, *now} - known):
        if _json(before.get(word)) != _json(now.get(word)) and not (word in _WORDS and word not in now):
            yield f"{place}: its {word} is another one"


def _of_any_name(place: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """What is taken under names that are not described."""
    old, new = before.get("additionalProperties", True), now.get("additionalProperties", True)
    if new is False:
        return
    if old is not True and new != old:
        yield f"{place}: unknown ones are taken"
    for name in _mapping(before.get("properties")).keys() - _mapping(now.get("properties")).keys():
        yield f"argument {name} takes whatever is given"


def _more_choices(place: str, word: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    if word not in before:
        return
    if word not in now:
        yield f"{place}: its {word} is open"
        return
    taken = {_json(each) for each in _listed(before[word])}
    more = [_json(each) for each in _listed(now[word]) if _json(each) not in taken]
    if more:
        yield f"{place}: takes {', '.join(more)} as well"


def _bounds(place: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for word, is_lower in (*((each, True) for each in _LOWER), *((each, False) for each in _UPPER)):
        old, new = before.get(word), now.get(word)
        if old is None or old == new:
            continue
        if new is None or (new < old if is_lower else new > old):
            yield f"{place}: its {word} is {_json(new)}, and was {_json(old)}"


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _listed(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True)
