"""What the text of one method of ccxt's mentions: read from the installed source, never run."""

import ast
import functools
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_Function = ast.FunctionDef | ast.AsyncFunctionDef

# This looks fields up by name to see whether a credential is there, and calls none of them.
_ONLY_LOOKS: Final = "check_required_credentials"


@dataclass(frozen=True, slots=True)
class SelfCall:
    """A call of a method of `self`, with what is handed to it by position.

    An argument is a text where the source has one, the number of the caller's own argument where that is handed on,
    and None where it is anything else.
    """

    target: str
    arguments: tuple[str | int | None, ...]


@dataclass(frozen=True, slots=True)
class Method:
    """What one method mentions.

    Attributes:
        own: every name looked up on `self`, called or not.
        inherited: every name looked up on `super()`.
        strings: every text in it but its docstring.
        calls: its calls of methods of `self` that hand over something.
        called_arguments: which of its own arguments it uses as the name of a method to call; `self` is not counted.
        looks_up: whether it calls a method by a name that is no argument of its own.
        made_name: the expression of such a name, if the source does not hold the whole name.
    """

    own: frozenset[str]
    inherited: frozenset[str]
    strings: frozenset[str]
    calls: tuple[SelfCall, ...]
    called_arguments: frozenset[int]
    looks_up: bool
    made_name: str | None


@functools.cache
def read_method(owner: type, name: str) -> Method | None:
    """What the method that a class itself defines mentions; None where its text defines no such method.

    Raises:
        ValueError: the source of the class is not there.
    """
    function = None if owner is object else _functions(owner).get(name)
    return None if function is None else _read(function)


def _functions(owner: type) -> Mapping[str, _Function]:
    return _classes(_file(owner)).get(owner.__name__, {})


@functools.cache
def _file(owner: type) -> str:
    try:
        path = inspect.getsourcefile(owner)
    except TypeError:
        path = None
    if path is None:
        raise ValueError(f"the source of {owner.__module__}.{owner.__name__} is not there")
    return path


# Enough for a venue's class, its bases and the venues beside it; the trees of all of them take 300 MB.
@functools.lru_cache(maxsize=32)
def _classes(path: str) -> Mapping[str, Mapping[str, _Function]]:
    tree = ast.parse(Path(path).read_bytes(), path)
    return {
        node.name: {part.name: part for part in node.body if isinstance(part, _Function)}
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }


def _read(function: _Function) -> Method:
    arguments = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)][1:]
    own, inherited, strings = set[str](), set[str](), set[str]()
    calls: list[SelfCall] = []
    names: list[ast.expr] = []
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    for node in (part for statement in body for part in ast.walk(statement)):
        match node:
            case ast.Constant(value=str(text)):
                strings.add(text)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                own.add(name)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name):
                inherited.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=[_, *_]):
                calls.append(SelfCall(name, tuple(_argument(value, arguments) for value in node.args)))
            case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id="self"), name, *_]):
                names.append(name)
            case _:
                pass
    if function.name == _ONLY_LOOKS:
        names = []
    own |= {name.value for name in names if isinstance(name, ast.Constant) and isinstance(name.value, str)}
    looked_up = [name for name in names if not isinstance(name, ast.Constant)]
    taken = {
        arguments.index(name.id) for name in looked_up if isinstance(name, ast.Name) and name.id in arguments
    }
    others = [name for name in looked_up if not (isinstance(name, ast.Name) and name.id in arguments)]
    made = [ast.unparse(name) for name in others if not _is_whole(name, function)]
    return Method(
        own=frozenset(own),
        inherited=frozenset(inherited),
        strings=frozenset(strings),
        calls=tuple(calls),
        called_arguments=frozenset(taken),
        looks_up=bool(others),
        made_name=made[0] if made else None,
    )


def _argument(value: ast.expr, arguments: list[str]) -> str | int | None:
    match value:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name) if name in arguments:
            return arguments.index(name)
        case _:
            return None


def _is_whole(name: ast.expr, function: _Function) -> bool:
    """Whether a looked-up name is only ever given whole texts in this function."""
    if not isinstance(name, ast.Name):
        return False
    values = [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name.id for target in node.targets)
    ]
    return bool(values) and all(_is_text(value) for value in values)


def _is_text(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=str()):
            return True
        case ast.IfExp(body=one, orelse=other):
            return _is_text(one) and _is_text(other)
        case _:
            return False
