"""Adding an account to `serve.toml`: its table goes to the end, and every byte before it stays as it is."""

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from exchange_mcp.config.accounts import AccountCheck, AccountConfig
from exchange_mcp.config.faults import ConfigError, Fault
from exchange_mcp.config.owner_only import write_owner_only
from exchange_mcp.config.schema import KeyTable, SecretReference
from exchange_mcp.config.serve import judge_serve, serve_text
from exchange_mcp.config.toml_text import listed, quoted
from exchange_mcp.model.accounts import Environment, MarketType

_HEAD: Final = "# What `exchange-mcp serve` is told. Secrets never stand here, only where they are kept.\n"
# Stands in for the account to come, so that a file that has none yet can be judged.
_PROBE: Final = "exchange-mcp-init"
_PROBE_TABLE: Final = f'\n[accounts.{_PROBE}]\nvenue = "binance"\nenvironment = "live"\n'


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account to be written down. `key` belongs to a venue, `sim_key` and `rendezvous` to the simulated one.

    `may_transfer` is for an account of the desk.
    """

    name: str
    venue: str
    environment: Environment
    market_types: tuple[MarketType, ...]
    key: KeyTable | None = None
    sim_key: str | None = None
    rendezvous: Path | None = None
    accept_unverified: str | None = None
    may_transfer: str | None = None

    def table(self, home: Path) -> str:
        """As TOML; paths in the home directory begin with `~`.

        Raises:
            NotUnicodeError: a path is none.
        """
        return "\n".join([*self._lines(home), ""])

    def _lines(self, home: Path) -> Iterator[str]:
        yield f"[accounts.{self.name}]"
        yield f"venue = {quoted(self.venue)}"
        yield f"environment = {quoted(self.environment)}"
        yield f"market_types = {listed(self.market_types)}"
        if self.sim_key is not None:
            yield f"sim_key = {quoted(self.sim_key)}"
        if self.rendezvous is not None:
            yield f"rendezvous = {quoted(written_path(self.rendezvous, home))}"
        if self.accept_unverified is not None:
            yield f"accept_unverified = {quoted(self.accept_unverified)}"
        if self.may_transfer is not None:
            yield f"may_transfer = {quoted(self.may_transfer)}"
        if self.key is None:
            return
        yield from ("", f"[accounts.{self.name}.key]")
        for part in KeyTable.model_fields:
            reference: SecretReference | None = getattr(self.key, part)
            if reference is not None:
                yield f"{part} = {_reference(reference, home)}"


def _reference(reference: SecretReference, home: Path) -> str:
    if reference.file is not None:
        return f"{{ file = {quoted(written_path(reference.file, home))} }}"
    if reference.env is not None:
        return f"{{ env = {quoted(reference.env)} }}"
    return f"{{ keyring = {quoted(reference.keyring or '')} }}"


def written_path(path: Path, home: Path) -> str:
    """The path as it is written into the file: from the home directory, where it is in there."""
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)


class ServeFile:
    """One `serve.toml` as it stands, or none yet, to which an account can be added.

    Args:
        path: where it stands; a symbolic link stays one, and what it points to is changed.
        check: rules on what a venue offers.
        environ: names the home directory and the XDG locations.

    Raises:
        ConfigError: what stands there cannot be used, with every fault; that it has no account yet is none.
    """

    def __init__(self, path: Path, *, check: AccountCheck, environ: Mapping[str, str]) -> None:
        self.path = path
        self._check = check
        self._environ = environ
        self._text: str | None = None
        self.names: tuple[str, ...] = ()
        self._target = Path(os.path.realpath(path))
        if os.path.lexists(self._target):  # a link that leads nowhere yet is no file yet
            self._read()

    def _read(self) -> None:
        text = serve_text(self.path)
        if isinstance(text, Fault):
            raise ConfigError([text])
        try:
            document = tomllib.loads(text)
        except (ValueError, RecursionError):
            document = None
        accounts: object = {} if document is None else document.get("accounts", {})
        names = list(cast("dict[str, object]", accounts)) if isinstance(accounts, dict) else ["accounts"]
        if document is None or names:
            judge_serve(text, str(self.path), check=self._check, environ=self._environ)
        else:
            judge_serve(text + _PROBE_TABLE, str(self.path), check=self._check, environ=self._environ)
        self._text, self.names = text, tuple(names)

    def added(self, account: NewAccount, home: Path) -> tuple[str, AccountConfig]:
        """The file's text with this account, and the account as `serve` will read it.

        Raises:
            ConfigError: the file would not be one, with every fault.
            NotUnicodeError: a path is none.
        """
        before = _HEAD if self._text is None else self._text
        table = account.table(home)
        if before and not before.endswith("\n"):
            table = "\n" + table
        if before:
            table = "\n" + table
        text = before + (table.replace("\n", "\r\n") if "\r\n" in before else table)
        try:
            tomllib.loads(text)
        except ValueError:
            raise ConfigError(
                [
                    Fault(
                        str(self.path),
                        None,
                        "accounts",
                        "is not written as tables [accounts.NAME], so none can be added; add it by hand",
                    )
                ]
            ) from None
        config = judge_serve(text, str(self.path), check=self._check, environ=self._environ)
        (found,) = (each for each in config.accounts if each.account.name == account.name)
        return text, found

    def require_unchanged(self) -> int:
        """The mode that the file has, or gets.

        Raises:
            ConfigError: it was changed since it was read.
        """
        now = serve_text(self._target) if os.path.lexists(self._target) else None
        if now != self._text:
            raise ConfigError([Fault(str(self.path), None, "", "was changed meanwhile; run init again")])
        return 0o600 if now is None else stat.S_IMODE(self._target.stat().st_mode)

    def store(self, text: str) -> None:
        """Put the text in the file's place, all or nothing, with the mode that the file has.

        Raises:
            ConfigError: the file was changed since it was read.
            OSError: it cannot be written.
        """
        write_owner_only(self._target, text.encode(), mode=self.require_unchanged())
