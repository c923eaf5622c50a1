"""What may leave, as the command line tells it; and another ccxt, from the refusal to its acceptance.

The other ccxt is the installed one under links, with another version and one method that asks more.
"""

import json
import os
import stat
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, cast

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from exchange_mcp.rules.endpoints import EndpointClass
from exchange_mcp.rules.other_venues import other_venues
from exchange_mcp.rules.venues import VENUES
from serving import PROGRAM, Sim, configured
from tools.json_schema import violations

from .launching import environment, ran

Environment = dict[str, str]

VERSION: Final = other_venues().ccxt
REQUESTS: Final[dict[str, Any]] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("verb", "api", "path")},
        "required": ["verb", "api", "path"],
        "additionalProperties": False,
    },
}
BY_CLASS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {cls.value: REQUESTS for cls in EndpointClass},
    "required": [cls.value for cls in EndpointClass],
    "additionalProperties": False,
}
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "venue": {"type": "string"},
        "ccxt": {"type": "string"},
        "hosts": {"type": "array", "items": {"type": "string"}},
        "classes": BY_CLASS,
        "derived_only": BY_CLASS,
        "switched_off": {"type": "object", "additionalProperties": {"type": "string"}},
        "refused": {"type": "object", "additionalProperties": {"type": "string"}},
        "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    },
    "required": ["venue", "ccxt", "hosts", "classes", "derived_only", "switched_off", "digest"],
    "additionalProperties": False,
}


def explained(venue: str, environ: Environment) -> dict[str, Any]:
    done = ran("egress", "explain", venue, "--json", environ=environ)
    assert (done.returncode, done.stderr) == (0, "")
    shown = json.loads(done.stdout)
    assert violations(SCHEMA, shown) == []
    return shown


def test_a_supported_venue_is_explained_with_nothing_refused(environ: Environment) -> None:
    shown = explained("kraken", environ)
    assert shown["venue"] == "kraken"
    assert shown["hosts"] == ["api.kraken.com"]
    assert {"verb": "POST", "api": "private", "path": "OpenOrders"} in shown["classes"]["read"]
    assert {"verb": "POST", "api": "private", "path": "AddOrder"} in shown["derived_only"]["order"]
    assert "refused" not in shown
    assert "maxRetriesOnFailure" in shown["switched_off"]


def test_another_venue_is_explained_with_writes_refused_and_nothing_that_needs_a_key(
    environ: Environment,
) -> None:
    shown = explained("gemini", environ)
    assert {each["api"] for each in shown["classes"]["read"]} == {"public"}
    assert {"verb": "POST", "api": "private", "path": "v1/balances"} in shown["derived_only"]["read"]
    assert shown["refused"].keys() == {"order", "cancel", "leverage"}


def test_an_excluded_venue_is_explained_by_its_reason_and_serve_refuses_it_with_the_same(
    environ: Environment,
) -> None:
    reason = other_venues().excluded["grvt"]
    shown = explained("grvt", environ)
    assert shown["refused"]["read"] == reason
    assert not any(shown["classes"].values())
    served = ran("serve", "--venue", "grvt", environ=environ)
    assert (served.returncode, served.stdout, served.stderr) == (2, "", f"{reason}\n")


