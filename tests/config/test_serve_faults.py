import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from exchange_mcp.config.faults import ConfigError
from exchange_mcp.config.serve import ServeConfig, load_serve, public_serve
from exchange_mcp.rules.other_venues import other_venues
from exchange_mcp.rules.venues import check_account

Complain = Callable[[str], list[str]]

MAIN = '[accounts.main]\nvenue = "binance"\nenvironment = "live"\n'
SUPPORTED = (
    "binance, bybit, okx, kraken, coinbase, kucoin, bitget, gate, "
    f"and {len(other_venues().venues)} others for market data"
)
LITERAL = (
    "a secret does not stand in this file; put it into an environment variable and write "
    '{ env = "NAME" }, or into a file that only you can read and write { file = "~/PATH" }'
)
REFERENCE = '{ env = "NAME" }, { file = "~/PATH" } or { keyring = "NAME" }'
NOT_A_NAME = "expected the name of an environment variable, in capitals, not the secret itself"
_ALL = "(spot, linear, inverse)"
PRIVATE_READS = (
    f"private reads exist for binance (spot, linear), bybit {_ALL}, okx {_ALL}, kraken (spot), coinbase (spot), "
    f"kucoin {_ALL}, bitget {_ALL}, gate {_ALL} only in this version"
)
INVERSE_WITH_A_KEY = (
    'venue = "binance"\nenvironment = "live"\nmarket_types = ["inverse"]\n'
    'key = { api_key.env = "A", secret.env = "B" }'
)
SPOT_AND_LINEAR = 'it has "spot", "linear"'
NO_VENUE_KEY = "a simulated account has no key of a venue; name one of its own with sim_key"
NAME_FORM = "an account's name has 1 to 32 of a-z, 0-9, _ and -, a letter or digit first"
VENUE_FORM = 'expected the name of a venue, in lower case, like "binance"'
PASTED = "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zv"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('client = "Claude Desktop"', "client: expected a label of at most 64 of a-z, 0-9, dot, _ and -"),
        ("client = 5", "client: expected a label of at most 64 of a-z, 0-9, dot, _ and -"),
        ('clinet = "x"', 'clinet: unknown key; did you mean "client"?'),
        (
            '"odd\\nkey" = 1',
            '"odd\\nkey": unknown key; known here: client, limits, log, keys, http, cache, desk, accounts',
        ),
        ("limits = 5", "limits: expected a table [limits]"),
        (
            "limits.deadline_seconds = 0.5",
            "limits.deadline_seconds: expected a number of seconds from 1 to 120, not 0.5",
        ),
        (
            "limits.deadline_seconds = 121",
            "limits.deadline_seconds: expected a number of seconds from 1 to 120, not 121",
        ),
        (
            "limits.deadline_seconds = nan",
            "limits.deadline_seconds: expected a number of seconds from 1 to 120, not nan",
        ),
        (
            "limits.deadline_seconds = true",
            "limits.deadline_seconds: expected a number of seconds from 1 to 120, not true",
        ),
        (
            'limits.deadline_seconds = "20"',
            'limits.deadline_seconds: expected a number of seconds from 1 to 120, not "20"',
        ),
        (
            "limits.max_concurrent_calls = 0",
            "limits.max_concurrent_calls: expected a whole number from 1 to 256, not 0",
        ),
        (
            "limits.max_concurrent_calls = 16.0",
            "limits.max_concurrent_calls: expected a whole number from 1 to 256, not 16.0",
        ),
        (
            f"limits.max_concurrent_calls = 0x{'f' * 5000}",
            "limits.max_concurrent_calls: expected a whole number from 1 to 256",
        ),
        (
            "limits.max_pending_calls = 5000",
            "limits.max_pending_calls: expected a whole number from 1 to 4096, not 5000",
        ),
        (
            "limits.deadline = 5",
            'limits.deadline: unknown key; did you mean "deadline_seconds"?',
        ),
        ('log.format = "xml"', 'log.format: expected "console" or "json", not "xml"'),
        ('log.level = "INFO"', 'log.level: expected "debug", "info", "warning" or "error", not "INFO"'),
        ('cache.directory = "cache"', 'cache.directory: expected a path that begins with "/" or "~/"'),
        ('cache.directory = "/a\\u0000b"', 'cache.directory: expected a path that begins with "/" or "~/"'),
    ],
)
def test_a_wrong_setting_is_named_with_its_line_and_what_would_be_right(
    complain: Complain, line: str, said: str
) -> None:
    assert complain(f"# a comment\n{line}\n{MAIN}") == [f"serve.toml:2: {said}"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            'market_types = ["spot", "spto"]',
            '.market_types[1]: expected a list of "spot", "linear", "inverse"',
        ),
        ("market_types = []", '.market_types: expected a list of "spot", "linear", "inverse"'),
        (
            'market_types = "spot"',
            '.market_types: expected a list of "spot", "linear", "inverse", not "spot"',
        ),
        ('market_types = ["spot", "spot"]', ".market_types: names a market type twice"),
        (
            'api_key = "x"',
            ".api_key: unknown key; the parts of a key stand, by reference, in [accounts.NAME.key]",
        ),
        (
            'secret = "x"',
            ".secret: unknown key; the parts of a key stand, by reference, in [accounts.NAME.key]",
        ),
        (
            "nonsense = 1",
            ".nonsense: unknown key; known here: venue, environment, market_types, key, sim_key, rendezvous",
        ),
        (f'key = "{PASTED}"', f".key: {LITERAL}"),
        (f'key = {{ api_key = "{PASTED}", secret.env = "B" }}', f".key.api_key: {LITERAL}"),
        ('key = { api_key.env = "A", secret.env = "B", passphrase = 123456 }', f".key.passphrase: {LITERAL}"),
        ('key = { api_key.env = "A" }', f".key.secret: is missing; expected {REFERENCE}"),
        (f'key = {{ api_key.env = "{PASTED}", secret.env = "B" }}', f".key.api_key.env: {NOT_A_NAME}"),
        (
            f'key = {{ api_key.env = "{PASTED.upper()}", secret.env = "B" }}',
            f".key.api_key.env: {NOT_A_NAME}",
        ),
        (
            f'key = {{ api_key.env = "A", secret.file = "{PASTED}" }}',
            '.key.secret.file: expected a path that begins with "/" or "~/"',
        ),
        (
            'key = { api_key.env = "A", secret = { env = "B", file = "/b" } }',
            '.key.secret: expected one of { env = "NAME" }, { file = "~/PATH" } and { keyring = "NAME" }',
        ),
        (
            'key = { api_key.env = "A", secret = { } }',
            '.key.secret: expected one of { env = "NAME" }, { file = "~/PATH" } and { keyring = "NAME" }',
        ),
        (
            'key = { api_key.env = "A", secret.flie = "/b" }',
            '.key.secret.flie: unknown key; did you mean "file"?',
        ),
        ('sim_key = "reader"', '.sim_key: belongs to environment "sim" only, and this account is "live"'),
        ('rendezvous = "/r"', '.rendezvous: belongs to environment "sim" only, and this account is "live"'),
    ],
)
def test_a_wrong_setting_of_an_account_is_named_with_its_line(
    complain: Complain, line: str, said: str
) -> None:
    said_of_file = complain(f"{MAIN}{line}\n")

    assert said_of_file[0].startswith(f"serve.toml:4: accounts.main{said}")
    assert len(said_of_file) == 1


