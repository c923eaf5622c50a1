"""The demo's transcript: a real MCP client over stdio, its questions, and what the server answers."""

import json
import os
import shlex
import subprocess
from collections.abc import Sequence
from decimal import Decimal
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
# Wide enough for the widest table; a narrower terminal wraps its rows and loses no digit.
_WIDTH: Final = 118
# How the part of an explanation begins that says what was decided; a fault of ours has only the one part.
_DECIDED: Final = ("ALLOWED", "DENIED", "This is no order", "Error")


class _Screen(Console):
    """Where the transcript is printed. Once nobody reads on, the rest is not printed, and nothing is left behind."""

    def on_broken_pipe(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())
        os.close(nowhere)


class Transcript:
    """Asks what a trader would ask, and prints question and answer."""

    def __init__(self) -> None:
        self._console = _Screen(width=_WIDTH, highlight=False)

    async def run(self, command: Sequence[str], state: Path) -> None:
        """Launch the server by this command, ask, and end; what it keeps while it runs is below `state`."""
        # A client hands on next to nothing of its environment; this server is ours and may need all of it.
        variables = {**os.environ, "XDG_STATE_HOME": str(state)}
        parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=variables)
        async with Client(stdio_client(parameters)) as client:
            await self._tools(client)
            await self._questions(client)

    def command(self, question: str, words: Sequence[str], place: Path) -> None:
        """Run one of our commands in `place`, and print it and what it says; of an explanation, what was decided."""
        self._console.print(Text(f"\n> {question}", style="bold"))
        self._console.print(Text(f"  exchange-mcp {shlex.join(words)}", style="dim"))
        ended = subprocess.run(  # noqa: S603 - our own program
            [*MODULE, *words], cwd=place, capture_output=True, text=True, check=False
        )
        for part in (ended.stdout + ended.stderr).replace(f"{place}{os.sep}", "").split("\n\n"):
            if "explain" not in words or part.startswith(_DECIDED):
                self._say(indent(part.rstrip(), "  "))

    async def _tools(self, client: Client) -> None:
        server = client.server_info
        self._say(
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
            table.add_row(tool.name, *("yes" if flag else "no" for flag in flags))
        self._console.print(table)
        writers = [t.name for t in tools if t.annotations is None or not t.annotations.read_only_hint]
        self._say(f"Tools that can change anything: {', '.join(writers) or 'none'}.")

    async def _questions(self, client: Client) -> None:
        main: Row = {"account": "main"}
        await self._ask(client, "What may my key do?", "get_key_scope", main)
        held = await self._ask(client, "What do I hold?", "get_balance", main)
        await self._ask(client, "What is open, in every account?", "get_positions", {})
        await self._ask(client, "Which orders rest, stops included?", "get_open_orders", main)
        price = await self._ask(client, "What is bitcoin at?", "get_ticker", {"symbol": "BTC/USDT", **main})
        book = {"symbol": "BTC/USDT:USDT", "levels": 3, **main}
        await self._ask(client, "And the perpetual's book?", "get_orderbook", book)
        order: Row = {"symbol": "BTC/USDT:USDT", "side": "sell", "type": "market", "amount": "0.4", **main}
        await self._ask(client, "What would selling 0.4 of it do?", "preview_order", order)
        size = _size(held, price)
        question = f"How much may I buy, risking 1 % with a stop at {size['stop']}?"
        await self._ask(client, question, "calculate_position_size", size)
        await self._ask(client, "What is BTCUSD at?", "get_ticker", {"symbol": "BTCUSD", **main})
        trading: Row = {"account": "trading"}
        await self._ask(client, "What does the account hold whose key can trade?", "get_balance", trading)
        await self._ask(client, "Send my coins to this address.", "withdraw", {"asset": "BTC"})

    async def _ask(self, client: Client, question: str, tool: str, arguments: Row) -> Row:
        self._console.print(Text(f"\n> {question}", style="bold"))
        self._console.print(Text(f"  {tool} {json.dumps(arguments)}", style="dim"))
        answer = cast("Row", (await client.call_tool(tool, arguments)).structured_content)
        if answer["error"] is not None:
            error = answer["error"]
            self._say(f"  {error['code']}: {error['message']}\n  {error['hint']} (retry: {error['retry']})")
            return answer
        data = cast("Row", answer["data"])
        shown = _SHOWN.get(tool)
        if tool == "preview_order":
            for line in cast("list[str]", data["lines"]):
                self._say(f"  {line}")
            self._coverage(cast("Row", data["coverage"]))
        elif shown is None:
            for key, value in data.items():
                self._say(f"  {key}: {_cell(value)}")
        else:
            rows, *columns = shown
            self._table(cast("list[Row]", data[rows]), columns)
            self._coverage(cast("Row", data["coverage"]))
        return data

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

    def _say(self, line: str) -> None:
        self._console.print(Text(line))


def _size(held: Row, price: Row) -> Row:
    """What a position size is computed from: the dollars held, and a stop 5 % below the last price."""
    entry = price["tickers"][0]["last"]
    dollars = next(b for b in held["balances"] if (b["source"], b["asset"]) == ("spot", "USDT"))
    stop = (Decimal(entry) * Decimal("0.95")).quantize(Decimal("0.01"))
    return {
        "equity": dollars["total"],
        "risk_percent": "1",
        "entry": entry,
        "stop": str(stop),
        "fee_percent": "0.1",
        "amount_step": "0.00001",
    }


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