def test_the_text_for_a_terminal_has_a_line_a_request_and_the_reasons(environ: Environment) -> None:
    done = ran("egress", "explain", "gemini", environ=environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert "  GET    public  v1/book/{symbol}\n" in done.stdout
    assert "  order: gemini has no reviewed list, so nothing is written there\n" in done.stdout
    assert "POST private v1/balances: ccxt does not sign it without a key" in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 160


def test_an_unknown_venue_ends_with_code_2_and_the_nearest(environ: Environment) -> None:
    done = ran("egress", "explain", "krakn", environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith('has no exchange "krakn"; did you mean "kraken"?\n')


def test_with_the_ccxt_that_was_read_there_is_nothing_to_accept(environ: Environment) -> None:
    done = ran("egress", "accept", "0" * 64, environ=environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "There is nothing to accept: the installed ccxt is the one that was read.\n"


@pytest.mark.parametrize("arguments", [("egress", "explain", "kraken"), ("serve", "--venue", "kraken")])
def test_an_accepted_file_that_others_can_write_ends_the_start(
    arguments: tuple[str, ...], environ: Environment, tmp_path: Path
) -> None:
    stored = tmp_path / ".local" / "state" / "exchange-mcp" / "egress.json"
    stored.parent.mkdir(parents=True)
    stored.write_text('{"schema": 1, "accepted": {}}', encoding="utf-8")
    stored.chmod(0o620)
    done = ran(*arguments, environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is open to others (mode 0620)" in done.stderr


@pytest.mark.parametrize("venue", ["aster", "alpaca"])
def test_a_configured_venue_that_is_excluded_is_refused_with_its_reason(
    venue: str, environ: Environment, tmp_path: Path
) -> None:
    file = tmp_path / "serve.toml"
    file.write_text(f'[accounts.a]\nvenue = "{venue}"\nenvironment = "live"\n', encoding="utf-8")
    done = ran("serve", "--config", str(file), environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{file}:1: accounts.a: {other_venues().excluded[venue]}\n"


def test_a_key_at_another_venue_is_refused(environ: Environment, tmp_path: Path) -> None:
    file = tmp_path / "serve.toml"
    key = 'key = { api_key.env = "A", secret.env = "B" }'
    file.write_text(f'[accounts.a]\nvenue = "mexc"\nenvironment = "live"\n{key}\n', encoding="utf-8")
    done = ran("serve", "--config", str(file), environ=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert "a key is of no use here: private reads exist for binance (" in done.stderr
    assert "only in this version; leave the key out to read market data" in done.stderr


@pytest.fixture
def other_ccxt(tmp_path: Path) -> Environment:
    """The environment of a user whose ccxt is 4.5.999, where binance's ticker asks for the dust of an account too."""
    spec = find_spec("ccxt")
    assert spec is not None
    assert spec.origin is not None
    installed = Path(spec.origin).parent
    package = tmp_path / "lib" / "ccxt"
    changed = package / "async_support"
    changed.mkdir(parents=True)
    for source, links in ((installed, package), (installed / "async_support", changed)):
        for each in source.iterdir():
            if each.name != "async_support" and (
                links is package or each.name not in {"__init__.py", "binance.py"}
            ):
                (links / each.name).symlink_to(each)
    first = (installed / "async_support" / "__init__.py").read_text(encoding="utf-8")
    binance = (installed / "async_support" / "binance.py").read_text(encoding="utf-8")
    assert f"__version__ = '{VERSION}'" in first
    head, method, body = binance.partition("    async def fetch_ticker(")
    signature, quotes, rest = body.partition('"""')
    document, more, code = rest.partition('"""\n')
    asks = "        await self.sapiPostAssetDustBtc(params)\n"
    changed.joinpath("__init__.py").write_text(first.replace(VERSION, "4.5.999"), encoding="utf-8")
    changed.joinpath("binance.py").write_text(
        f"{head}{method}{signature}{quotes}{document}{more}{asks}{code}", encoding="utf-8"
    )
    # Nothing may be compiled into the installed package through the links.
    paths = [str(tmp_path / "lib"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    path = os.pathsep.join(str(Path(each).absolute()) for each in paths if each)
    return environment(tmp_path, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1")


async def price(environ: Environment, config: Path) -> dict[str, Any]:
    """What a real client is told the price is, after it listed the tools."""
    command = [*PROGRAM, "serve", "--config", str(config)]
    launch = StdioServerParameters(command=command[0], args=command[1:], env=environ)
    with anyio.fail_after(40):
        async with Client(stdio_client(launch)) as client:
            assert (await client.list_tools()).tools
            result = await client.call_tool("get_ticker", {"symbol": "BTC/USDT"})
    return cast("dict[str, Any]", result.structured_content)


@pytest.mark.anyio
async def test_another_ccxt_whose_reads_reach_more_is_refused_until_an_operator_accepts_the_difference(
    other_ccxt: Environment, sim: Sim, tmp_path: Path
) -> None:
    config = configured(tmp_path, sim)
    shown = explained("binance", other_ccxt)
    assert shown["ccxt"] == "4.5.999"
    assert not any(shown["classes"].values())
    error = (await price(other_ccxt, config))["error"]
    assert error["code"] == "EGRESS_REFUSED"
    digest = error["hint"].partition("accept ")[2].partition(",")[0]
    assert digest in shown["refused"]["read"]

    wrong = ran("egress", "accept", "0" * 64, environ=other_ccxt)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.splitlines()[0] == "no current difference has this digest; there are:"
    assert [line.split()[0] for line in wrong.stderr.splitlines()[1:]] == list(VENUES)
    assert f"  binance {digest}" in wrong.stderr.splitlines()

    done = ran("egress", "accept", digest, environ=other_ccxt)
    assert (done.returncode, done.stderr) == (0, "")
    before, _, after = done.stdout.partition("\nAccepted.")
    assert before.splitlines() == [
        f"binance: ccxt {VERSION} was read, 4.5.999 is installed",
        "+ read POST sapi asset/dust-btc",
    ]
    assert "  GET    public" in after
    stored = tmp_path / ".local" / "state" / "exchange-mcp" / "egress.json"
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    assert json.loads(stored.read_text(encoding="utf-8"))["accepted"][digest]["installed"] == "4.5.999"

    again = ran("egress", "accept", digest, environ=other_ccxt)
    assert (again.returncode, again.stdout.splitlines()[-1]) == (0, "This is accepted already.")
    now = explained("binance", other_ccxt)
    assert "refused" not in now
    # The operator accepted the difference; what nobody reviewed is still stopped, and fails the call.
    assert {"verb": "POST", "api": "sapi", "path": "asset/dust-btc"} in now["derived_only"]["read"]
    assert (await price(other_ccxt, config))["error"]["code"] == "EGRESS_BLOCKED"