@pytest.mark.parametrize(
    ("account", "said"),
    [
        (
            'venue = "bitmex"\nenvironment = "live"',
            f'venue "bitmex" is not known; supported: {SUPPORTED}',
        ),
        (
            'venue = "kraken"\nenvironment = "live"\nmarket_types = ["spot", "linear"]',
            'market type "linear" does not exist at Kraken in environment "live"; it has "spot"',
        ),
        (
            INVERSE_WITH_A_KEY,
            f"a key is of no use here: {PRIVATE_READS}; leave the key out to read market data",
        ),
        (
            'venue = "okx"\nenvironment = "sandbox"',
            'OKX has no sandbox environment here; "sandbox" exists for binance only',
        ),
        (
            'venue = "binance"\nenvironment = "sandbox"\nmarket_types = ["inverse"]',
            f'market type "inverse" does not exist at Binance in environment "sandbox"; {SPOT_AND_LINEAR}',
        ),
        (
            'venue = "kraken"\nenvironment = "sim"',
            'Kraken has no sim environment here; "sim" exists for binance only',
        ),
        (
            'venue = "binance"\nenvironment = "sim"\nmarket_types = ["spot", "inverse"]',
            f'market type "inverse" does not exist at Binance in environment "sim"; {SPOT_AND_LINEAR}',
        ),
    ],
)
def test_what_a_venue_does_not_offer_is_refused_with_what_it_does(
    complain: Complain, account: str, said: str
) -> None:
    assert complain(f"\n[accounts.main]\n{account}\n") == [f"serve.toml:2: accounts.main: {said}"]


