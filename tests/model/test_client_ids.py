"""Client order ids: from entropy, within every venue's limits, and told apart from everyone else's."""

import re
from hashlib import shake_256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.model.client_ids import (
    ALPHABET,
    LONG,
    SHORT,
    DeskTag,
    desk_tag,
    new_client_order_id,
    new_desk_tag,
    tag_of,
)
from exchange_mcp.rules.client_ids import ORDER_IDS, OrderIds

# What ccxt sends in Binance's own broker programme, and what Binance's own clients put before their ids:
# ccxt/async_support/binance.py, 4.5.90; https://developers.binance.com/docs/derivatives/usds-margined-futures
KEPT_PREFIXES = (
    "x-",
    "web_",
    "and_",
    "ios_",
    "electron_",
    "autoclose-",
    "adl_autoclose",
    "settlement_autoclose-",
)
EVERY = [(venue, rules) for venue, each in ORDER_IDS.items() for rules in each]


class Fixed:
    """Entropy that gives what it was told, over and over."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    def token(self, size: int) -> bytes:
        return shake_256(self._seed).digest(size)


@settings(max_examples=150, deadline=None)
@given(seed=st.binary(), tag=st.text(ALPHABET, min_size=5, max_size=5), longest=st.integers(SHORT, 64))
def test_an_id_fits_its_length_and_gives_its_desk_back(seed: bytes, tag: str, longest: int) -> None:
    made = new_client_order_id(desk_tag(tag), Fixed(seed), longest)
    assert len(made) <= longest
    assert tag_of(made) == tag
    assert not made.startswith(KEPT_PREFIXES)


@pytest.mark.parametrize(("venue", "rules"), EVERY, ids=[f"{v}-{i}" for i, (v, _) in enumerate(EVERY)])
def test_every_venue_takes_the_ids_that_are_made_for_it(venue: str, rules: OrderIds) -> None:
    for seed in range(20):
        made = new_client_order_id(DeskTag("abcde"), Fixed(bytes([seed])), rules.ids.longest)
        assert rules.ids.takes(made), venue


@settings(max_examples=200, deadline=None)
@given(
    foreign=st.one_of(
        st.none(),
        st.text(),
        st.text(ALPHABET, min_size=LONG, max_size=LONG),
        st.text(ALPHABET, min_size=SHORT, max_size=SHORT),
        st.from_regex(r"(web|and|ios)_[A-Za-z0-9]{20}", fullmatch=True),
        st.uuids().map(lambda each: each.hex),
    )
)
def test_an_id_that_no_desk_made_names_no_desk(foreign: str | None) -> None:
    # One in a million would; none of those that are tried here does.
    assert tag_of(foreign) is None


@pytest.mark.parametrize("longest", [SHORT, LONG])
def test_an_id_with_any_one_character_changed_names_no_desk(longest: int) -> None:
    made = new_client_order_id(DeskTag("abcde"), Fixed(b"1"), longest)
    changed = [
        made[:place] + ("z" if made[place] != "z" else "y") + made[place + 1 :] for place in range(len(made))
    ]
    # The check has ten bits, so one in a thousand changes passes; of these 48 none does.
    assert [each for each in changed if tag_of(each) is not None] == []
    assert tag_of(made.upper()) is None


def test_ids_of_the_operating_system_are_never_the_same_and_use_the_whole_alphabet() -> None:
    entropy = SystemEntropy()
    tag = new_desk_tag(entropy)
    made = [new_client_order_id(tag, entropy, 36) for _ in range(500)]
    assert len(set(made)) == 500
    assert set("".join(made)) == set(ALPHABET)


def test_an_id_has_105_random_bits_and_45_where_it_is_short() -> None:
    class Asked:
        sizes: list[int] = []  # noqa: RUF012 - of this test alone

        def token(self, size: int) -> bytes:
            self.sizes.append(size)
            return bytes(size)

    new_client_order_id(DeskTag("abcde"), Asked(), 36)
    new_client_order_id(DeskTag("abcde"), Asked(), 18)
    # Five bits a character.
    assert [size * 5 for size in Asked.sizes] == [105, 45]


def test_a_venue_that_takes_fewer_than_18_characters_gets_no_id() -> None:
    with pytest.raises(ValueError, match=re.escape("the venue takes 17")):
        new_client_order_id(DeskTag("abcde"), Fixed(b""), 17)


@pytest.mark.parametrize("text", ["", "abcd", "abcdef", "abcdI", "ABCDE", "abc e"])
def test_what_is_no_tag_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a desk's tag is 5 of the characters"):
        desk_tag(text)
