from collections.abc import Callable
from pathlib import Path

from exchange_mcp.config.serve import ServeConfig, load_serve, public_serve
from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.rules.venues import VENUES, check_account

EXAMPLE = Path(__file__).parents[2] / "config" / "serve.example.toml"
SPOT, LINEAR, INVERSE = MarketType.SPOT, MarketType.LINEAR, MarketType.INVERSE

Load = Callable[[str], ServeConfig]


def test_the_example_file_loads() -> None:
    config = load_serve(EXAMPLE, check=check_account, environ={"HOME": "/home/operator"})

    assert config.client == "claude-desktop"
    assert (config.limits.deadline_seconds, config.limits.max_concurrent_calls) == (20, 16)
    assert [account.account.name for account in config.accounts] == ["main", "kraken", "demo"]
    main, kraken, demo = config.accounts
    assert main.key is not None
    assert str(main.key.api_key) == "environment variable BINANCE_API_KEY"
    assert (main.account.has_key, kraken.account.has_key, demo.account.has_key) == (True, False, True)
    assert demo.account.environment is Environment.SIM


def test_every_line_that_the_example_comments_out_may_be_uncommented(load: Load) -> None:
    text = EXAMPLE.read_text().replace("# [cache]", "[cache]").replace("# directory", "directory")

    config = load(text.replace("# rendezvous", "rendezvous"))

    assert config.cache_directory == Path("/home/operator/elsewhere")
    assert config.accounts[2].sim is not None
    assert config.accounts[2].sim.rendezvous == Path("/home/operator/elsewhere/rendezvous.json")


def test_the_smallest_file_has_one_account_and_defaults(load: Load) -> None:
    config = load('[accounts.a]\nvenue = "bybit"\nenvironment = "live"\n')

    # The documented defaults: 20 s, 16 running, 64 waiting, console, info.
    assert (config.limits.deadline_seconds, config.limits.max_concurrent_calls) == (20, 16)
    assert config.limits.max_pending_calls == 64
    assert (config.log.format, config.log.level) == ("console", "info")
    assert config.client == "unnamed"
    assert config.cache_directory is None
    assert config.accounts[0].account.market_types == (SPOT, LINEAR)


def test_an_account_that_names_no_market_types_gets_what_its_venue_has_of_spot_and_linear(load: Load) -> None:
    for venue, rules in VENUES.items():
        config = load(f'[accounts.a]\nvenue = "{venue}"\nenvironment = "live"\n')

        assert config.accounts[0].account.market_types == rules.default_market_types


def test_market_types_are_held_in_one_order_however_they_were_written(load: Load) -> None:
    config = load(
        '[accounts.a]\nvenue = "gate"\nenvironment = "live"\nmarket_types = ["inverse", "linear", "spot"]\n'
    )

    assert config.accounts[0].account.market_types == (SPOT, LINEAR, INVERSE)


def test_a_key_stays_a_reference_until_it_is_resolved(load: Load) -> None:
    config = load(
        '[accounts.a]\nvenue = "binance"\nenvironment = "sandbox"\n'
        'key = { api_key.env = "NOT_SET", secret.file = "~/not/there" }\n'
    )

    key = config.accounts[0].key
    assert key is not None
    assert key.api_key.env == "NOT_SET"
    assert key.secret.file == Path("/home/operator/not/there")


def test_a_simulated_account_looks_for_the_rendezvous_file_in_the_state_location(load: Load) -> None:
    config = load('[accounts.a]\nvenue = "binance"\nenvironment = "sim"\n')

    sim = config.accounts[0].sim
    assert sim is not None
    assert sim.rendezvous == Path("/home/operator/.local/state/exchange-mcp/sim/rendezvous.json")
    assert sim.key_label is None
    assert not config.accounts[0].account.has_key


def test_without_a_file_each_venue_is_a_keyless_live_account_of_its_name() -> None:
    config = public_serve(["kraken", "binance", "kraken"], check=check_account)

    assert [account.account.name for account in config.accounts] == ["kraken", "binance"]
    assert [account.account.market_types for account in config.accounts] == [(SPOT,), (SPOT, LINEAR)]
    assert all(account.account.environment is Environment.LIVE for account in config.accounts)
    assert not any(account.account.has_key or account.key for account in config.accounts)
