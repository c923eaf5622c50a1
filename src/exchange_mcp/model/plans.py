"""The wire plan: exactly what would be sent, and what that means in the trade's terms. Canonical text and digest.

A plan is what is shown, approved, journaled and compared at the socket, so its text is the same wherever it is
written: JSON with sorted keys, no spaces, decimals as plain text.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal

from exchange_mcp.model.accounts import AccountName, Environment, MarketType
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.decimals import text
from exchange_mcp.model.outcomes import Action
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, SetLeverage, WriteRequest

Value = str | int | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMarket:
    """The market that a plan trades, as its venue lists it.

    Attributes:
        contract_size: base a contract, or quote a contract where the market is inverse; None where amounts are in base.
        settle: the asset of profit and margin; None on spot.
    """

    symbol: str
    market_id: str
    market_type: MarketType
    base: str
    quote: str
    settle: str | None = None
    contract_size: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WireRequest:
    """A request as ccxt hands it over for signing: without timestamp, window and signature.

    Attributes:
        verb: HTTP method. api: ccxt's section. path: its template.
        parameters: every field, as it goes out.
    """

    verb: str
    api: str
    path: str
    parameters: Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class WirePlan:
    """One write, planned.

    Attributes:
        account_id: the venue's own id of the account, None where it does not tell one.
        key_id: a hash of the API key.
        window_ms: how long after its timestamp the venue takes the request; 0 where it promises nothing.
    """

    venue: str
    account: AccountName
    account_id: str | None
    key_id: str
    environment: Environment
    market: PlannedMarket
    write: WriteRequest
    request: WireRequest
    window_ms: int

    @property
    def action(self) -> Action:
        """What kind of write it is."""
        match self.write:
            case PlaceOrder():
                return "place"
            case CancelOrder():
                return "cancel"
            case SetLeverage():
                return "leverage"

    @property
    def client_order_id(self) -> str | None:
        """Ours, where the write has one."""
        return None if isinstance(self.write, SetLeverage) else self.write.client_order_id

    @property
    def underlying(self) -> str:
        """What it is about, whichever market it trades: the base asset."""
        return self.market.base

    def canonical(self) -> str:
        """The plan's one text."""
        return canonical_json({"action": self.action, **asdict(self)})

    def digest(self) -> str:
        """SHA-256 of the canonical text, in hex."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()

    def fingerprint(self) -> str:
        """What makes two proposals the same; a hash in hex. The client order id is not part of it."""
        write = self.write
        parts: dict[str, object] = {
            "action": self.action,
            "account": self.account,
            "market": self.market.market_id,
        }
        match write:
            case PlaceOrder():
                parts |= {
                    "side": write.side,
                    "type": write.type.value,
                    "amount": _value(write.amount),
                    "cost": _value(write.cost),
                    "price": _value(write.price),
                    "trigger_price": _value(write.trigger_price),
                    "reduce_only": write.is_reduce_only,
                    "post_only": write.is_post_only,
                    "time_in_force": write.time_in_force or ("GTC" if write.type.has_price else None),
                }
            case CancelOrder():
                parts |= {"order": write.order_id or write.client_order_id}
            case SetLeverage():
                parts |= {"leverage": write.leverage}
        return hashlib.sha256(canonical_json(parts).encode()).hexdigest()


def _value(number: Decimal | None) -> str | None:
    """The number without trailing zeros: 1.0 and 1.00 are the same amount."""
    if number is None:
        return None
    written = text(number)
    return written.rstrip("0").rstrip(".") if "." in written else written
