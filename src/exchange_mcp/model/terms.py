"""What has to be known to plan an order and to say what it would do: a market's terms, and an account's standing.

Figures are the venue's own; what it did not tell is None, and no rule may read None as "no limit" where the
venue has one. Amounts are in the venue's own unit: base, or contracts of `contract_size` base each.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.positions import MarginMode, PositionMode, Side
from exchange_mcp.model.writes import OrderType


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountGrid:
    """Which amounts are valid: from `least` to `most`, both included, in multiples of `step` above zero.

    Attributes:
        origin: from where the steps are counted, at a venue that counts them from elsewhere than zero
            (Binance USD-M counts from its minQty).
    """

    step: Decimal
    least: Decimal | None
    most: Decimal | None
    origin: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceGrid:
    """Which prices are valid, in quote: from `least` to `most`, both included, in multiples of `tick` from `origin`."""

    tick: Decimal
    least: Decimal | None
    most: Decimal | None
    origin: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceBand:
    """How far a limit price may be from a reference, as factors of it; one for each side of the order.

    Attributes:
        reference: what it is a factor of: the average of the last `minutes`, or the mark price.
        buy_most, sell_least: what a venue that only stops paying too much tells; the others where it has them.
    """

    reference: Literal["average", "mark", "last"]
    minutes: int | None = None
    buy_least: Decimal | None = None
    buy_most: Decimal | None = None
    sell_least: Decimal | None = None
    sell_most: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotionalGrid:
    """How much an order must and may be worth, in quote; `applies_to_market` where market orders are held to it.

    Attributes:
        most_applies_to_market: the same for the maximum alone, where the venue tells the two apart.
        reduce_only_is_exempt: whether the minimum does not hold for a reduce-only order.
        reference: at which price a market order is valued; None is the band's, else the mark, else the last price.
    """

    least: Decimal | None
    most: Decimal | None
    applies_to_market: bool = True
    most_applies_to_market: bool | None = None
    reduce_only_is_exempt: bool = False
    reference: Literal["average", "mark", "last"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketTerms:
    """One market, as its venue lists it, and everything that an order there is held to.

    Attributes:
        contract_size: base a contract, or quote a contract where the market is inverse; None where amounts are in base.
        is_trading: False where it is halted, delisted, or only closes positions.
        order_types: those that the venue takes here.
        takes_cost: whether a market buy may say its cost in quote, exactly.
        market_amount: the grid that market orders are held to besides `amount`, where there is one.
        max_orders, max_conditional_orders: open at once, for one account.
        max_leverage: a whole number; None on spot.
        cost_step: what a cost is a multiple of; None takes the tick, to which ccxt cuts a cost.
        max_position: spot: how much base an account may hold, buy orders included; None where there is no such rule.
    """

    venue: str
    symbol: str
    market_id: str
    market_type: MarketType
    base: str
    quote: str
    settle: str | None
    contract_size: Decimal | None
    is_trading: bool
    order_types: frozenset[OrderType]
    takes_cost: bool
    amount: AmountGrid
    market_amount: AmountGrid | None
    price: PriceGrid
    notional: NotionalGrid | None
    band: PriceBand | None
    max_orders: int | None
    max_conditional_orders: int | None
    max_leverage: int | None
    cost_step: Decimal | None = None
    max_position: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Prices that an order is compared with, in quote, each None where the venue did not tell it."""

    last: Decimal | None
    mark: Decimal | None
    average: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fees:
    """What a fill costs, as a fraction of its notional (0.001 is ten basis points), and where that was read.

    Attributes:
        source: such as "the account's own rate" or "the venue's listed rate"; shown beside the estimate.
        asset: in which it is paid, where that is known: quote on futures, the received asset on spot.
    """

    maker: Decimal
    taker: Decimal
    source: str
    asset: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket:
    """Maintenance margin of positions worth from `floor` up to `cap` (quote): rate times notional less `deduction`."""

    floor: Decimal
    cap: Decimal
    rate: Decimal
    deduction: Decimal
    max_leverage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One open position in a market.

    Attributes:
        amount: in the venue's own unit, without sign.
    """

    side: Side
    amount: Decimal
    entry_price: Decimal | None
    isolated_margin: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resting:
    """One order that rests in a market, as far as a preview needs it; amount in the venue's own unit, unfilled part.

    Attributes:
        is_conditional: the venue keeps it apart and it waits for a trigger.
    """

    order_id: str
    client_order_id: str | None
    side: Literal["buy", "sell"]
    type: OrderType | None
    amount: Decimal | None
    price: Decimal | None
    trigger_price: Decimal | None
    is_reduce_only: bool
    closes_position: bool
    is_conditional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where one account stands in one market. None is "not told", never zero.

    Attributes:
        position_mode: None on spot.
        held: one row, or one a side in hedge mode; empty is flat, None is not told.
        free_base, free_quote: spot: what can be spent of each asset. Futures: `free_quote` is the available margin
            in the settlement asset, `free_base` is None.
        equity: what the account is worth in the market's quote (spot: where every asset can be valued; futures: margin
            balance in the settlement asset), the whole that "per cent of the account" speaks of.
        wallet_balance: futures: the balance that cross positions stand on, without unrealised profit, in the settlement
            asset (Binance: crossWalletBalance).
        leverage, margin_mode: of this market, as set.
        maintenance_others: maintenance margin of the account's other positions, which cross margin stands for.
        unrealised_others: unrealised profit of the account's other positions, in the settlement asset.
        resting: orders of this market, conditional ones included; empty is none, None is not told.
        locked_base: spot: what resting orders hold back of the base asset.
        as_of_ms: the oldest of the readings, UTC milliseconds.
    """

    position_mode: PositionMode | None
    held: tuple[Held, ...] | None
    free_base: Decimal | None
    free_quote: Decimal | None
    equity: Decimal | None
    wallet_balance: Decimal | None
    leverage: int | None
    margin_mode: MarginMode | None
    fees: Fees | None
    brackets: tuple[Bracket, ...]
    maintenance_others: Decimal | None
    unrealised_others: Decimal | None
    resting: tuple[Resting, ...] | None
    as_of_ms: int
    locked_base: Decimal | None = None
