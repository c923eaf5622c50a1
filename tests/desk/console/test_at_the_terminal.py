"""The terminal's part: a link for the console, and a passkey that is made in the browser and signed in by its words."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import click
import httpx
import pytest
from click.testing import CliRunner

from desk.soft_passkey import SoftPasskey
from exchange_mcp.cli.console import command
from exchange_mcp.cli.passkey_making import passkey_body
from exchange_mcp.desk.operator.client import OperatorClient
from exchange_mcp.desk.passkeys import check_words, unb64

from .served import Served
from .visiting import ASKS


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path) as made:
        yield made


def test_the_command_prints_a_link_that_works_once(served: Served) -> None:
    asked = CliRunner().invoke(command, ["--socket", str(served.socket)])
    assert asked.exit_code == 0, asked.output
    url, _, secret = asked.stdout.strip().partition("#")
    headers = {**ASKS, "origin": served.origin}
    # By name, as a browser does, and by both addresses.
    for address in ("127.0.0.1", "[::1]"):
        answer = httpx.post(
            f"http://{address}:{served.port}/enter",
            json={"secret": secret},
            headers={**headers, "host": f"localhost:{served.port}"},
        )
        assert answer.status_code == (200 if address == "127.0.0.1" else 401)
    assert url == f"{served.origin}/enter"


def test_for_programs_the_link_is_json(served: Served) -> None:
    asked = CliRunner().invoke(command, ["--socket", str(served.socket), "--json"])
    assert json.loads(asked.stdout)["url"].startswith(f"{served.origin}/enter#")


def test_without_a_desk_the_command_says_how_to_start_one(tmp_path: Path) -> None:
    asked = CliRunner().invoke(command, ["--socket", str(tmp_path / "none.sock")])
    assert asked.exit_code == 3
    assert "exchange-mcp desk" in asked.stderr


def making(
    served: Served, soft: SoftPasskey, *, says: bool, capsys: pytest.CaptureFixture[str]
) -> dict[str, object]:
    """The terminal's side, while a browser makes the passkey between two looks."""
    seen: list[str] = []

    def browse(_: float) -> None:
        told = capsys.readouterr().err
        secret = told.partition("#")[2].split()[0]
        typed = told.rpartition(": ")[2].strip()
        headers = {**ASKS, "origin": served.origin}
        with httpx.Client(base_url=served.origin, headers=headers) as browser:
            begun = browser.post("/enrol/begin", json={"secret": secret, "code": typed}).json()
            made = soft.made(unb64(begun["options"]["challenge"]), origin=served.origin)
            shown = browser.post("/enrol/finish", json={"secret": secret, **made}).json()
            seen.append(shown["check"])

    def is_same(words: str) -> bool:
        assert seen == [words]
        return says

    with OperatorClient(served.socket) as client:
        return passkey_body(client, "bob", sleep=browse, is_same=is_same)


def test_what_is_signed_in_is_the_passkey_that_the_browser_made(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    soft = SoftPasskey()
    body = making(served, soft, says=True, capsys=capsys)
    assert body == {"name": "bob", "kind": "passkey", "public": soft.passkey.text()}
    assert check_words("bob", str(body["public"]))


def test_a_passkey_whose_words_differ_is_not_signed_in(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(click.ClickException, match="nothing was signed"):
        making(served, SoftPasskey(), says=False, capsys=capsys)


def test_nobody_but_a_person_makes_a_passkey(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with OperatorClient(served.socket) as client, pytest.raises(click.ClickException, match="terminal"):
        passkey_body(client, "bob")
