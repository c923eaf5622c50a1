"""exchange-mcp policy: what its commands print, where, and with which code they end."""

import json
from pathlib import Path
from typing import Any, Final, cast

import pytest
from click.testing import CliRunner, Result

from exchange_mcp.cli.commands import run
from serving import Sim, configured

from .launching import ran

CONFIG: Final = Path(__file__).parents[2] / "config"
EXAMPLE: Final = str(CONFIG / "policy.example.toml")
CONTEXT: Final = str(CONFIG / "policy.context.example.json")
LIMIT: Final = '{"symbol": "BTC/USDT", "side": "buy", "type": "limit", "amount": "0.01", "price": "60000"}'
FAR: Final = LIMIT.replace("60000", "50000")
OFF_STEP: Final = LIMIT.replace("0.01", "0.0000001")

SIM_POLICY: Final = """\
[policy]
reference = "USDT"
accounts = ["main"]
symbols = ["BTC/USDT", "ETH/BTC", "BTC/USDT:USDT"]
order_types = ["limit", "market"]
max_order_notional = 1000
max_daily_notional = 5000
max_price_distance_percent = 1
max_open_orders = 100
max_orders_per_minute = 6
max_leverage = 20
max_daily_loss = 100
"""


def called(*arguments: str) -> Result:
    return CliRunner().invoke(run, ["policy", *arguments])


def explained(*arguments: str, order: str = LIMIT) -> Result:
    return called("explain", EXAMPLE, "--context", CONTEXT, "--order", order, *arguments)


def test_a_policy_that_holds_is_said_to_with_its_digest(environ: dict[str, str]) -> None:
    done = ran("policy", "check", EXAMPLE, environ=environ)
    assert (done.returncode, done.stderr) == (0, "")
    first, second, *_ = done.stdout.splitlines()
    assert first == f"{EXAMPLE}: the policy holds."
    assert second.startswith("digest ")
    assert len(second) == len("digest ") + 64