@pytest.mark.parametrize(
    ("venue", "instead"), [("Binance", ', not "Binance"'), ("", ""), (PASTED, ""), (PASTED.lower(), "")]
)
def test_what_cannot_be_a_venues_name_is_refused_and_repeated_only_if_short(
    complain: Complain, venue: str, instead: str
) -> None:
    said = complain(f'[accounts.main]\nvenue = "{venue}"\nenvironment = "live"\n')

    assert said == [f"serve.toml:2: accounts.main.venue: {VENUE_FORM}{instead}"]


def test_a_simulated_account_takes_no_venue_key(complain: Complain) -> None:
    said = complain(
        '[accounts.main]\nvenue = "binance"\nenvironment = "sim"\n'
        'key = { api_key.env = "A", secret.env = "B" }\n'
    )

    assert said == [
        f"serve.toml:4: accounts.main.key: {NO_VENUE_KEY}",
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [("Main", "Main"), ('"a b"', '"a b"'), ("-a", "-a"), ("a" * 33, '"aaaa... (33 characters)"')],
)
def test_an_account_name_of_another_form_is_refused(complain: Complain, name: str, shown: str) -> None:
    said = complain(f'[accounts.{name}]\nvenue = "binance"\nenvironment = "live"\n')

    assert said == [
        f"serve.toml:1: accounts.{shown}: {NAME_FORM}",
    ]


def test_a_secret_that_was_pasted_in_the_place_of_a_key_is_not_repeated(complain: Complain) -> None:
    pasted = "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A"
    for content in (f'[accounts.{pasted}]\nvenue = "binance"\n', f'[accounts.main]\n{pasted} = "x"\n'):
        said = complain(content)
        assert said
        assert not [line for line in said if pasted[:8] in line]


def test_a_missing_setting_is_named_at_its_table(complain: Complain) -> None:
    assert complain('# nothing\n[accounts.main]\nvenue = "binance"\n') == [
        'serve.toml:2: accounts.main.environment: is missing; expected "live", "sandbox" or "sim"'
    ]


def test_a_misspelt_setting_is_one_fault_and_not_a_missing_one_too(complain: Complain) -> None:
    assert complain('[accounts.main]\nvenue = "binance"\nenviroment = "live"\n') == [
        'serve.toml:3: accounts.main.enviroment: unknown key; did you mean "environment"?'
    ]


def test_an_account_that_is_no_table_is_refused(complain: Complain) -> None:
    assert complain('accounts.main = "binance"\n') == [
        "serve.toml:1: accounts.main: expected a table of this account's settings"
    ]


@pytest.mark.parametrize("text", ["", "[accounts]\n"])
def test_a_file_without_accounts_is_refused(complain: Complain, text: str) -> None:
    (said,) = complain(text)

    assert said.endswith("expected at least one table [accounts.NAME]")


