"""`exchange-mcp scope check`: what every account's venue says of its key, and the exit code that scripts read."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from serving import Sim

from .launching import Done, environment, ran
from .test_init import AS_IF_LIVE

KEY_CHECK: Final = "/sapi/v1/account/apiRestrictions"
KRAKEN: Final = '[accounts.kraken]\nvenue = "kraken"\nenvironment = "live"\n'

Check = Callable[..., Done]


@pytest.fixture
def check(sim: Sim, tmp_path: Path) -> Check:
    """Runs `scope check` over this serve.toml where Binance's hosts are the simulated exchange."""

    def run(text: str, *arguments: str, **variables: str) -> Done:
        config = tmp_path / "serve.toml"
        config.write_text(text, encoding="utf-8")
        sim.forget()
        program = (sys.executable, AS_IF_LIVE, str(sim.rendezvous), str(tmp_path))
        arguments = ("scope", "check", "--config", str(config), *arguments)
        done = ran(*arguments, environ=environment(tmp_path, **variables), program=program)
        keys = sim.published()["keys"].values()
        shown = done.stdout + done.stderr
        assert not [part for key in keys for part in (key["api_key"], key["secret"]) if part in shown]
        return done

    return run


def simulated(sim: Sim, *labels: str) -> str:
    """An account for each of these keys, named after it."""
    return "".join(
        f'[accounts.{label}]\nvenue = "binance"\nenvironment = "sim"\nsim_key = "{label}"\n'
        f"rendezvous = {json.dumps(str(sim.rendezvous))}\n"
        for label in labels
    )


def live(sim: Sim, label: str, extra: str = "") -> tuple[str, dict[str, str]]:
    """A live account with this key, and the variables in which it is."""
    key = sim.published()["keys"][label]
    text = (
        f'[accounts.real]\nvenue = "binance"\nenvironment = "live"\n{extra}\n[accounts.real.key]\n'
        'api_key = { env = "THE_KEY" }\nsecret = { env = "THE_SECRET" }\n'
    )
    return text, {"THE_KEY": key["api_key"], "THE_SECRET": key["secret"]}


def test_every_account_is_asked_once_and_the_json_says_all(check: Check, sim: Sim) -> None:
    done = check(simulated(sim, "reader", "trader", "withdrawer") + KRAKEN, "--json")
    assert (done.returncode, done.stderr) == (1, "")
    assert sim.paths() == [KEY_CHECK] * 3
    answer: list[dict[str, Any]] = json.loads(done.stdout)
    assert [each["account"] for each in answer] == ["reader", "trader", "withdrawer", "kraken"]
    assert answer[0] == {
        "account": "reader",
        "venue": "binance",
        "environment": "sim",
        "read": "granted",
        "trade": "denied",
        "withdraw": "denied",
        "transfer": "denied",
        "ip_restricted": False,
        "expires_at": None,
        "verdict": "accepted",
        "reasons": ["read is granted: enableReading is on"],
        "warnings": ["the key works from any IP address: bind it to the address of this machine"],
        "remedy": "",
    }
    assert [each["verdict"] for each in answer] == ["accepted", "refused", "refused", "no key"]
    assert [each["withdraw"] for each in answer] == ["denied", "denied", "granted", None]
    assert answer[1]["reasons"][0] == "serve does not run on a key that can trade"
    assert answer[1]["remedy"].startswith('At Binance, under API Management, untick "Enable Spot & Margin')


def test_for_people_an_account_is_a_block_and_one_without_a_key_says_so(check: Check, sim: Sim) -> None:
    done = check(simulated(sim, "reader", "trader") + KRAKEN)
    reader, trader, keyless = done.stdout.split("\n\n")
    assert reader.startswith("reader (sim): accepted for serve\n- warning: the key works from any IP address")
    assert trader.startswith(
        "trader (sim): refused for serve\n- serve does not run on a key that can trade\n"
    )
    assert "  trade:            granted\n" in trader
    assert keyless.strip() == "kraken (live): no key, market data of kraken only"


@pytest.mark.parametrize(
    ("account", "role", "code"),
    [
        ("reader", "serve", 0),
        ("trader", "serve", 1),
        ("trader", "desk", 0),
        ("withdrawer", "desk", 1),
    ],
)
def test_the_role_decides_and_the_exit_code_says_it(
    account: str, role: str, code: int, check: Check, sim: Sim
) -> None:
    done = check(simulated(sim, "reader", "trader", "withdrawer"), account, "--role", role)
    assert done.returncode == code, done.stdout
    assert sim.paths() == [KEY_CHECK]
    assert f"for {role}" in done.stdout


def test_only_the_named_accounts_secret_is_needed(check: Check, sim: Sim) -> None:
    text, _ = live(sim, "reader")
    assert check(simulated(sim, "reader") + text, "reader").returncode == 0
    done = check(simulated(sim, "reader") + text)
    assert (done.returncode, done.stdout) == (2, "")
    assert "account real: key.api_key: environment variable THE_KEY is not set" in done.stderr


def test_a_live_key_is_checked_like_any_other(check: Check, sim: Sim) -> None:
    for label, code in (("reader", 0), ("trader", 1)):
        text, variables = live(sim, label)
        assert check(text, **variables).returncode == code


def test_a_venue_that_does_not_answer_is_no_refusal_in_the_simulation_and_code_1_where_money_is(
    check: Check, sim: Sim
) -> None:
    accepted_by_name = 'accept_unverified = "its owner looked at it"'
    text, variables = live(sim, "reader", accepted_by_name)
    sim.fail(kind="close", path=KEY_CHECK)
    try:
        simulation = check(simulated(sim, "reader"))
        money = check(text, "--json", **variables)
    finally:
        sim.heal()
    assert simulation.returncode == 0
    assert "- warning: not real money, not verifiable" in simulation.stdout
    assert "binance could not be reached" in simulation.stdout
    assert money.returncode == 1
    (answer,) = json.loads(money.stdout)
    assert {answer[name] for name in ("read", "trade", "withdraw", "transfer")} == {"unknown"}
    assert check(text, **variables).returncode == 0


def test_a_key_that_its_venue_refuses_is_refused_whatever_was_accepted_by_name(
    check: Check, sim: Sim
) -> None:
    text, variables = live(sim, "reader", 'accept_unverified = "its owner looked at it"')
    done = check(text, **{**variables, "THE_SECRET": "not-the-secret-of-this-key"})
    assert done.returncode == 1
    assert done.stdout.startswith("real (live): refused for serve\n- binance")


def test_a_simulated_exchange_that_does_not_run_is_a_fault_of_the_configuration(
    check: Check, sim: Sim, tmp_path: Path
) -> None:
    text = simulated(sim, "reader").replace(str(sim.rendezvous), str(tmp_path / "gone.json"))
    done = check(text)
    assert (done.returncode, done.stdout) == (2, "")
    assert "account reader: no simulated exchange is running" in done.stderr


def test_a_configuration_that_is_broken_or_not_there_and_an_account_that_is_not_end_with_code_2(
    check: Check, sim: Sim, environ: dict[str, str]
) -> None:
    assert check("[accounts.main\n").returncode == 2
    missing = ran("scope", "check", environ=environ)
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "serve.toml: does not exist" in missing.stderr
    unknown = check(simulated(sim, "reader"), "trader")
    assert unknown.returncode == 2
    assert 'there is no account "trader"; there are: reader' in unknown.stderr
