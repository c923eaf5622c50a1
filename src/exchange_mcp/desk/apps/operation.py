"""One route of a socket: what it takes, and who answers. The two tables of them are all that the sockets know."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

if TYPE_CHECKING:
    from exchange_mcp.model.frozen import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request that was let in and understood.

    Attributes:
        client: whose credential it showed; "" on the operator socket, which asks for none.
        intent_id, named: out of the path, "" where that has none.
        query, said: the records that the operation declares; None where it declares none.
    """

    client: str
    intent_id: str = ""
    named: str = ""
    query: Any = None
    said: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One route.

    Attributes:
        path: a template; its only parameter is `{id}`, an intent's, or `{named}`, of anything else.
        answer: gives the answer's record, or None for an answer without a body.
        asks, query: the form of its body and of its query string; None: it has none.
        waits: whether it may wait for something to happen; then it ends with the desk and with who asked, and takes
            nobody's place who does not wait.
        is_urgent: taken however often is asked, and however much is under way.
    """

    method: str
    path: str
    answer: "Callable[[Call], Awaitable[Record | None]]"
    asks: "type[Record] | None" = None
    query: "type[Record] | None" = None
    waits: bool = False
    is_urgent: bool = False


class OperationRoute(Route):
    """An operation's route, matched as Starlette matches; HEAD is not thrown in."""

    def __init__(self, name: str, operation: Operation) -> None:
        super().__init__(operation.path, operation.answer, methods=[operation.method], name=name)
        self.methods = {operation.method}
        self.operation = operation


def routes(operations: Mapping[str, Operation]) -> tuple[OperationRoute, ...]:
    """The table as routes."""
    return tuple(OperationRoute(name, operation) for name, operation in operations.items())
