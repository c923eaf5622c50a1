"""A context file is read strictly: every key known and there once, amounts exact, each fault with its path."""

import copy
import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exchange_mcp.model.writes import OrderType
from exchange_mcp.policy.context_json import NotReadableError, document, read_json
from exchange_mcp.policy.explanation import Context, request_of

EXAMPLE: Final = Path(__file__).parents[2] / "config" / "policy.context.example.json"
SOUND: Final[dict[str, Any]] = json.loads(EXAMPLE.read_text(encoding="utf-8"))


LEFT_OUT: Final = object()


def changed(path: str, value: object) -> str:
    """The example with the value at a path; a number one past the end of a list adds to it."""
    parts = copy.deepcopy(SOUND)
    *outer, last = path.split(".")
    inner: Any = parts
    for name in outer:
        inner = inner[name]
    if value is LEFT_OUT:
        del inner[last]
    elif isinstance(inner, list):
        cast("list[object]", inner).insert(int(last), value)
    else:
        inner[last] = value
    return json.dumps(parts)


def test_the_example_is_read_exactly() -> None:
    context = read_json(EXAMPLE.read_text(encoding="utf-8"), Context)
    assert context.terms.order_types == {OrderType.MARKET, OrderType.LIMIT, OrderType.STOP_LIMIT}
    assert context.standing.fees is not None
    assert context.standing.fees.maker == Decimal("0.001")
    assert context.book is not None
    assert context.book.asks[1] == (Decimal("60010.00"), Decimal("0.5"))
    assert context.counters.symbol.notional_24h == {"USDT": Decimal(700)}


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("terms", LEFT_OUT, "terms is missing"),
        ("counters.desk.orders", 1, 'counters.desk has the unknown key "orders"; known: '),
        ("terms.is_trading", "yes", "terms.is_trading: expected true or false"),
        ("terms.market_type", "swap", 'terms.market_type: expected "spot" or "linear" or "inverse"'),
        ("terms.order_types.3", "iceberg", 'terms.order_types[3]: expected "market" or '),
        ("terms.amount.step", "abc", "terms.amount.step: expected an amount as text"),
        ("terms.amount.step", "NaN", "terms.amount.step: expected an amount as text"),
        ("terms.amount.step", "1e999999", "terms.amount.step: expected an amount as text"),
        ("terms.amount.step", True, "terms.amount.step: expected an amount as text"),
        ("terms.amount.step", None, "terms.amount.step: expected an amount as text"),
        ("book.bids.2", ["1"], "book.bids[2]: expected a list of 2"),
        ("book.bids", {}, "book.bids: expected a list"),
        ("book.time", -1, "book: its parts contradict one another"),
        ("now_ms", "now", "now_ms: expected a whole number"),
        ("now_ms", True, "now_ms: expected a whole number"),
        ("account", "Main", "it: the name of an account has 1 to 32 of a-z, 0-9, _ and -"),
        ("counters.desk.open_orders", -1, "counters.desk: a count is not negative"),
        ("counters.desk.notional_24h", {"USDT": "-1"}, "counters.desk: a count is not negative"),
        ("counters.desk.notional_24h", [], "counters.desk.notional_24h: expected an object"),
        (
            "prices.0",
            {"base": "EUR", "quote": "USDT", "rate": "0", "as_of_ms": 1, "source": "x"},
            "prices[0]: a price is greater than 0",
        ),
        ("standing.fees.taker", 0.001, "has the number 0.001, which is not exact"),
    ],
)
def test_a_fault_is_told_with_its_path(path: str, value: object, said: str) -> None:
    with pytest.raises(NotReadableError) as caught:
        read_json(changed(path, value), Context)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not valid JSON: line 1"),
        ("[1, 2", "is not valid JSON: line 1"),
        ('{"a": 1, "a": 2}', 'has the key "a" twice in one object'),
        ("[NaN]", "has the number NaN, which is not exact"),
        ("[Infinity]", "has the number Infinity, which is not exact"),
        ("[1e3]", "has the number 1e3, which is not exact"),
        ("[" * 100_000, "is nested too deeply"),
        ("[" + "9" * 5000 + "]", "is not valid JSON: a number is too long"),
    ],
)
def test_what_is_no_exact_json_is_refused(text: str, said: str) -> None:
    with pytest.raises(NotReadableError) as caught:
        document(text)
    assert said in str(caught.value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_other_json_is_refused_and_nothing_else_is_raised(value: Any) -> None:  # noqa: ANN401 - JSON is anything
    with pytest.raises(NotReadableError):
        read_json(json.dumps(value), Context)


def test_a_request_names_its_kind_and_is_an_order_otherwise() -> None:
    assert (
        request_of({"action": "leverage", "symbol": "BTC/USDT:USDT", "leverage": 3}).symbol == "BTC/USDT:USDT"
    )
    with pytest.raises(NotReadableError, match="action"):
        request_of({"action": "withdraw"})
    with pytest.raises(NotReadableError, match="object"):
        request_of([])
    with pytest.raises(ValueError, match="reduce_ony"):
        request_of({"symbol": "BTC/USDT", "side": "buy", "type": "market", "amount": "1", "reduce_ony": True})


def test_a_key_that_is_there_twice_among_very_many_is_found_at_once() -> None:
    members = ", ".join(f'"k{i}": 1' for i in [*range(200_000), 199_999])
    with pytest.raises(NotReadableError, match='the key "k199999" twice'):
        document("{" + members + "}")
