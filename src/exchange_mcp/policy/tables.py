"""What may stand under `[policy]`, table by table. What a table means beside the others is judged in `contradictions`.

Each field's description says what is expected there; it completes the sentence "expected ...". Amounts are in the
policy's reference currency. A number with a point is exact where the file is read with `parse_float=Decimal`.
"""

import re
from collections import Counter
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from exchange_mcp.config.schema import ACCOUNT_NAME, Table
from exchange_mcp.config.sentences import OWN_SENTENCE
from exchange_mcp.model.decimals import INPUT_PATTERN, text
from exchange_mcp.model.outcomes import Action
from exchange_mcp.model.positions import EffectClass
from exchange_mcp.model.writes import OrderType

# Capitals and digits of ASCII: what looks like another letter cannot name another market.
_ASSET: Final = "[A-Z0-9]{1,20}"
SYMBOL: Final = re.compile(rf"{_ASSET}/{_ASSET}(:{_ASSET}(-[0-9]{{6}})?)?")
_NUMBER: Final = re.compile(INPUT_PATTERN)
# Python refuses to write out the largest integers, and nobody the decimals with the largest exponents.
_MOST_BITS: Final = 63
_MOST_DIGITS: Final = 36
MOST_LISTED: Final = 200
"""How many entries a list, and how many entries `[[policy.forbid]]`, may have: each is compared with all others."""


def _wrong() -> PydanticCustomError:
    """Not of the field's form; the field's own description says what is."""
    return PydanticCustomError("form", "not of the form that is expected")


def _exact(value: object) -> Decimal:
    """A whole number, text, or a decimal that was never a float, as a decimal greater than 0."""
    if isinstance(value, bool):
        raise _wrong()
    if isinstance(value, float):
        raise PydanticCustomError(OWN_SENTENCE, 'is not exact; write it as text, such as "0.5"')
    if isinstance(value, int) and value.bit_length() <= _MOST_BITS:
        value = str(value)
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= _MOST_DIGITS:
        value = text(value)
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        raise _wrong()
    number = Decimal(value)
    if number == 0:
        raise PydanticCustomError(
            OWN_SENTENCE, "is 0, which allows nothing; to allow nothing, list no symbols"
        )
    return number


def _symbol(value: object) -> str:
    if isinstance(value, str) and SYMBOL.fullmatch(value):
        return value
    raise _wrong()


def _account(value: object) -> str:
    if isinstance(value, str) and ACCOUNT_NAME.fullmatch(value):
        return value
    raise _wrong()


