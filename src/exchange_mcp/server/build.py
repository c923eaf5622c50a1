"""The MCP server over the registry: both protocol eras, one catch-all, answers as structure and equal text."""

from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server

from exchange_mcp import __version__
from exchange_mcp.config.logs import caller_in_log, get_logger
from exchange_mcp.model.errors import InternalError
from exchange_mcp.server.news import News
from exchange_mcp.server.offered import Offered
from exchange_mcp.tools.answers import Envelope, compact

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.context import ServerRequestContext
    from mcp.server.models import InitializationOptions

    from exchange_mcp.model.callers import Caller
    from exchange_mcp.server.calls import Calls
    from exchange_mcp.tools.handed import Progress
    from exchange_mcp.tools.registry import Registry

    Context = ServerRequestContext[Any]
    Identify = Callable[[Context], Caller]

_log = get_logger(__name__)

NAME = "exchange-mcp"
TITLE = "exchange-mcp: exchange accounts, read-only"
PROPOSING_TITLE = "exchange-mcp: exchange accounts, and proposals that a person approves"

INSTRUCTIONS = (
    "Reads exchange accounts. It is read-only: no tool places, changes or cancels anything, and none takes "
    "money off an exchange. Start with list_accounts; preview_order tells what an order would do. Amounts and "
    "prices are exact decimal strings; null means the venue did not tell. Check `coverage.gaps` before saying "
    "that something is absent or complete."
)


PROPOSING = (
    "Reads exchange accounts, and proposes writes to the operator's desk. Nothing that you can call sends an order: "
    "a proposal is held to the operator's limits and waits at the desk until a person approves it there, which you "
    "cannot do for them. Tell the user the preview, who approves and where; then follow the intent with get_intent. "
    "Never propose again because an answer is missing or an outcome is unknown: read the intent. No tool takes money "
    "off an exchange. Start with list_accounts; preview_order tells what an order would do. Amounts and prices are "
    "exact decimal strings; null means the venue did not tell. Check `coverage.gaps` before saying that something is "
    "absent or complete."
)


class _Server(Server[Any]):
    """Says in the handshake that the list of tools may change; clients ignore the news where this is not said.

    What it says of itself follows the configuration: another session may find another one.
    """

    offered: Offered | None = None

    def __getattribute__(self, name: str) -> Any:  # noqa: ANN401 - of any attribute
        """`instructions` and `title` are read by the SDK whenever a client asks who this is."""
        if name in {"instructions", "title"}:
            offered = super().__getattribute__("offered")
            if offered is not None and offered.proposes:
                return PROPOSING if name == "instructions" else PROPOSING_TITLE
        return super().__getattribute__(name)

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> "InitializationOptions":
        """What both transports ask for when a session begins."""
        return super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=True),
            experimental_capabilities,
            extensions,
        )


def build(registry: "Registry", calls: "Calls", identify: "Identify") -> "Server[Any]":
    """A server whose offer never changes."""
    return build_over(Offered(registry, calls), identify, News())


def build_over(offered: "Offered", identify: "Identify", news: "News") -> "Server[Any]":
    """The server of what is offered at a time.

    `identify` says who calls, from what the transport knows of this one request and never from the message; where it
    raises, nothing is shown and nothing is called.
    """

    async def on_list_tools(
        ctx: "Context", _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=offered.listed(identify(ctx)))

    async def on_call_tool(ctx: "Context", params: types.CallToolRequestParams) -> types.CallToolResult:
        # What escapes a handler reaches legacy clients as str(exception), so nothing may.
        try:
            caller = identify(ctx)
            with caller_in_log(caller.name):
                call = offered.calls.call(params.name, params.arguments, caller, _progress(ctx))
                return as_result(await call)
        except Exception:  # noqa: BLE001 - the one catch-all: logged, and answered as INTERNAL
            _log.exception("answering a call failed")
            return as_result(Envelope.failed(InternalError("an unexpected fault of the server")))

    server = _Server(
        NAME,
        version=__version__,
        title=TITLE,
        instructions=INSTRUCTIONS,
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        on_subscriptions_listen=news.listen,
        get_tool_input_schema=offered.input_schema,
    )
    server.offered = offered
    server.middleware.append(news.remember)
    return server


def _progress(ctx: "Context") -> "Progress":
    """Tells the client of this request how far its call has come, if it asked for that."""

    async def tell(seconds: float, of: float, what: str) -> None:
        try:
            await ctx.session.report_progress(seconds, of, what)
        except Exception:  # noqa: BLE001 - a client that is gone raises what it likes, and ends nothing but its own call
            _log.debug("a client could not be told how far its call has come", exc_info=True)

    return tell


def as_result(envelope: Envelope) -> types.CallToolResult:
    """The envelope as structured content and as the same compact JSON text."""
    structured = envelope.structured()
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=compact(structured))],
        structured_content=structured,
        is_error=envelope.error is not None,
    )
