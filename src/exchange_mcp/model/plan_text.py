"""From a plan's canonical text back to the plan: what the journal holds is what is sent, looked for and signed."""

import json
from collections.abc import Mapping
from typing import Any

from exchange_mcp.model.accounts import AccountName, Environment, MarketType
from exchange_mcp.model.decimals import from_wire
from exchange_mcp.model.plans import PlannedMarket, WirePlan, WireRequest
from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder, SetLeverage, WriteRequest


def read_plan(text: str) -> WirePlan:
    """The plan that this text is the canonical text of.

    Raises:
        ValueError: it is no plan's canonical text; a field more, less or other, or another way of writing it.
    """
    try:
        fields = json.loads(text)
        _check_kinds(fields)
        plan = WirePlan(
            venue=fields["venue"],
            account=AccountName(fields["account"]),
            account_id=fields["account_id"],
            key_id=fields["key_id"],
            environment=Environment(fields["environment"]),
            market=_market(fields["market"]),
            write=_write(fields["action"], fields["write"]),
            request=WireRequest(**fields["request"]),
            window_ms=fields["window_ms"],
        )
        is_own = plan.canonical() == text
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"not the text of a plan: {type(error).__name__}") from None
    if not is_own:
        raise ValueError("not the text of a plan: it is written in another way than a plan is")
    return plan


def _check_kinds(fields: Mapping[str, Any]) -> None:
    """A dataclass takes any kind of value, and the text of a wrong one would read the same."""
    flat = {**fields, **fields["market"], **fields["write"], **fields["request"]}
    nested = {"market", "write", "request", "parameters"}
    for name, value in flat.items():
        expected: type = int if name in {"window_ms", "leverage"} else str
        expected = bool if name.startswith("is_") else expected
        if name not in nested and value is not None and type(value) is not expected:
            raise ValueError(name)
    if not all(type(value) in {str, int, bool} for value in fields["request"]["parameters"].values()):
        raise ValueError("parameters")


def _market(fields: Mapping[str, Any]) -> PlannedMarket:
    values: dict[str, Any] = dict(fields)
    values |= {
        "market_type": MarketType(fields["market_type"]),
        "contract_size": from_wire(fields["contract_size"]),
    }
    return PlannedMarket(**values)


def _write(action: str, fields: Mapping[str, Any]) -> WriteRequest:
    match action:
        case "place":
            values: dict[str, Any] = dict(fields)
            values |= {name: from_wire(fields[name]) for name in ("amount", "cost", "price", "trigger_price")}
            values["type"] = OrderType(fields["type"])
            return PlaceOrder(**values)
        case "cancel":
            return CancelOrder(**fields)
        case "leverage":
            return SetLeverage(**fields)
        case _:
            raise ValueError("an action that no plan has")