def _each_once(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(values) > MOST_LISTED:
        raise PydanticCustomError(
            OWN_SENTENCE,
            "lists {count}; at most {most} are taken",
            {"count": len(values), "most": MOST_LISTED},
        )
    twice = sorted(str(each) for each, times in Counter(values).items() if times > 1)
    if twice:
        raise PydanticCustomError(OWN_SENTENCE, "names {twice} twice", {"twice": ", ".join(twice)})
    return values


def _some(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if not values:
        raise PydanticCustomError(
            OWN_SENTENCE, "is empty, so the entry can never match; leave it out to mean any"
        )
    return _each_once(values)


_Exact = Annotated[Decimal, BeforeValidator(_exact)]
_Symbol = Annotated[str, BeforeValidator(_symbol)]
_Account = Annotated[str, BeforeValidator(_account)]
_Type = Annotated[OrderType, Field(strict=False)]  # TOML has no enumerations: the text is taken

_Lax = Field(strict=False)  # nor tuples: a list is taken
_Symbols = Annotated[tuple[_Symbol, ...], _Lax, AfterValidator(_each_once)]
_Types = Annotated[tuple[_Type, ...], _Lax, AfterValidator(_each_once)]
_Accounts = Annotated[tuple[_Account, ...], _Lax, AfterValidator(_each_once)]
_Some = AfterValidator(_some)

_AMOUNT: Final = 'an amount of the reference currency greater than 0, such as 500 or "0.5"'
_SYMBOLS: Final = (
    'a list of unified symbols in capitals, such as "BTC/USDT" (spot) or "BTC/USDT:USDT" (linear perpetual)'
)
_TYPES: Final = "a list of " + ", ".join(f'"{each}"' for each in OrderType)
_ACCOUNTS: Final = "a list of names of accounts"
_EFFECTS: Final = 'a list of "opens", "adds", "reduces", "closes", "flips"'


class Limits(Table):
    """What every scope can state: `[policy]`, `[policy.account.NAME]` and `[policy.symbol."SYMBOL"]`.

    Every scope that covers an order and states a limit must allow the order, and one scope at least must state it:
    what nobody states allows nothing. `approvals` is 1 where nobody states it.

    Attributes:
        order_types: that may be placed; an empty list allows none.
        max_order_notional: what one order may be worth at worst.
        max_daily_notional: what all orders of the last 24 hours may be worth at worst, this one included.
        max_leverage: of the market, when an order is placed there and when it is changed. Derivatives only.
        max_price_distance_percent: how far the worst price may be from mid, either way, in per cent of mid.
        max_open_orders: how many may rest at once, this one included.
        max_orders_per_minute: how many may be placed in 60 seconds, this one included.
        max_daily_loss: once the realised losses of the last 24 hours reach it, only what the venue enforces as
            reduce-only remains. Derivatives only.
        leverage_change_with_position: whether leverage may be changed while a position is open in the market.
        approvals: how many approvers it takes; the most that a scope asks for counts.
    """

    order_types: Annotated[_Types | None, Field(description=_TYPES)] = None
    max_order_notional: Annotated[_Exact | None, Field(description=_AMOUNT)] = None
    max_daily_notional: Annotated[_Exact | None, Field(description=_AMOUNT)] = None
    max_leverage: Annotated[int | None, Field(ge=1, le=1000, description="a whole number from 1 to 1000")] = (
        None
    )
    max_price_distance_percent: Annotated[
        _Exact | None, Field(lt=100, description='per cent greater than 0 and less than 100, such as "0.5"')
    ] = None
    max_open_orders: Annotated[
        int | None, Field(ge=1, le=10_000, description="a whole number from 1 to 10000")
    ] = None
    max_orders_per_minute: Annotated[
        int | None, Field(ge=1, le=10_000, description="a whole number from 1 to 10000")
    ] = None
    max_daily_loss: Annotated[_Exact | None, Field(description=_AMOUNT)] = None
    leverage_change_with_position: Annotated[bool | None, Field(description="true or false")] = None
    approvals: Annotated[int | None, Field(ge=1, le=9, description="a whole number from 1 to 9")] = None


class SymbolLimits(Limits):
    """`[policy.symbol."SYMBOL"]`: one market, on every account."""


class AccountLimits(Limits):
    """`[policy.account.NAME]`: one account. `symbols` that may be traded on it; an empty list allows none."""

    symbols: Annotated[_Symbols | None, Field(description=_SYMBOLS)] = None


class DeskLimits(AccountLimits):
    """What stands in `[policy]` itself: everything, on all accounts together.

    Attributes:
        reference: the asset in which amounts are stated, such as USDT.
        max_price_age_seconds: how old a price may be: mid, and what converts another quote into the reference.
        accounts: that may trade at all; an empty list allows none.
    """

    reference: Annotated[
        str, Field(pattern=rf"^{_ASSET}$", description='an asset in capitals, such as "USDT"')
    ]
    max_price_age_seconds: Annotated[
        int, Field(ge=1, le=3600, description="a whole number of seconds from 1 to 3600")
    ] = 30
    accounts: Annotated[_Accounts | None, Field(description=_ACCOUNTS)] = None


class Forbid(Table):
    """`[[policy.forbid]]`: what is refused whatever permits it. All that an entry names must be so for it to match.

    A flip closes and opens, and a close reduces: who forbids `opens` forbids flips, who forbids `reduces` closes.

    Attributes:
        reason: shown where it decides.
        actions: "place", "cancel", "leverage"; any where it is left out, as for every other condition.
        when_position_open: only while a position is open in the (derivative) market.
        when_protective: only the cancel of an order that protects: a reduce-only stop.
    """

    reason: Annotated[
        str, Field(min_length=1, max_length=200, description="the reason, in 1 to 200 characters")
    ]
    actions: Annotated[
        Annotated[tuple[Action, ...], _Lax, _Some] | None,
        Field(description='a list of "place", "cancel", "leverage"'),
    ] = None
    accounts: Annotated[Annotated[tuple[_Account, ...], _Lax, _Some] | None, Field(description=_ACCOUNTS)] = (
        None
    )
    symbols: Annotated[Annotated[tuple[_Symbol, ...], _Lax, _Some] | None, Field(description=_SYMBOLS)] = None
    sides: Annotated[
        Annotated[tuple[Literal["buy", "sell"], ...], _Lax, _Some] | None,
        Field(description='a list of "buy", "sell"'),
    ] = None
    order_types: Annotated[Annotated[tuple[_Type, ...], _Lax, _Some] | None, Field(description=_TYPES)] = None
    effects: Annotated[
        Annotated[tuple[EffectClass, ...], _Lax, _Some] | None, Field(description=_EFFECTS)
    ] = None
    when_position_open: Annotated[
        Literal[True] | None, Field(description="true, or leave it out to mean either")
    ] = None
    when_protective: Annotated[
        Literal[True] | None, Field(description="true, or leave it out to mean either")
    ] = None


class PolicyTable(DeskLimits):
    """All of `[policy]`. Its inner tables are validated one by one, so that one's fault does not hide another's."""

    account: Annotated[
        dict[str, object], Field(description="tables [policy.account.NAME], one an account")
    ] = Field(default_factory=dict)
    symbol: Annotated[
        dict[str, object], Field(description='tables [policy.symbol."SYMBOL"], one a symbol')
    ] = Field(default_factory=dict)
    forbid: Annotated[
        tuple[object, ...],
        Field(
            strict=False,
            max_length=MOST_LISTED,
            description=f"tables [[policy.forbid]], one an entry, at most {MOST_LISTED}",
        ),
    ] = ()