def test_every_fault_of_a_file_is_reported_in_the_order_of_its_lines(complain: Complain) -> None:
    said = complain(
        'client = "A B"\n'
        "[accounts.one]\n"
        'venue = "nowhere"\n'
        'environment = "live"\n'
        'marekt_types = ["spot"]\n'
        "[accounts.two]\n"
        'venue = "kraken"\n'
        'environment = "life"\n'
        "[log]\n"
        'level = "loud"\n'
    )

    assert [line.split(": ")[:2] for line in said] == [
        ["serve.toml:1", "client"],
        ["serve.toml:2", "accounts.one"],
        ["serve.toml:5", "accounts.one.marekt_types"],
        ["serve.toml:8", "accounts.two.environment"],
        ["serve.toml:10", "log.level"],
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("client = \n", "serve.toml:1: is not valid TOML: Invalid value, at column 10"),
        ("\n\nclient\n", "serve.toml:3: is not valid TOML: Expected '=' after a key"),
        ('client = "a', "serve.toml:1: is not valid TOML: Unterminated string"),
        ("a = 1\na = 2\n", "serve.toml:2: is not valid TOML: Cannot overwrite a value"),
        (f"a = {'9' * 5000}\n", "serve.toml:1: is not valid TOML: a number has too many digits"),
        (f"a = {'[' * 100_000}", "serve.toml: is nested too deeply"),
    ],
)
def test_broken_toml_is_named_with_its_line(complain: Complain, text: str, said: str) -> None:
    (first,) = complain(text)

    assert first.startswith(said)


def test_a_file_that_is_not_utf_8_is_named_with_the_line_that_is_not(tmp_path: Path) -> None:
    path = tmp_path / "serve.toml"
    path.write_bytes(b'client = "a"\n# caf\xe9\n')

    with pytest.raises(ConfigError, match=r"serve\.toml:2: is not UTF-8 text, as TOML has to be"):
        load_serve(path, check=check_account, environ={})


def test_a_file_that_does_not_exist_is_said_to_with_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: does not exist; write one, or name venues"):
        load_serve(tmp_path / "none.toml", check=check_account, environ={})


def test_a_file_that_cannot_be_read_is_said_to(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_serve(tmp_path, check=check_account, environ={})


def test_a_file_of_unreasonable_size_is_refused(complain: Complain) -> None:
    assert complain("#" * 1_048_577) == ["serve.toml: is larger than 1048576 bytes"]


@pytest.mark.parametrize(
    "line",
    [
        'key = "{}"',
        'api_key = "{}"',
        'venue_ = "{}"',
        'market_types = "{}"',
        'sim_key = "{}"',
        'rendezvous = "{}"',
        'market_types = ["{}"]',
        'key = {{ api_key = "{}", secret = "{}" }}',
        'key = {{ api_key.env = "{}", secret.file = "{}" }}',
        'key = {{ api_key = {{ value = "{}" }} }}',
        'key = {{ api_key.env = "A", secret.env = "{}',
    ],
)
def test_a_secret_that_stands_in_the_file_is_in_no_message_and_no_frame(
    load: Callable[[str], ServeConfig], line: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(MAIN + line.format(PASTED, PASTED))

    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    ours = [frame for frame in shown.stack if "exchange_mcp" in frame.filename]
    assert ours
    assert PASTED not in str(caught.value)
    assert PASTED not in str([frame.locals for frame in ours])
    assert caught.value.__context__ is None


def test_without_a_file_an_unsupported_venue_is_refused_with_the_supported_ones() -> None:
    with pytest.raises(ConfigError) as caught:
        public_serve(["kraken", "mtgox", "ftx"], check=check_account)

    assert str(caught.value).split("\n") == [
        f'venue "mtgox" is not known; supported: {SUPPORTED}',
        f'venue "ftx" is not known; supported: {SUPPORTED}',
    ]


def test_without_a_file_at_least_one_venue_is_needed() -> None:
    with pytest.raises(ConfigError, match="no venue is named"):
        public_serve([], check=check_account)
