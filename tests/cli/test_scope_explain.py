"""`exchange-mcp scope explain`: an answer comes in, a scope goes out, and nothing is an error."""

import io
import json
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result

from exchange_mcp.cli.commands import run
from exchange_mcp.cli.scope import explained
from exchange_mcp.model.scopes import Ability, Permission
from exchange_mcp.rules.venues import VENUES

from .launching import ran

# developers.binance.com, "Get API Key Permission": its example with every switch off but reading.
READS: Final = {
    "ipRestrict": True,
    "createTime": 1698645219000,
    "enableReading": True,
    **dict.fromkeys(
        (
            *("enableWithdrawals", "enableInternalTransfer", "permitsUniversalTransfer", "enableMargin"),
            *("enableFutures", "enableVanillaOptions", "enableFixApiTrade", "enableFixReadOnly"),
            *("enableSpotAndMarginTrading", "enablePortfolioMarginTrading"),
        ),
        False,
    ),
}
UNKNOWN: Final = dict.fromkeys(("read", "trade", "withdraw", "transfer"), "unknown")


def explain(venue: str, given: str | bytes, *options: str) -> Result:
    return CliRunner().invoke(run, ["scope", "explain", venue, *options], input=given)


def explained_json(venue: str, given: str | bytes) -> dict[str, Any]:
    done = explain(venue, given, "--json")
    assert done.exit_code == 0
    return json.loads(done.stdout)


def test_the_whole_json_of_a_key_that_only_reads() -> None:
    assert explained_json("binance", json.dumps(READS)) == {
        "venue": "binance",
        "read": "granted",
        "trade": "denied",
        "withdraw": "denied",
        "transfer": "denied",
        "ip_restricted": True,
        "expires_at": None,
        "verdict": {"serve": "accepted", "desk": "accepted"},
        "reasons": ["read is granted: enableReading is on"],
    }


def test_the_whole_json_of_a_key_that_trades_and_has_ended() -> None:
    ended = {"enableFutures": True, "tradingAuthorityExpirationTime": 1_628_985_600_000, "ipRestrict": False}
    assert explained_json("binance", json.dumps(READS | ended)) == {
        "venue": "binance",
        "read": "granted",
        "trade": "granted",
        "withdraw": "denied",
        "transfer": "denied",
        "ip_restricted": False,
        "expires_at": "2021-08-15T00:00:00.000Z",  # 18,854 days after 1970
        "verdict": {"serve": "refused", "desk": "refused"},
        "reasons": [
            "read is granted: enableReading is on",
            "trade is granted: enableFutures is on",
            "serve refuses it: serve does not run on a key that can trade",
            "serve refuses it: the key expired at 2021-08-15T00:00:00.000Z",
            "desk refuses it: the key expired at 2021-08-15T00:00:00.000Z",
        ],
    }


def test_for_people_it_says_the_same_with_the_remedy_and_the_warnings() -> None:
    shown = explain("binance", json.dumps(READS | {"enableFutures": True, "ipRestrict": False})).stdout
    assert "trade:            granted" in shown
    assert "serve (live): refused\n- serve does not run on a key that can trade\n" in shown
    assert 'At Binance, under API Management, untick "Enable Spot & Margin Trading"' in shown
    assert "desk (live): accepted" in shown
    assert "- warning: the key works from any IP address" in shown


@pytest.mark.parametrize("venue", VENUES)
@pytest.mark.parametrize(
    "given",
    [
        b"",
        b"<html>502</html>",
        b"{}",
        b"[]",
        b"null",
        b'{"enableReading": tr',
        b"\xff\xfe\x00",
        b'{"enableWithdrawals": NaN}',
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"data":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"code": ' + b"9" * 10_000 + b"}",
        b" " * 2_000_000,
    ],
    ids=lambda given: f"{given[:12]!r}, {len(given)} bytes",
)
def test_whatever_comes_in_it_ends_well_and_says_unknown(venue: str, given: bytes) -> None:
    answer = explained_json(venue, given)
    assert {name: answer[name] for name in UNKNOWN} == UNKNOWN
    assert answer["verdict"] == {"serve": "refused", "desk": "refused"}
    assert answer["reasons"]
    assert explain(venue, given).exit_code == 0


def test_a_switch_that_stands_twice_is_not_believed() -> None:
    body = json.dumps(READS)[:-1] + ', "enableWithdrawals": true, "enableWithdrawals": false}'
    assert explained_json("binance", body)["withdraw"] == "unknown"


@pytest.mark.parametrize("venue", ["krakenfutures", "nowhere", "--", "\u202ex", "BINANCE", ""])
def test_a_venue_that_is_not_known_is_unknown(venue: str) -> None:
    done = CliRunner().invoke(run, ["scope", "explain", "--json", "--", venue], input=json.dumps(READS))
    assert done.exit_code == 0
    answer = json.loads(done.stdout)
    assert {name: answer[name] for name in UNKNOWN} == UNKNOWN
    assert answer["verdict"] == {"serve": "refused", "desk": "refused"}
    assert "\u202e" not in json.loads(done.stdout)["venue"]
    assert "not known in this version" in answer["reasons"][0]


def test_no_secret_of_an_answer_is_printed() -> None:
    secret = "zK9mQ2vX7bN4tR8wL1cJ5hG3fD6sA0pY"
    body = json.dumps(READS | {"client_secret": secret, "apiKey": secret, secret: True, "ipRestrict": secret})
    for options in ((), ("--json",)):
        assert secret not in explain("binance", body, *options).output


def test_an_input_that_cannot_be_read_is_unknown() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError(size)

    scope = explained("binance", Broken())
    assert {scope.may(ability) for ability in Ability} == {Permission.UNKNOWN}


def test_the_program_itself_reads_its_standard_input(environ: dict[str, str]) -> None:
    done = ran("scope", "explain", "binance", "--json", environ=environ, given=json.dumps(READS))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["verdict"]["serve"] == "accepted"
