from importlib import import_module

import pytest

from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.rules.venues import VENUES, VenueRules, check_account

LIVE, SANDBOX, SIM = Environment.LIVE, Environment.SANDBOX, Environment.SIM
SPOT, LINEAR, INVERSE = MarketType.SPOT, MarketType.LINEAR, MarketType.INVERSE


def test_eight_venues_are_supported() -> None:
    assert list(VENUES) == ["binance", "bybit", "okx", "kraken", "coinbase", "kucoin", "bitget", "gate"]


@pytest.mark.parametrize("rules", VENUES.values(), ids=list(VENUES))
def test_a_venue_is_what_ccxt_says_it_is(rules: VenueRules) -> None:
    venue = getattr(import_module("ccxt"), rules.id)()  # it has no type stubs

    assert venue.requiredCredentials["password"] is rules.needs_passphrase
    assert venue.has["spot"] is True
    assert not (INVERSE in rules.market_types and not venue.has["swap"])


@pytest.mark.parametrize("rules", VENUES.values(), ids=list(VENUES))
def test_what_a_venue_offers_in_part_is_part_of_what_it_offers(rules: VenueRules) -> None:
    parts = {
        *rules.default_market_types,
        *rules.sandbox_market_types,
        *rules.sim_market_types,
        *rules.has_private_reads,
    }

    assert parts <= set(rules.market_types)
    assert rules.default_market_types


@pytest.mark.parametrize("rules", VENUES.values(), ids=list(VENUES))
def test_every_market_type_that_a_venue_has_can_be_read_without_a_key(rules: VenueRules) -> None:
    assert check_account(rules.id, LIVE, rules.market_types, has_key=False) is None


@pytest.mark.parametrize(
    ("environment", "market_types"),
    [(LIVE, (SPOT,)), (LIVE, (SPOT, LINEAR, INVERSE)), (SANDBOX, (SPOT, LINEAR)), (SIM, (LINEAR,))],
)
def test_a_binance_key_is_accepted_where_it_reads_something(
    environment: Environment, market_types: tuple[MarketType, ...]
) -> None:
    assert check_account("binance", environment, market_types, has_key=True) is None


def test_a_binance_key_for_inverse_alone_is_refused_since_nothing_private_is_read_there() -> None:
    refusal = check_account("binance", LIVE, (INVERSE,), has_key=True)

    assert refusal is not None
    assert "leave the key out" in refusal


@pytest.mark.parametrize("market_types", [(), (SPOT, SPOT)])
def test_an_account_without_market_types_or_with_one_twice_cannot_exist(
    market_types: tuple[MarketType, ...],
) -> None:
    with pytest.raises(ValueError, match="market type"):
        Account(AccountName("main"), "binance", LIVE, market_types, has_key=False)
