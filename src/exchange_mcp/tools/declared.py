"""How a tool is declared: its effect and what its handler is handed are one choice, which the type checker holds.

A handler of `read_tool` is typed to take `ReadHanded`, and gets nothing else; declaring it read-only and
handing it more cannot be written down.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from exchange_mcp.model.effects import Effect
from exchange_mcp.model.frozen import Record
from exchange_mcp.tools.handed import IntentHanded, LocalHanded, ReadHanded, RetractHanded, WriteHanded
from exchange_mcp.tools.spec import Arguments, Hint, Hints, ToolSpec, local_hints, read_hints

A = TypeVar("A", bound=Arguments)
D = TypeVar("D", bound=Record)


def local_tool(  # noqa: PLR0913 - a declaration's parts
    *,
    name: str,
    title: str,
    description: str,
    arguments: type[A],
    data: type[D],
    read_only: str,
    idempotent: str,
    handler: Callable[[A, LocalHanded], Awaitable[D]],
) -> ToolSpec:
    """A tool that reads this process's own state; `read_only` and `idempotent` say why those hints are true."""
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        arguments=arguments,
        data=data,
        effect=Effect.LOCAL,
        hints=local_hints(read_only=read_only, idempotent=idempotent),
        commitment="nothing",
        handler=handler,
    )


def read_tool(  # noqa: PLR0913 - a declaration's parts
    *,
    name: str,
    title: str,
    description: str,
    arguments: type[A],
    data: type[D],
    idempotent: str,
    handler: Callable[[A, ReadHanded], Awaitable[D]],
) -> ToolSpec:
    """A tool that asks venues; `idempotent` says why that hint is true."""
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        arguments=arguments,
        data=data,
        effect=Effect.READ,
        hints=read_hints(idempotent=idempotent),
        commitment="nothing",
        handler=handler,
    )


_AT_THE_DESK = Hint(value=False, reason="The desk answers from its own record; no venue is asked.")


def intent_tool(  # noqa: PLR0913 - a declaration's parts
    *,
    name: str,
    title: str,
    description: str,
    arguments: type[A],
    data: type[D],
    read_only: str,
    idempotent: str,
    handler: Callable[[A, IntentHanded], Awaitable[D]],
    deadline_seconds: float,
) -> ToolSpec:
    """A tool that reads the desk's records; `read_only` and `idempotent` say why those hints are true."""
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        arguments=arguments,
        data=data,
        effect=Effect.LOCAL,
        hints=Hints(
            read_only=Hint(value=True, reason=read_only),
            destructive=Hint(value=False, reason="It changes nothing."),
            idempotent=Hint(value=True, reason=idempotent),
            open_world=_AT_THE_DESK,
        ),
        commitment="nothing",
        handler=handler,
        deadline_seconds=deadline_seconds,
        asks_desk=True,
    )


def retracting_tool(  # noqa: PLR0913 - a declaration's parts
    *,
    name: str,
    title: str,
    description: str,
    arguments: type[A],
    data: type[D],
    commitment: str,
    handler: Callable[[A, RetractHanded], Awaitable[D]],
    deadline_seconds: float,
) -> ToolSpec:
    """A tool that takes back what the caller proposed."""
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        arguments=arguments,
        data=data,
        effect=Effect.LOCAL,
        hints=Hints(
            read_only=Hint(value=False, reason="It ends a proposal at the desk."),
            destructive=Hint(
                value=False, reason="It undoes nothing but the caller's own asking, which can be asked again."
            ),
            idempotent=Hint(value=True, reason="What is taken back stays so; a second time finds it so."),
            open_world=_AT_THE_DESK,
        ),
        commitment=commitment,
        handler=handler,
        deadline_seconds=deadline_seconds,
        asks_desk=True,
    )


def write_tool(  # noqa: PLR0913 - a declaration's parts
    *,
    name: str,
    title: str,
    description: str,
    arguments: type[A],
    data: type[D],
    hints: Hints,
    commitment: str,
    handler: Callable[[A, WriteHanded], Awaitable[D]],
    deadline_seconds: float,
) -> ToolSpec:
    """A tool that proposes a write to the desk."""
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        arguments=arguments,
        data=data,
        effect=Effect.WRITE,
        hints=hints,
        commitment=commitment,
        handler=handler,
        deadline_seconds=deadline_seconds,
    )
