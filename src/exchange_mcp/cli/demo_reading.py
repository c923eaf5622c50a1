"""The first part of the demo: a server that only reads is asked what a trader asks, and limits are tried."""

import os
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final

from mcp.client import Client

from exchange_mcp.cli.transcript import Row, Transcript

# What a cautious operator might write; the order that the demo previews breaks two of its limits.
_POLICY: Final = """\
[policy]
reference = "USDT"
max_price_age_seconds = 30
accounts = ["main"]
symbols = ["BTC/USDT:USDT"]
order_types = ["limit", "market"]
max_order_notional = 5000
max_daily_notional = 20000
max_leverage = 10
max_price_distance_percent = 1
max_open_orders = 20
max_orders_per_minute = 6
max_daily_loss = 500

[[policy.forbid]]
reason = "a position is closed before the other side is opened"
effects = ["flips"]
"""
_ORDERS: Final = (
    '{"symbol": "BTC/USDT:USDT", "side": "sell", "type": "market", "amount": "0.4"}',
    '{"symbol": "BTC/USDT:USDT", "side": "sell", "type": "market", "amount": "0.04"}',
)
# How the part of an explanation begins that says what was decided; a fault of ours has only the one part.
_DECIDED: Final = ("ALLOWED", "DENIED", "This is no order", "Error")


async def ask_what_a_trader_asks(transcript: Transcript, command: Sequence[str], state: Path) -> None:
    """Launch the server by this command, ask, and end; what it keeps while it runs is below `state`."""
    # A client hands on next to nothing of its environment; this server is ours and may need all of it.
    variables = {**os.environ, "XDG_STATE_HOME": str(state)}
    async with transcript.client(command, variables, shows=lambda _: True) as client:
        await _questions(transcript, client)


def try_limits(transcript: Transcript, place: Path) -> None:
    """Try limits on two orders; `place` has the `serve.toml`."""
    (place / "policy.toml").write_text(_POLICY, encoding="utf-8")
    accounts = ["--config", "serve.toml"]
    transcript.command("Do my limits hold?", ["policy", "check", "policy.toml", *accounts], place)
    for order in _ORDERS:
        asked = ["explain", "policy.toml", "--order", order, "--account", "main", *accounts]
        transcript.command("Would they allow this order?", ["policy", *asked], place, shown=_decided)


def _decided(said: str) -> str:
    return "\n".join(part.rstrip() for part in said.split("\n\n") if part.startswith(_DECIDED))


async def _questions(transcript: Transcript, client: Client) -> None:
    ask = transcript.ask
    main: Row = {"account": "main"}
    await ask(client, "What may my key do?", "get_key_scope", main)
    held = await ask(client, "What do I hold?", "get_balance", main)
    await ask(client, "What is open, in every account?", "get_positions", {})
    await ask(client, "Which orders rest, stops included?", "get_open_orders", main)
    price = await ask(client, "What is bitcoin at?", "get_ticker", {"symbol": "BTC/USDT", **main})
    book = {"symbol": "BTC/USDT:USDT", "levels": 3, **main}
    await ask(client, "And the perpetual's book?", "get_orderbook", book)
    order: Row = {"symbol": "BTC/USDT:USDT", "side": "sell", "type": "market", "amount": "0.4", **main}
    await ask(client, "What would selling 0.4 of it do?", "preview_order", order)
    size = _size(held, price)
    question = f"How much may I buy, risking 1 % with a stop at {size['stop']}?"
    await ask(client, question, "calculate_position_size", size)
    await ask(client, "What is BTCUSD at?", "get_ticker", {"symbol": "BTCUSD", **main})
    trading: Row = {"account": "trading"}
    await ask(client, "What does the account hold whose key can trade?", "get_balance", trading)
    await ask(client, "Send my coins to this address.", "withdraw", {"asset": "BTC"})


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
