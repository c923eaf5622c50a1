import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exchange_mcp.config.credentials import resolve_credentials
from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.rendezvous import load_rendezvous
from exchange_mcp.config.serve import ServeConfig

API_KEY = "simKeyOfTheReaderSimKeyOfTheReader"
SECRET = "simSecretOfTheReaderSimSecretOfThe"
TOKEN = "control-token-control-token"


@pytest.fixture
def published() -> dict[str, Any]:
    """What a running simulated exchange publishes, written by this process."""
    return {
        "schema": 1,
        "pid": os.getpid(),
        "port": 40443,
        "ca_pem": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
        "control_token": TOKEN,
        "keys": {"reader": {"api_key": API_KEY, "secret": SECRET, "account": "main"}},
        "seed": 1,
        "started_at_ms": 1_700_000_000_000,
    }


@pytest.fixture
def write(tmp_path: Path) -> Callable[[object], Path]:
    """Writes a rendezvous file as its owner would."""

    def write_file(content: object) -> Path:
        path = tmp_path / "rendezvous.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        path.chmod(0o600)
        return path

    return write_file


Write = Callable[[object], Path]


def test_a_running_simulated_exchange_is_found(write: Write, published: dict[str, Any]) -> None:
    found = load_rendezvous(write(published))

    assert (found.port, found.seed, found.pid) == (40443, 1, os.getpid())
    assert found.ca_pem == published["ca_pem"]
    assert found.keys["reader"].account == "main"
    assert found.control_token.reveal() == TOKEN
    assert not [value for value in (API_KEY, SECRET, TOKEN) if value in repr(found)]


def test_a_missing_file_says_how_to_start_the_simulated_exchange(tmp_path: Path) -> None:
    with pytest.raises(SecretError) as caught:
        load_rendezvous(tmp_path / "none.json")

    assert str(caught.value) == (
        f"no simulated exchange is running: file {tmp_path}/none.json does not exist; "
        "start the simulated exchange: exchange-mcp sim"
    )


def test_a_file_whose_process_has_ended_says_how_to_start_it_again(
    write: Write, published: dict[str, Any]
) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()

    with pytest.raises(SecretError, match=rf"process {ended.pid}, which wrote .*, has ended; start the"):
        load_rendezvous(write({**published, "pid": ended.pid}))


def test_a_file_that_others_can_read_is_refused(write: Write, published: dict[str, Any]) -> None:
    path = write(published)
    path.chmod(0o644)

    with pytest.raises(SecretError, match="open to others"):
        load_rendezvous(path)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"schema": 2}, "schema"),
        ({"port": 0}, "port"),
        ({"port": "40443"}, "port"),
        ({"pid": 0}, "pid"),
        ({"pid": -1}, "pid"),
        ({"ca_pem": "none"}, "ca_pem"),
        ({"control_token": ""}, "control_token"),
        ({"keys": {"reader": {"api_key": API_KEY, "account": "main"}}}, "keys.reader.secret"),
        ({"more": 1}, "more"),
    ],
)
def test_a_file_of_another_form_is_named_with_what_is_wrong_and_nothing_of_its_content(
    write: Write, published: dict[str, Any], change: dict[str, Any], wrong: str
) -> None:
    path = write({**published, **change})

    with pytest.raises(SecretError) as caught:
        load_rendezvous(path)

    assert str(caught.value) == (
        f"file {path} is not a rendezvous file of this version (wrong: {wrong}); "
        "start the simulated exchange: exchange-mcp sim"
    )
    assert caught.value.__context__ is None


def test_a_file_that_is_no_json_is_named(write: Write) -> None:
    with pytest.raises(SecretError, match=r"\(wrong: its JSON\)"):
        load_rendezvous(write('{"schema": 1,'))


def simulated(load: Callable[[str], ServeConfig], path: Path, sim_key: str) -> ServeConfig:
    return load(
        f'[accounts.demo]\nvenue = "binance"\nenvironment = "sim"\nrendezvous = "{path}"\n{sim_key}\n'
    )


def test_a_simulated_account_takes_its_credentials_from_the_file(
    load: Callable[[str], ServeConfig], write: Write, published: dict[str, Any]
) -> None:
    redactor = Redactor()
    config = simulated(load, write(published), 'sim_key = "reader"')

    credentials = resolve_credentials(config.accounts[0], environ={}, redactor=redactor)

    assert credentials is not None
    assert (credentials.api_key.reveal(), credentials.secret.reveal()) == (API_KEY, SECRET)
    assert redactor.scrub(f"{API_KEY} {SECRET}") == "[redacted] [redacted]"


def test_a_label_that_the_simulated_exchange_did_not_issue_is_named_with_those_it_did(
    load: Callable[[str], ServeConfig], write: Write, published: dict[str, Any]
) -> None:
    config = simulated(load, write(published), 'sim_key = "trader"')

    with pytest.raises(SecretError) as caught:
        resolve_credentials(config.accounts[0], environ={}, redactor=Redactor())

    assert str(caught.value) == ('account demo: the simulated exchange has no key "trader"; its keys: reader')


def test_a_simulated_account_without_a_label_needs_no_running_exchange(
    load: Callable[[str], ServeConfig], tmp_path: Path
) -> None:
    config = simulated(load, tmp_path / "none.json", "")

    assert resolve_credentials(config.accounts[0], environ={}, redactor=Redactor()) is None
