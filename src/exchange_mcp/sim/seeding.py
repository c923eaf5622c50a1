"""What the accounts of a new venue hold: wallets, positions and orders, placed around the anchors.

Whatever rests is further from the anchor than a path can go, so it rests for as long as the venue runs.
"""

from dataclasses import dataclass, replace
from decimal import Decimal

from exchange_mcp.sim.accounts import Account, Position
from exchange_mcp.sim.catalogue import SPOT, USDM, Instrument
from exchange_mcp.sim.digits import floor_to
from exchange_mcp.sim.orders import (
    AlgoOrder,
    FuturesOrder,
    Orders,
    PositionSide,
    Side,
    SpotOrder,
    Status,
)
from exchange_mcp.sim.prices import PICO, anchor, draw

_HOUR_MS = 3_600_000
_PAIRS = {instrument.name: instrument for instrument in SPOT}
_CONTRACTS = {instrument.name: instrument for instrument in USDM}
_DEFAULT_LEVERAGE = 20


@dataclass(frozen=True, slots=True)
class Opening:
    """What an opening state follows from: the seed and the moment at which the venue opens."""

    seed: int
    now_ms: int

    def price(self, instrument: Instrument, share: str) -> Decimal:
        """Return a share of an instrument's anchor, on its tick."""
        level = Decimal(anchor(self.seed, instrument.base, instrument.nominal)) / PICO * Decimal(share)
        return floor_to(level, instrument.tick)

    def number(self, *parts: object) -> int:
        """Return a nine-digit id."""
        return 100_000_000 + draw(self.seed, "id", *parts) % 900_000_000

    def client_id(self, *parts: object) -> str:
        """Return a client order id as the venue makes them up itself."""
        return f"web_{draw(self.seed, 'client', *parts):016x}"

    def ago(self, hours: int) -> int:
        """Return a moment so many hours before the venue opened."""
        return self.now_ms - hours * _HOUR_MS


def names(count: int) -> tuple[str, ...]:
    """Return the names of so many accounts: main, alt, acct3, acct4 and so on."""
    if count < 1:
        raise ValueError(f"a venue has at least one account, not {count}")
    return ("main", "alt", *(f"acct{number}" for number in range(3, count + 1)))[:count]


def accounts(opening: Opening, count: int) -> dict[str, Account]:
    """Build the accounts of a new venue, by name."""
    builders = {"main": _main, "alt": _alt}
    return {
        name: replace(builders.get(name, _plain)(opening, name), settled_ms=opening.now_ms)
        for name in names(count)
    }


def _main(opening: Opening, name: str) -> Account:
    return Account(
        name=name,
        uid=opening.number("uid", name),
        opened_ms=opening.ago(9_000),
        spot={
            "BTC": Decimal("0.52173846"),
            "ETH": Decimal("4.20000000"),
            "USDT": Decimal("18250.36719042"),
            "SOL": Decimal("35.50000000"),
            "XRP": Decimal("0.00000042"),
            "BNB": Decimal("1.13070015"),
            "LUNA": Decimal("0.00912345"),
        },
        wallet={"USDT": Decimal("12500.73518264"), "USDC": Decimal("150.25000000")},
        leverage=_leverage(BTCUSDT=10, ETHUSDT=5),
        positions=(
            _position(opening, "BTCUSDT", PositionSide.BOTH, "0.250", "0.985"),
            _position(opening, "ETHUSDT", PositionSide.BOTH, "-3.500", "1.010"),
        ),
        orders=Orders(spot=_main_spot(opening), futures=_main_futures(opening), algo=_main_algo(opening)),
    )


def _main_spot(opening: Opening) -> tuple[SpotOrder, ...]:
    bitcoin, ether = _PAIRS["BTCUSDT"], _PAIRS["ETHUSDT"]
    asked = opening.price(ether, "1.2")
    return (
        SpotOrder(
            instrument=bitcoin,
            order_id=opening.number("spot", 1),
            client_order_id=opening.client_id("spot", 1),
            side=Side.BUY,
            price=opening.price(bitcoin, "0.8"),
            quantity=Decimal("0.05000"),
            created_ms=opening.ago(20),
            updated_ms=opening.ago(20),
            working_ms=opening.ago(20),
        ),
        SpotOrder(
            instrument=ether,
            order_id=opening.number("spot", 2),
            client_order_id=opening.client_id("spot", 2),
            side=Side.SELL,
            price=asked,
            quantity=Decimal("1.5000"),
            status=Status.PARTIALLY_FILLED,
            executed=Decimal("0.4000"),
            executed_quote=Decimal("0.4000") * asked,
            created_ms=opening.ago(12),
            updated_ms=opening.ago(11),
            working_ms=opening.ago(12),
        ),
    )


