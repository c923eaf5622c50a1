"""How a tool is declared: its effect and what its handler is handed are one choice, which the type checker holds.

A handler of `read_tool` is typed to take `ReadHanded`, and gets nothing else; declaring it read-only and
handing it more cannot be written down.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from exchange_mcp.model.effects import Effect
from exchange_mcp.model.frozen import Record
from exchange_mcp.tools.handed import IntentHanded, LocalHanded, ReadHanded, RetractHanded, WriteHanded
from exchange_mcp.tools.spec import Arguments, Hints, ToolSpec, local_hints, read_hints

A = TypeVar("A", bound=Arguments)
D = TypeVar("D", bound=Record)
H = TypeVar("H")


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


@dataclass(frozen=True)  # with slots, Python 3.11 cannot make a generic one
class DeskTools(Generic[H]):
    """Declares tools that speak to the desk: of one effect, with handlers that are handed `H`."""

    effect: Effect
    asks_desk: bool = False

    def __call__(  # noqa: PLR0913 - a declaration's parts
        self,
        *,
        name: str,
        title: str,
        description: str,
        arguments: type[A],
        data: type[D],
        hints: Hints,
        commitment: str,
        handler: Callable[[A, H], Awaitable[D]],
        deadline_seconds: float,
    ) -> ToolSpec:
        """One of them."""
        return ToolSpec(
            name=name,
            title=title,
            description=description,
            arguments=arguments,
            data=data,
            effect=self.effect,
            hints=hints,
            commitment=commitment,
            handler=handler,
            deadline_seconds=deadline_seconds,
            asks_desk=self.asks_desk,
        )


intent_tool: Final = DeskTools[IntentHanded](Effect.LOCAL, asks_desk=True)
"""A tool that reads the desk's records."""

retracting_tool: Final = DeskTools[RetractHanded](Effect.LOCAL, asks_desk=True)
"""A tool that takes back what the caller proposed."""

write_tool: Final = DeskTools[WriteHanded](Effect.WRITE)
"""A tool that proposes a write to the desk."""