def test_faults_are_told_a_line_each_and_end_with_code_2(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "desk.toml"
    file.write_text('[policy]\nreference = "USDT"\nmax_leverage = 0\nmax_ordr_notional = 5\n')
    done = ran("policy", "check", str(file), environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert [line.partition(": policy.")[0] for line in done.stderr.splitlines()] == [f"{file}:3", f"{file}:4"]


@pytest.mark.parametrize("content", [b"\xff", b"[policy", b""])
def test_a_file_that_is_no_policy_ends_with_code_2(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "desk.toml"
    file.write_bytes(content)
    assert called("check", str(file)).exit_code == 2
    assert called("check", str(tmp_path / "gone.toml")).exit_code == 2
    assert called("check", str(tmp_path)).exit_code == 2


def test_what_a_policy_leaves_unsaid_is_no_fault_but_is_told(tmp_path: Path) -> None:
    file = tmp_path / "desk.toml"
    file.write_text(
        '[policy]\nreference = "USDT"\naccounts = ["main"]\nsymbols = ["BTC/EUR", "BTC/USDT:USDT"]\n'
        "max_daily_loss = 5\nmax_leverage = 2\nmax_open_orders = 3\nmax_orders_per_minute = 3\n"
        "max_order_notional = 10\nmax_daily_notional = 20\n"
    )
    done = called("check", str(file))
    assert done.exit_code == 0
    missing = "order_types, max_price_distance_percent"
    assert done.stdout.splitlines()[2:] == [
        "Which accounts there are was not known; --config FILE tells it.",
        f"- account main, BTC/EUR: no order is allowed, because nothing states {missing}.",
        f"- account main, BTC/USDT:USDT: no order is allowed, because nothing states {missing}.",
        "- account main: max_daily_loss does not count losses on spot, which no venue tells.",
        "- amounts in EUR are stated in USDT by a price that is at most 30 s old; without one they are refused.",
    ]


def test_the_accounts_of_a_serve_toml_say_what_can_match(tmp_path: Path) -> None:
    serve = tmp_path / "serve.toml"
    serve.write_text('[accounts.other]\nvenue = "binance"\nenvironment = "live"\n')
    file = tmp_path / "desk.toml"
    file.write_text(SIM_POLICY)
    done = called("check", str(file), "--config", str(serve))
    assert done.exit_code == 2
    assert done.stderr.splitlines()[0].endswith(
        ':3: policy.accounts[0]: there is no account "main"; there are: other'
    )


def test_an_order_that_is_allowed_is_previewed_and_every_rule_speaks() -> None:
    done = explained()
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["order", "limit", "buy"]
    assert "ALLOWED" in lines
    ruled = [line.split()[1] for line in lines if line.startswith(("allows", "DENIES", "-"))]
    assert set(ruled) >= {"forbid", "symbols", "max_order_notional", "max_daily_loss"}


@pytest.mark.parametrize(("more", "code"), [((), 0), (("--exit-code",), 1), (("--json", "--exit-code"), 1)])
def test_a_denial_is_an_answer_and_a_code_of_its_own_where_that_is_asked_for(
    more: tuple[str, ...], code: int
) -> None:
    done = explained(*more, order=FAR)
    assert (done.exit_code, done.stderr) == (code, "")
    assert explained("--exit-code").exit_code == 0
    if "--json" not in more:
        assert "because policy: the worst price, 50000, is 16.6667 % from mid" in done.stdout


def test_the_json_says_the_same_and_has_no_number_but_counts() -> None:
    shown = json.loads(explained("--json", order=FAR).stdout, parse_float=pytest.fail)
    assert set(shown) == {"decision", "preview", "assumed", "unread"}
    assert (shown["decision"]["allowed"], shown["decision"]["denied_by"]) == (
        False,
        ["max_price_distance_percent"],
    )
    (denial,) = [each for each in shown["decision"]["rulings"] if each["verdict"] == "deny"]
    assert (denial["measured"], denial["limit"], denial["unit"]) == ("16.6667", "1", "percent")
    assert shown["preview"]["notional"] == "500"


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (OFF_STEP, "This is no order: AMOUNT_TOO_SMALL: "),
        (LIMIT.replace('"0.01"', "0.01"), "--order: has the number 0.01, which is not exact"),
        (LIMIT.replace('"0.01"', '"ten"'), "--order: amount: "),
        (
            LIMIT.replace("amount", "amont"),
            "--order: amont: unknown argument; did you mean 'amount'?; it takes action, ",
        ),
        (LIMIT.replace('"amount"', '"am\u202eount"'), "--order: am\\u{202e}ount: unknown argument"),
        (LIMIT.replace('"amount"', '"\u0430mount"'), "--order: \\u0430mount: unknown argument"),
        (
            LIMIT.replace('"limit"', '"lmt"'),
            "--order: type: 'market', 'limit', 'stop_market' or 'stop_limit'\n",
        ),
        (
            LIMIT.replace("BTC/USDT", "ETH/USDT"),
            "symbol: the context's terms are about BTC/USDT, and the order is not",
        ),
        (LIMIT.replace("buy", "BUY"), "--order: side: 'buy' or 'sell'\n"),
        ("{", "--order: is not valid JSON"),
        ('{"action": "withdraw"}', '--order: action: expected "place", "cancel" or "leverage"'),
        (LIMIT.replace("}", ', "side": "sell"}'), '--order: has the key "side" twice'),
    ],
)
def test_what_is_no_order_ends_with_code_2_and_says_why(order: str, said: str) -> None:
    done = explained(order=order)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(said)


def test_what_is_no_order_is_an_error_in_json_too() -> None:
    done = explained("--json", order=OFF_STEP)
    assert done.exit_code == 2
    assert json.loads(done.stdout)["error"]["code"] == "AMOUNT_TOO_SMALL"


def test_a_faulty_context_ends_with_code_2_and_names_file_and_path(tmp_path: Path) -> None:
    file = tmp_path / "context.json"
    shown = cast("dict[str, Any]", json.loads(Path(CONTEXT).read_text(encoding="utf-8")))
    del shown["counters"]["account"]
    file.write_text(json.dumps(shown))
    done = called("explain", EXAMPLE, "--context", str(file), "--order", LIMIT)
    assert (done.exit_code, done.stderr) == (2, f"{file}: counters.account is missing\n")
    gone = called("explain", EXAMPLE, "--context", str(tmp_path / "gone"), "--order", LIMIT)
    assert gone.exit_code == 2


def test_a_context_comes_from_a_file_or_an_account_and_not_from_both() -> None:
    assert called("explain", EXAMPLE, "--order", LIMIT).exit_code == 2
    both = called("explain", EXAMPLE, "--order", LIMIT, "--context", CONTEXT, "--account", "main")
    assert both.exit_code == 2
    assert "one of --context FILE and --account NAME" in both.stderr


@pytest.fixture
def asked(tmp_path: Path, sim: Sim) -> tuple[str, ...]:
    """Asking the simulated exchange about an account of it."""
    file = tmp_path / "desk.toml"
    file.write_text(SIM_POLICY)
    return ("explain", str(file), "--config", str(configured(tmp_path, sim)), "--account", "main", "--json")


def order_in(symbol: str) -> str:
    return json.dumps({"symbol": symbol, "side": "buy", "type": "market", "amount": "0.01"})


def test_a_configured_account_is_asked_and_nothing_is_written(
    asked: tuple[str, ...], environ: dict[str, str], sim: Sim
) -> None:
    sim.forget()
    done = ran("policy", *asked, "--order", order_in("ETH/BTC"), environ=environ)
    assert (done.returncode, done.stderr) == (0, "")
    shown = json.loads(done.stdout)
    (worth,) = [each for each in shown["decision"]["rulings"] if each["rule"] == "max_order_notional"]
    assert " (at 1 BTC = " in worth["sentence"]
    assert ", from main: last price of BTC/USDT)" in worth["sentence"]
    assert shown["decision"]["allowed"] is True
    assert len(shown["assumed"]) == 2
    writes = sim.control.get("/__sim/requests").raise_for_status().json()["requests"]
    assert {each["method"] for each in writes} == {"GET"}


def test_an_account_or_a_market_that_is_not_there_ends_with_code_2(
    asked: tuple[str, ...], environ: dict[str, str]
) -> None:
    done = ran("policy", *asked, "--order", order_in("NO/USDT"), environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("UNKNOWN_SYMBOL: ")
    other = called(*(each.replace("main", "other") for each in asked), "--order", LIMIT)
    assert other.exit_code == 2
    assert 'there is no account "other"; there are: main' in other.stderr
