"""The limits that a new desk starts with: small where nobody says otherwise, and each explained where it stands."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from exchange_mcp.cli.asking import Asker, Judge
from exchange_mcp.config.toml_text import listed, quoted
from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import CONTEXT, INPUT_PATTERN, multiply, text
from exchange_mcp.policy.reach import type_of
from exchange_mcp.policy.tables import SYMBOL

_NUMBER: Final = re.compile(INPUT_PATTERN)
_ASSET: Final = re.compile(r"[A-Z0-9]{1,20}")
# What is worth about as much as a unit of money; of any other asset nobody can say what is little.
_MONEY: Final = frozenset({"USDT", "USDC", "USD", "EUR", "FDUSD", "TUSD", "DAI", "GBP"})
_MOST_LEVERAGE: Final = 1000
_DAYS_WORTH: Final = Decimal(5)
_LOSS_SHARE: Final = Decimal("0.5")
_TYPED_SHARE: Final = Decimal("0.5")

WHY: Final = {
    "reference": "the asset in which the amounts below are stated",
    "accounts": "the accounts that may trade; [] stops every one",
    "symbols": "the only markets that may be traded: BTC/USDT is spot, BTC/USDT:USDT its linear perpetual",
    "order_types": "the only types of orders that may be placed",
    "max_order_notional": "the most that one order may be worth, at its worst price",
    "max_daily_notional": "the most that all orders of any 24 hours may be worth together; unknown ones count",
    "max_price_distance_percent": "how far an order's worst price may be from the market, in per cent",
    "max_open_orders": "how many orders may rest at once",
    "max_orders_per_minute": "how many orders may be placed in a minute",
    "max_price_age_seconds": "how old a price may be that an order is judged by",
    "approvals": "how many approvers an order takes",
    "max_leverage": "the highest leverage at which a derivative may be traded, or that may be set",
    "max_daily_loss": "once this much was lost on derivatives in 24 hours, positions can only be reduced",
    "leverage_change_with_position": "whether leverage may be changed while a position is open, which moves its "
    "liquidation price",
    "type_above": "from this worth on, a person types the amount before approving on the page; 0: always",
}
"""What each limit means, in one line."""


@dataclass(frozen=True, slots=True)
class ToldLimits:
    """What the command line says of them beforehand; None is asked for."""

    symbols: str | None = None
    reference: str | None = None
    max_order: str | None = None
    max_day: str | None = None
    max_leverage: str | None = None
    max_loss: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLimits:
    """The limits that a new desk starts with; leverage and loss where derivatives are traded."""

    accounts: tuple[str, ...]
    symbols: tuple[str, ...]
    reference: str
    max_order: Decimal
    max_day: Decimal
    max_leverage: int | None = None
    max_loss: Decimal | None = None
    max_open: int = 5
    max_a_minute: int = 3

    def table(self) -> str:
        """The table `[policy]` as TOML, every limit with what it means."""
        return "\n".join(["[policy]", *(_line(name, value) for name, value in self._values()), ""])

    def type_above(self) -> str:
        """The line of the table `[console]`: half of what one order may be worth."""
        return _line("type_above", _part(self.max_order, _TYPED_SHARE))

    def _values(self) -> Iterator[tuple[str, str]]:
        yield "reference", quoted(self.reference)
        yield "accounts", listed(self.accounts)
        yield "symbols", listed(self.symbols)
        yield "order_types", listed(("limit", "market"))
        yield "max_order_notional", text(self.max_order)
        yield "max_daily_notional", text(self.max_day)
        yield "max_price_distance_percent", "1"
        yield "max_open_orders", str(self.max_open)
        yield "max_orders_per_minute", str(self.max_a_minute)
        yield "max_price_age_seconds", "30"
        yield "approvals", "1"
        if self.max_leverage is not None and self.max_loss is not None:
            yield "max_leverage", str(self.max_leverage)
            yield "max_daily_loss", text(self.max_loss)
            yield "leverage_change_with_position", "false"


def _line(name: str, value: str) -> str:
    why = WHY[name]
    return f"# {why[0].upper()}{why[1:]}.\n{name} = {value}"


def ask_limits(
    asker: Asker, told: ToldLimits, accounts: Sequence[str], market_types: Collection[MarketType]
) -> FirstLimits:
    """Ask for the limits of these accounts, whose markets are of these types."""
    asker.explain(
        "\nThe limits. What no limit allows is refused; each can be changed later, by an approver's signature."
    )
    usual = "BTC/USDT" if MarketType.SPOT in market_types else "BTC/USDT:USDT"
    symbols = _words(
        _ask(asker, "symbols", "--symbols", "Markets", usual, told.symbols, _judge_symbols(market_types))
    )
    reference = _ask(
        asker,
        "reference",
        "--reference",
        "Amounts are in",
        _quote(symbols[0]),
        told.reference,
        lambda answer: None if _ASSET.fullmatch(answer) else "name an asset in capitals, such as USDT",
    )
    little = reference in _MONEY
    max_order = Decimal(
        _ask(
            asker,
            "max_order_notional",
            "--max-order",
            f"At most an order, in {reference}",
            "100" if little else None,
            told.max_order,
            _judge_amount(),
        )
    )
    max_day = Decimal(
        _ask(
            asker,
            "max_daily_notional",
            "--max-day",
            f"At most in 24 hours, in {reference}",
            text(multiply(max_order, _DAYS_WORTH)),
            told.max_day,
            _judge_amount(least=max_order),
        )
    )
    limits = FirstLimits(
        accounts=tuple(accounts), symbols=symbols, reference=reference, max_order=max_order, max_day=max_day
    )
    if all(type_of(symbol) is MarketType.SPOT for symbol in symbols):
        return limits
    return _with_derivatives(asker, told, limits)


def _with_derivatives(asker: Asker, told: ToldLimits, limits: FirstLimits) -> FirstLimits:
    leverage = _ask(
        asker, "max_leverage", "--max-leverage", "Leverage at most", "1", told.max_leverage, _judge_leverage
    )
    loss = _ask(
        asker,
        "max_daily_loss",
        "--max-loss",
        f"Loss at most, in {limits.reference}",
        _part(limits.max_order, _LOSS_SHARE),
        told.max_loss,
        _judge_amount(),
    )
    return FirstLimits(
        accounts=limits.accounts,
        symbols=limits.symbols,
        reference=limits.reference,
        max_order=limits.max_order,
        max_day=limits.max_day,
        max_leverage=int(leverage),
        max_loss=Decimal(loss),
    )


def _ask(  # noqa: PLR0913, PLR0917 - what a question is made of
    asker: Asker, limit: str, option: str, question: str, default: str | None, given: str | None, judge: Judge
) -> str:
    if given is None:
        why = WHY[limit]
        asker.explain(f"  {why[0].upper()}{why[1:]}.")
    return asker.ask(option, question, default=default, given=given, judge=judge)


def _judge_symbols(market_types: Collection[MarketType]) -> Judge:
    def judge(answer: str) -> str | None:
        symbols = _words(answer)
        if not symbols:
            return "name at least one, such as BTC/USDT"
        for symbol in symbols:
            if not SYMBOL.fullmatch(symbol):
                return (
                    "a market is written in capitals, as BTC/USDT (spot) or BTC/USDT:USDT (linear perpetual)"
                )
            if type_of(symbol) not in market_types:
                return f"{symbol} is a market of type {type_of(symbol)}, and no account has those"
        return "names a market twice" if len(set(symbols)) < len(symbols) else None

    return judge


def _judge_amount(least: Decimal | None = None) -> Judge:
    def judge(answer: str) -> str | None:
        if not _NUMBER.fullmatch(answer) or not Decimal(answer):
            return "give an amount greater than 0, such as 100 or 0.5"
        if least is not None and Decimal(answer) < least:
            return f"that is less than one order may be worth, {text(least)}"
        return None

    return judge


def _judge_leverage(answer: str) -> str | None:
    is_whole = answer.isascii() and answer.isdecimal() and len(answer) <= len(str(_MOST_LEVERAGE))
    fits = is_whole and 1 <= int(answer) <= _MOST_LEVERAGE
    return None if fits else f"give a whole number from 1 to {_MOST_LEVERAGE}; 1 is none"


def _part(whole: Decimal, share: Decimal) -> str:
    return text(multiply(whole, share).normalize(CONTEXT))


def _words(answer: str) -> tuple[str, ...]:
    return tuple(word for word in answer.replace(",", " ").split() if word)


def _quote(symbol: str) -> str:
    return symbol.partition("/")[2].partition(":")[0]
