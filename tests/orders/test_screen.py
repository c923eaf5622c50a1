"""The two renderings of a preview: JSON, and lines in a fixed order and one alphabet."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.model.terms import Fees, MarketTerms, Standing
from exchange_mcp.model.writes import OrderType
from exchange_mcp.orders.change_previews import preview_cancel, preview_leverage
from exchange_mcp.orders.changing import plan_cancel, plan_leverage
from exchange_mcp.orders.preview import CancelPreview, OrderPreview, Preview
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest
from exchange_mcp.orders.screen import lines
from exchange_mcp.orders.wording import ALPHABET, plain

from .made import (
    FLAT,
    INVERSE,
    LINEAR,
    REFERENCE,
    SMALL_CONTRACTS,
    SPOT,
    SPOT_STANDING,
    D,
    asked,
    holding,
    long,
    made_book,
    previewed,
    resting,
    stop,
)

WRITABLE = ALPHABET | {"<", ">"}
SILENT = Standing(
    position_mode=None,
    held=None,
    free_base=None,
    free_quote=None,
    equity=None,
    wallet_balance=None,
    leverage=None,
    margin_mode=None,
    fees=None,
    brackets=(),
    maintenance_others=None,
    unrealised_others=None,
    resting=None,
    as_of_ms=0,
)
MARKETS: list[tuple[MarketTerms, Standing]] = [
    (SPOT, SPOT_STANDING),
    (SPOT, SILENT),
    (LINEAR, holding(long("0.5"), resting=(resting(), stop()))),
    (LINEAR, holding(long("0.5"), position_mode="hedge")),
    (LINEAR, SILENT),
    (SMALL_CONTRACTS, holding(long("200"))),
    (INVERSE, FLAT),
    (INVERSE, SILENT),
]


def orders(terms: MarketTerms) -> Iterator[dict[str, Any]]:
    size = {"cost": "500"} if terms is INVERSE else {"amount": "0.1"}
    yield {"type": "market", **size}
    yield {"type": "limit", "price": "100010", **size}
    yield {"type": "limit", "price": "99000", "post_only": True, **size}
    yield {"type": "stop_limit", "side": "sell", "price": "98000", "trigger_price": "99000", **size}
    if terms is SPOT:
        yield {"type": "market", "cost": "1000"}


def previews() -> Iterator[Preview]:
    for terms, standing in MARKETS:
        unit = "contracts" if terms is INVERSE else "base"
        for book in (made_book((("99990", "100"),), (("100010", "100"),), unit=unit), None):
            for request in orders(terms):
                yield previewed(asked(**request), terms, standing, book=book)
        for order_id in ("77", "5"):
            plan = plan_cancel(CancelRequest(symbol="x", order_id=order_id), terms, standing)
            yield preview_cancel(plan, terms, standing)
        if terms is not SPOT:
            change = plan_leverage(LeverageRequest(symbol="x", leverage=5), terms, standing)
            yield preview_leverage(change, terms, REFERENCE, standing)


EVERY = list(previews())
# None where an order of this kind has no such part.
PARTS = {
    "cost",
    "price",
    "trigger_price",
    "time_in_force",
    "order_id",
    "client_order_id",
    "refused",
    "settle",
}


def test_there_are_previews_of_every_kind() -> None:
    assert len(EVERY) > 60
    assert {preview.action for preview in EVERY} == {"place", "cancel", "leverage"}


def test_every_figure_that_is_none_has_exactly_one_reason_and_no_other_has_any() -> None:
    for preview in EVERY:
        named = [name for unknown in preview.unknown for name in unknown.figures]
        absent = [name for name, value in preview if value is None and name not in PARTS]
        assert sorted(named) == sorted(absent)
        assert all(unknown.why for unknown in preview.unknown)
        assert len({unknown.why for unknown in preview.unknown}) == len(preview.unknown)


def test_a_preview_comes_back_from_its_json_with_every_digit() -> None:
    for preview in EVERY:
        text = json.loads(preview.model_dump_json())
        assert not [value for value in text.values() if isinstance(value, float)]
        assert preview.canonical() == preview.model_copy().canonical()


def test_two_previews_that_differ_in_one_figure_have_two_digests() -> None:
    one = previewed(asked(type="market", amount="0.1"))
    other = previewed(asked(type="market", amount="0.101"))
    assert len({one.digest(), other.digest(), one.model_copy(update={"fee": D(0)}).digest()}) == 3
    assert one.digest() == previewed(asked(type="market", amount="0.1")).digest()


def test_every_line_is_one_line_in_one_alphabet() -> None:
    for preview in EVERY:
        for line in lines(preview):
            assert WRITABLE.issuperset(line)


def labels(preview: Preview) -> list[str]:
    return [line[:14].rstrip() for line in lines(preview)]


ORDER_LINES = [
    "order",
    "market",
    "assets",
    "amount",
    "price",
    "conduct",
    "our id",
    "worth",
    "worth at most",
    "expected price",
    "book",
    "fee",
    "effect",
]
SENTENCES = ["stays", "warning", "not checked", "not known", "not written"]


def test_the_lines_come_in_one_order_whatever_is_known() -> None:
    for preview in EVERY:
        found = labels(preview)
        if isinstance(preview, OrderPreview):
            assert found[:13] == ORDER_LINES
        after = [label for label in found if label in SENTENCES]
        assert after == sorted(after, key=SENTENCES.index)
        assert found[-len(after) :] == after or not after


BIDI = "BTC/U\u202eTDSU"
LOOK_ALIKE = "\u0412TC/USDT"  # a Cyrillic first letter


@pytest.mark.parametrize(
    "name", [BIDI, LOOK_ALIKE, "a\nmarket buy", "<U+202E>", "\u5e01\u5b89/USDT", "x" * 500, "\x1b[2J"]
)
def test_a_name_that_is_not_what_it_seems_is_spelled_out_wherever_it_stands(name: str) -> None:
    terms = replace(LINEAR, symbol=name, market_id=name, base=name, quote=name, settle=name, venue=name)
    fees = Fees(maker=D(0), taker=D("0.0005"), source=name, asset=name)
    order = resting(order_id=name, client_order_id=name, type=OrderType.LIMIT)
    standing = holding(long("0.5"), fees=fees, resting=(order,))
    shown = [
        *lines(previewed(asked(type="market", side="sell", amount="0.5"), terms, standing)),
        *lines(
            preview_cancel(
                plan_cancel(CancelRequest(symbol="x", order_id="5"), terms, standing), terms, standing
            )
        ),
        *lines(
            preview_leverage(
                plan_leverage(LeverageRequest(symbol="x", leverage=5), terms, standing),
                terms,
                REFERENCE,
                standing,
            )
        ),
    ]
    assert all(WRITABLE.issuperset(line) for line in shown)
    assert all(name not in line for line in shown)


@given(st.text(max_size=80), st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_two_names_never_look_the_same(one: str, other: str) -> None:
    assert WRITABLE.issuperset(plain(one))
    assert (plain(one) == plain(other)) is (one == other)


def test_a_preview_that_was_made_elsewhere_cannot_smuggle_a_character_in() -> None:
    honest = previewed(asked(type="market", amount="0.1"))
    forged = honest.model_copy(update={"warnings": ("all is well\u202e",)})
    with pytest.raises(ValueError, match="a character that the screen does not show"):
        lines(forged)


def test_the_client_order_id_and_the_ids_of_a_cancel_are_shown() -> None:
    assert any("desk-1" in line for line in lines(previewed(asked(type="market", amount="0.1"))))
    standing = holding(long("0.5"), resting=(stop(client_order_id="mine"),))
    preview = preview_cancel(
        plan_cancel(CancelRequest(symbol="x", client_order_id="mine"), LINEAR, standing), LINEAR, standing
    )
    assert isinstance(preview, CancelPreview)
    assert lines(preview)[0] == "cancel         our id mine"