def _main_futures(opening: Opening) -> tuple[FuturesOrder, ...]:
    bitcoin = _CONTRACTS["BTCUSDT"]
    return (
        FuturesOrder(
            instrument=bitcoin,
            order_id=opening.number("usdm", 1),
            client_order_id=opening.client_id("usdm", 1),
            side=Side.BUY,
            position_side=PositionSide.BOTH,
            price=opening.price(bitcoin, "0.85"),
            quantity=Decimal("0.100"),
            created_ms=opening.ago(8),
            updated_ms=opening.ago(8),
        ),
    )


def _main_algo(opening: Opening) -> tuple[AlgoOrder, ...]:
    bitcoin, ether = _CONTRACTS["BTCUSDT"], _CONTRACTS["ETHUSDT"]
    return (
        AlgoOrder(
            instrument=bitcoin,
            order_id=opening.number("algo", 1),
            client_order_id=opening.client_id("algo", 1),
            kind="STOP_MARKET",
            side=Side.SELL,
            position_side=PositionSide.BOTH,
            trigger_price=opening.price(bitcoin, "0.82"),
            working_type="MARK_PRICE",
            is_reduce_only=True,
            is_close_position=True,
            created_ms=opening.ago(7),
            updated_ms=opening.ago(7),
        ),
        AlgoOrder(
            instrument=ether,
            order_id=opening.number("algo", 2),
            client_order_id=opening.client_id("algo", 2),
            kind="STOP",
            side=Side.BUY,
            position_side=PositionSide.BOTH,
            trigger_price=opening.price(ether, "1.15"),
            price=opening.price(ether, "1.16"),
            quantity=Decimal("3.500"),
            is_reduce_only=True,
            created_ms=opening.ago(6),
            updated_ms=opening.ago(6),
        ),
    )


def _alt(opening: Opening, name: str) -> Account:
    solana = _CONTRACTS["SOLUSDT"]
    return Account(
        name=name,
        uid=opening.number("uid", name),
        opened_ms=opening.ago(4_000),
        spot={"USDT": Decimal("2500.00000000"), "ETH": Decimal("0.75000000")},
        wallet={"USDT": Decimal("6000.00000000")},
        leverage=_leverage(ETHUSDT=10),
        positions=(
            _position(opening, "ETHUSDT", PositionSide.LONG, "2.000", "0.990"),
            _position(opening, "ETHUSDT", PositionSide.SHORT, "-0.800", "1.015"),
        ),
        is_hedged=True,
        orders=Orders(
            futures=(
                FuturesOrder(
                    instrument=solana,
                    order_id=opening.number("usdm", 2),
                    client_order_id=opening.client_id("usdm", 2),
                    side=Side.BUY,
                    position_side=PositionSide.LONG,
                    price=opening.price(solana, "0.9"),
                    quantity=Decimal("10.00"),
                    created_ms=opening.ago(5),
                    updated_ms=opening.ago(5),
                ),
            )
        ),
    )


def _plain(opening: Opening, name: str) -> Account:
    return Account(
        name=name,
        uid=opening.number("uid", name),
        opened_ms=opening.ago(1_000),
        spot={
            "USDT": Decimal(draw(opening.seed, name, "USDT") % 10**13).scaleb(-8),
            "BTC": Decimal(draw(opening.seed, name, "BTC") % 10**8).scaleb(-8),
        },
        wallet={"USDT": Decimal(draw(opening.seed, name, "wallet") % 10**12).scaleb(-8)},
        leverage=_leverage(),
    )


def _leverage(**chosen: int) -> dict[str, int]:
    return dict.fromkeys(_CONTRACTS, _DEFAULT_LEVERAGE) | chosen


def _position(opening: Opening, contract: str, side: PositionSide, amount: str, entry: str) -> Position:
    instrument = _CONTRACTS[contract]
    return Position(instrument, side, Decimal(amount), opening.price(instrument, entry), opening.ago(30))
