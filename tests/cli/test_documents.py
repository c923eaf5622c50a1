"""What the documents say that a program can check."""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
from click import Context

from exchange_mcp.cli.commands import run
from exchange_mcp.config.serve import load_serve
from exchange_mcp.model.effects import Effect
from exchange_mcp.rules.venues import VENUES, check_account
from exchange_mcp.tools.answers import output_schema
from exchange_mcp.tools.registry import builtin, without_desk
from tools.json_schema import violations

from .launching import ran
from .readme import README, blocks

ROOT: Final = Path(__file__).parents[2]


JSON: Final[list[dict[str, Any]]] = [json.loads(block) for block in blocks("json")]


def test_the_table_of_tools_is_the_registrys() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .+ \| (nobody|the venue) \|$", README, re.MULTILINE)
    asks = {Effect.LOCAL: "nobody", Effect.READ: "the venue"}
    assert rows == [(spec.name, asks[spec.effect]) for spec in without_desk()]


@pytest.mark.parametrize(("kind", "tool"), [("data", "get_balance"), ("error", "get_ticker")])
def test_the_answers_that_are_shown_are_valid(kind: str, tool: str) -> None:
    (answer,) = [block for block in JSON if block.get(kind) is not None]
    spec = without_desk().get(tool)
    assert spec is not None
    assert violations(output_schema(spec.data), answer) == []


def test_the_client_configuration_that_is_shown_names_what_exists() -> None:
    (servers,) = [block["mcpServers"] for block in JSON if "mcpServers" in block]
    (server,) = servers.values()
    program, *venues = server["args"]
    assert program == "serve"
    assert venues[::2] == ["--venue"] * 2
    assert set(venues[1::2]) <= set(VENUES)


def test_the_server_loads_nothing_that_writes(environ: dict[str, str]) -> None:
    # All that serving imports, what comes late included; the modules that SECURITY.md names exist and are not in it.
    source = (
        "import sys, exchange_mcp.cli.serve, exchange_mcp.venue.opening;"
        "print(*(name for name in sys.modules if name.startswith('exchange_mcp.')))"
    )
    loaded = ran(environ=environ, program=(sys.executable, "-c", source)).stdout.split()
    named = re.findall(r"`venue/(\w+)\.py`", (ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    assert "exchange_mcp.venue.reads" in loaded
    assert named
    assert not [name for name in named if not (ROOT / f"src/exchange_mcp/venue/{name}.py").exists()]
    assert not {f"exchange_mcp.venue.{name}" for name in named} & set(loaded)


def test_every_supported_venue_is_named() -> None:
    named = re.search(r"The venues are ([\w,\s]+?)\. ", README)
    assert named is not None
    assert re.split(r",\s+|\s+and\s+", named[1]) == list(VENUES)


def test_the_table_of_tools_that_propose_is_the_registrys() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .+ \| the desk \|$", README, re.MULTILINE)
    reading = {spec.name for spec in without_desk()}
    assert rows == [spec.name for spec in builtin() if spec.name not in reading]


def test_the_lines_for_a_desk_are_taken_beside_the_account_that_is_shown(tmp_path: Path) -> None:
    account, desk = blocks("toml")
    (tmp_path / "serve.toml").write_text(desk + account[account.index("[accounts.main]") :], encoding="utf-8")
    loaded = load_serve(tmp_path / "serve.toml", check=check_account, environ={"HOME": str(tmp_path)})
    assert loaded.desk is not None
    assert loaded.desk.tools == {"place_order", "cancel_order", "set_leverage"}
    assert loaded.client in loaded.desk.credentials


def test_every_command_that_a_document_names_exists() -> None:
    commands = run.list_commands(Context(run))
    named = {
        (document.name, word)
        for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
        # As it is written where it can be pasted: in a block, or between ticks.
        for word in re.findall(
            r"(?:^|`|bin/)exchange-mcp ([a-z]+)\b(?! an MCP)", document.read_text("utf-8"), re.MULTILINE
        )
    }
    assert len(named) > 10
    assert not {each for each in named if each[1] not in commands}


def test_the_configuration_that_is_shown_is_one(tmp_path: Path) -> None:
    text, _ = blocks("toml")
    (tmp_path / "serve.toml").write_text(text, encoding="utf-8")
    loaded = load_serve(tmp_path / "serve.toml", check=check_account, environ={"HOME": str(tmp_path)})
    (account,) = loaded.accounts
    assert (account.account.name, account.account.has_key) == ("main", True)


def test_the_lines_that_store_a_key_make_files_that_are_accepted(
    environ: dict[str, str], tmp_path: Path
) -> None:
    (stored,) = [block for block in blocks("") if "umask" in block]
    typed = "made-up-api-key-1\nmade-up-secret-1\n"
    shell = ran(environ=environ, program=("bash", "-c", stored), given=typed)
    assert shell.returncode == 0, shell.stderr
    assert (tmp_path / ".secrets" / "binance-secret").read_text(encoding="utf-8") == "made-up-secret-1"
    default = tmp_path / ".config" / "exchange-mcp" / "serve.toml"
    default.write_text(blocks("toml")[0], encoding="utf-8")
    done = ran("serve", environ=environ)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("target", ["demo", "test"])
def test_the_commands_that_are_shown_are_targets_of_make(target: str) -> None:
    assert f"make {target}\n" in blocks("")
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_version_that_is_described_is_this_one() -> None:
    version = re.search(r'__version__ = "(.+)"', (ROOT / "src/exchange_mcp/__init__.py").read_text("utf-8"))
    assert version is not None
    assert f"version {version[1]}" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert f"exchange-mcp {version[1]}." in README


def test_the_example_configuration_names_every_venue() -> None:
    text = (ROOT / "config" / "serve.example.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["accounts"]
    assert ", ".join(VENUES) in text
