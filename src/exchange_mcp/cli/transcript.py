"""How the demo is printed: what is asked of a server, as a real MCP client asks it, and which commands are given."""

import json
import os
import shlex
import subprocess
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from textwrap import indent
from typing import Any, Final, cast

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from rich.console import Console
from rich.table import Table
from rich.text import Text

from exchange_mcp.cli.launch import MODULE

Row = dict[str, Any]
Part = Callable[[str], str]

# The member of each answer that holds its rows, and the columns that fit on a screen; the answer has more.
_SHOWN: Final[dict[str, tuple[str, ...]]] = {
    "get_balance": ("balances", "account", "source", "asset", "free", "used", "total"),
    "get_positions": (
        *("positions", "account", "symbol", "side", "amount", "entry_price"),
        *("liquidation_price", "leverage", "unrealised_pnl"),
    ),
    "get_open_orders": (
        *("orders", "source", "symbol", "side", "type", "price", "trigger_price", "amount", "remaining"),
        *("reduce_only",),
    ),
    "get_ticker": ("tickers", "symbol", "last", "bid", "ask", "change_percent", "time"),
    "get_key_scope": ("keys", "account", "read", "trade", "withdraw", "transfer", "accepted"),
    "get_orderbook": ("books", "symbol", "bids", "asks", "levels", "amount_unit"),
}
# What an answer about an intent shows of it, beside the preview that an approver reads.
_OF_AN_INTENT: Final = ("intent_id", "state", "reason", "order_id", "next", "approval")
# Wide enough for the widest table; a narrower terminal wraps its rows and loses no digit.
_WIDTH: Final = 118


class _Screen(Console):
    """Where the transcript is printed. Once nobody reads on, the rest is not printed, and nothing is left behind."""

    def on_broken_pipe(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())
        os.close(nowhere)


def whole(said: str) -> str:
    """All that a command said."""
    return said


class Transcript:
    """Asks and commands, and prints each with what came of it."""

    def __init__(self) -> None:
        self._console = _Screen(width=_WIDTH, highlight=False)

    def chapter(self, title: str) -> None:
        """Begin another part."""
        self._console.rule(Text(title, style="bold"), style="dim", align="left")

    def say(self, line: str) -> None:
        """Print a sentence of the demo's own."""
        self._console.print(Text(line))

    def question(self, question: str, asked: str) -> None:
        """Print what is asked, by whom or in which words."""
        self._console.print(Text(f"\n> {question}", style="bold"))
        self._console.print(Text(f"  {asked}", style="dim"))

    def command(
        self,
        question: str,
        words: Sequence[str],
        place: Path,
        *,
        variables: Mapping[str, str] | None = None,
        shown: Part = whole,
    ) -> subprocess.CompletedProcess[str]:
        """Run one of our commands in `place`, and print it and the part of what it says that is `shown`."""
        self.question(question, f"exchange-mcp {shlex.join(words)}")
        ended = subprocess.run(  # noqa: S603 - our own program
            [*MODULE, *words], cwd=place, capture_output=True, text=True, check=False, env=variables
        )
        said = (ended.stdout + ended.stderr).replace(f"{place}{os.sep}", "")
        self.say(indent(shown(said).strip("\n"), "  "))
        return ended

    @asynccontextmanager
    async def client(
        self, command: Sequence[str], variables: Mapping[str, str], *, shows: Callable[[str], bool]
    ) -> AsyncGenerator[Client]:
        """A client of the server that this command launches; its tools are listed, those whose name is to be shown."""
        parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(variables))
        async with Client(stdio_client(parameters)) as client:
            await self._tools(client, shows)
            yield client

    async def ask(self, client: Client, question: str, tool: str, arguments: Row) -> Row:
        """Ask the server, and print what it answers; the data, or the whole answer where that is an error."""
        self.question(question, f"{tool} {json.dumps(arguments)}")
        answer = cast("Row", (await client.call_tool(tool, arguments)).structured_content)
        if answer["error"] is not None:
            error = answer["error"]
            self.say(f"  {error['code']}: {error['message']}\n  {error['hint']} (retry: {error['retry']})")
            return answer
        data = cast("Row", answer["data"])
        self._answer(tool, data)
        return data

    def _answer(self, tool: str, data: Row) -> None:
        shown = _SHOWN.get(tool)
        if tool == "preview_order":
            self._lines(cast("list[str]", data["lines"]))
            self._coverage(cast("Row", data["coverage"]))
        elif "intent_id" in data:
            for name in _OF_AN_INTENT:
                if data[name] is not None:
                    self.say(f"  {name}: {data[name]}")
            if not data["is_final"]:
                self.say("  preview:")
                self._lines([f"  {line}" for line in cast("list[str]", data["preview"])])
        elif shown is None:
            for key, value in data.items():
                self.say(f"  {key}: {_cell(value)}")
        else:
            rows, *columns = shown
            self._table(cast("list[Row]", data[rows]), columns)
            self._coverage(cast("Row", data["coverage"]))

    async def _tools(self, client: Client, shows: Callable[[str], bool]) -> None:
        server = client.server_info
        self.say(
            f"Connected over stdio to {server.name} {server.version}." if server else "Connected over stdio."
        )
        tools = (await client.list_tools()).tools
        table = Table(title="tools/list", title_justify="left")
        for column in ("tool", "read-only", "destructive", "idempotent", "open world"):
            table.add_column(column)
        for tool in tools:
            hints = tool.annotations
            assert hints is not None  # noqa: S101 - every tool sets its hints
            flags = (
                hints.read_only_hint,
                hints.destructive_hint,
                hints.idempotent_hint,
                hints.open_world_hint,
            )
            if shows(tool.name):
                table.add_row(tool.name, *("yes" if flag else "no" for flag in flags))
        self._console.print(table)
        writers = [t.name for t in tools if t.annotations is None or not t.annotations.read_only_hint]
        self.say(f"Tools that can change anything: {', '.join(writers) or 'none'}.")

    def _lines(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.say(f"  {line}")

    def _table(self, rows: list[Row], columns: Sequence[str]) -> None:
        table = Table(box=None, pad_edge=False, padding=(0, 0, 0, 2))
        for column in columns:
            table.add_column(column.replace("_", " "))
        for row in rows:
            table.add_row(*(_cell(row[column]) for column in columns))
        self._console.print(table)

    def _coverage(self, coverage: Row) -> None:
        answered = ", ".join(f"{a['account']} {a['source']}" for a in coverage["answered"])
        gaps = ", ".join(f"{g['account']} {g['source']}: {g['message']}" for g in coverage["gaps"])
        self._console.print(Text(f"  answered: {answered}; gaps: {gaps or 'none'}", style="dim"))


def _cell(value: object) -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        items = cast("list[object]", value)
        return "\n".join(
            " x ".join(map(str, cast("list[object]", i))) if isinstance(i, list) else str(i) for i in items
        )
    return str(value)
