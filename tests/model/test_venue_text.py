import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange_mcp.model.coverage import Gap
from exchange_mcp.model.errors import ErrorCode
from exchange_mcp.model.venue_text import MAX_LENGTH, visible


@pytest.mark.parametrize("plain", ["", "BTC", "x-grid_42", "ордер №7", "止损单", "naïve café", "50 % — done"])
def test_ordinary_text_in_any_script_is_unchanged(plain: str) -> None:
    assert visible(plain) == plain


@pytest.mark.parametrize(
    ("hidden", "spelled"),
    [
        ("a\nb", "a\\u{a}b"),
        ("\x1b[31mred", "\\u{1b}[31mred"),
        ("abc\u202edef", "abc\\u{202e}def"),  # right-to-left override
        ("a\u200bb", "a\\u{200b}b"),  # zero-width space
        ("a\u2028b", "a\\u{2028}b"),  # line separator
        ("\U000e0041", "\\u{e0041}"),  # a tag letter, which shows nothing
        ("a\U000e0100", "a\\u{e0100}"),  # a variation selector, which shows nothing
        ("\u3164", "\\u{3164}"),  # Hangul filler, a letter that shows nothing
        ("\ud800", "\\u{d800}"),  # a lone surrogate, which UTF-8 cannot carry
    ],
)
def test_what_cannot_be_seen_is_spelled_out(hidden: str, spelled: str) -> None:
    assert visible(hidden) == spelled


@given(st.text(alphabet=st.characters(), max_size=300))
def test_no_control_format_or_surrogate_character_is_left(raw: str) -> None:
    shown = visible(raw)
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    shown.encode()


def test_long_text_is_cut_and_says_how_long_it_was() -> None:
    assert visible("x" * MAX_LENGTH) == "x" * MAX_LENGTH
    assert visible("x" * (MAX_LENGTH + 1)) == "x" * MAX_LENGTH + "… (121 characters)"
    assert visible("abcdef", limit=3) == "abc… (6 characters)"


def test_a_record_makes_venue_text_visible_by_itself() -> None:
    gap = Gap(account="a", source="spot", code=ErrorCode.VENUE_REFUSED, message="no\u202e!", retry="never")
    assert gap.message == "no\\u{202e}!"
