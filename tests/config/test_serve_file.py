"""Adding an account to a serve.toml: what is there stays, and what cannot hold one more is refused whole."""

import tomllib
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange_mcp.config.faults import ConfigError
from exchange_mcp.config.schema import KeyTable, SecretReference
from exchange_mcp.config.serve_file import NewAccount, ServeFile, written_path
from exchange_mcp.config.toml_text import NotUnicodeError, quoted
from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.rules.venues import check_account

NEW: Final = NewAccount("new", "kraken", Environment.LIVE, (MarketType.SPOT,))
OLD: Final = '[accounts.old]\nvenue = "okx"\nenvironment = "live"\n'


def serve_file(tmp_path: Path, text: str | None = None) -> ServeFile:
    path = tmp_path / "serve.toml"
    if text is not None:
        path.write_bytes(text.encode())
    return ServeFile(path, check=check_account, environ={"HOME": str(tmp_path)})


@pytest.mark.parametrize(
    "text",
    [
        OLD,
        OLD.rstrip(),
        OLD.replace("\n", "\r\n"),
        '# no account yet\nclient = "x"',
        "",
        '[accounts.old]\nvenue = "okx"\nenvironment = "live"\n[log]\nlevel = "error"  # last',
        '[accounts]\nold = { venue = "okx", environment = "live" }\n',
    ],
)
def test_what_was_there_stays_byte_for_byte_and_the_account_is_one_of_the_file(
    text: str, tmp_path: Path
) -> None:
    file = serve_file(tmp_path, text)
    after, config = file.added(NEW, tmp_path)
    file.store(after)
    stored = (tmp_path / "serve.toml").read_bytes()
    assert stored.startswith(text.encode())
    assert config.account.name == "new"
    assert tomllib.loads(stored.decode())["accounts"]["new"]["venue"] == "kraken"
    assert (b"\r\n" in stored) == ("\r\n" in text)
    assert stored.count(b"\r\n") in {0, stored.count(b"\n")}


def test_a_file_that_changed_since_it_was_read_is_left_alone(tmp_path: Path) -> None:
    file = serve_file(tmp_path, OLD)
    after, _ = file.added(NEW, tmp_path)
    (tmp_path / "serve.toml").write_text(OLD + "# edited\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="was changed meanwhile"):
        file.store(after)
    assert (tmp_path / "serve.toml").read_text(encoding="utf-8") == OLD + "# edited\n"


def test_a_file_that_came_to_be_meanwhile_is_left_alone(tmp_path: Path) -> None:
    file = serve_file(tmp_path)
    after, _ = file.added(NEW, tmp_path)
    (tmp_path / "serve.toml").write_text(OLD, encoding="utf-8")
    with pytest.raises(ConfigError, match="was changed meanwhile"):
        file.store(after)


def test_a_link_that_leads_nowhere_yet_gets_its_file_and_one_that_leads_to_itself_is_a_fault(
    tmp_path: Path,
) -> None:
    (tmp_path / "serve.toml").symlink_to(tmp_path / "dotfiles" / "serve.toml")
    file = serve_file(tmp_path)
    file.store(file.added(NEW, tmp_path)[0])
    assert (tmp_path / "serve.toml").is_symlink()
    assert tomllib.loads((tmp_path / "dotfiles" / "serve.toml").read_text(encoding="utf-8"))
    (tmp_path / "itself").symlink_to("itself")
    with pytest.raises(ConfigError, match="cannot be read"):
        ServeFile(tmp_path / "itself", check=check_account, environ={"HOME": str(tmp_path)})


@pytest.mark.parametrize(
    "text", ["accounts = 3\n", "accounts = []\n", "[[accounts]]\n", "[accounts]\nmain = 1\n"]
)
def test_accounts_that_are_none_are_a_fault(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="accounts"):
        serve_file(tmp_path, text)


def test_a_file_that_cannot_be_put_in_place_leaves_no_draft(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    file = ServeFile(place / "serve.toml", check=check_account, environ={"HOME": str(tmp_path)})
    after, _ = file.added(NEW, tmp_path)
    (place / "serve.toml").mkdir()
    with pytest.raises((ConfigError, OSError)):
        file.store(after)
    assert list(place.iterdir()) == [place / "serve.toml"]


@given(st.text())
def test_every_text_is_quoted_so_that_toml_reads_it_again(text: str) -> None:
    assert tomllib.loads(f"key = {quoted(text)}")["key"] == text


def test_what_is_not_unicode_is_refused() -> None:
    with pytest.raises(NotUnicodeError):
        quoted("/home/\udcff")


@pytest.mark.parametrize(
    ("path", "written"),
    [("/home/me/a/b", "~/a/b"), ("/home/me", "/home/me"), ("/home/men/a", "/home/men/a")],
)
def test_a_path_in_the_home_is_written_from_there(path: str, written: str) -> None:
    assert written_path(Path(path), Path("/home/me")) == written


def test_each_kind_of_reference_is_read_again_as_it_was(tmp_path: Path) -> None:
    key = KeyTable(
        api_key=SecretReference.model_validate({"file": "~/a"}, context={"home": tmp_path}),
        secret=SecretReference(keyring="new.secret"),
        passphrase=SecretReference(env="PHRASE"),
    )
    account = NewAccount("new", "binance", Environment.LIVE, (MarketType.SPOT,), key=key)
    _, config = serve_file(tmp_path).added(account, tmp_path)
    assert config.key == key
