"""A `desk.toml` in the making: its accounts so far, kept beside it so that an interrupted setup goes on from there."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from exchange_mcp.cli.desk_limits import FirstLimits
from exchange_mcp.config.accounts import AccountCheck, AccountConfig, Finding
from exchange_mcp.config.desk_tables import judge_desk_account
from exchange_mcp.config.faults import ConfigError, Fault
from exchange_mcp.config.locations import home_directory, locations
from exchange_mcp.config.owner_only import write_owner_only
from exchange_mcp.config.serve_file import NewAccount
from exchange_mcp.config.toml_document import document_of, text_of
from exchange_mcp.config.toml_text import quoted

if TYPE_CHECKING:
    from exchange_mcp.model.accounts import Account

_HEAD: Final = """\
# What `exchange-mcp desk` is told, as its setup wrote it. No secret stands here, only where each is kept.
# Every setting is explained in the example that comes with exchange-mcp, config/desk.example.toml.
# Whatever you change counts once an approver accepted it: exchange-mcp desk accept

[desk]
# How long a proposal waits for a decision, and how long an approval may be used before it lapses.
expires_seconds = 600
grant_seconds = 120
"""
_PORT: Final = (
    "The page to decide on is served here, on this machine alone; passkeys hold for this port only."
)
_POLICY_HEAD: Final = """\
# The limits of every order. What no limit allows is refused; what you add here can only be as wide as you write it.
"""


class DeskDraft:
    """The accounts of a desk to be, each judged as the desk will judge it.

    Args:
        path: of the `desk.toml` to be.
        check: rules on what a venue offers.
        environ: names the home directory and the XDG locations.

    Raises:
        ConfigError: what an interrupted setup left cannot be used.
    """

    def __init__(self, path: Path, *, check: AccountCheck, environ: Mapping[str, str]) -> None:
        self.path = path
        self._check = check
        self._home = home_directory(environ)
        self._rendezvous = locations(environ, self._home).rendezvous_file
        self._draft = path.with_name(f".{path.name}.setup")
        self._text = ""
        self.accounts: Sequence[Account] = ()
        if os.path.lexists(self._draft):
            text = text_of(self._draft, if_missing="run the setup again")
            if isinstance(text, Fault):
                raise ConfigError([text])
            self._take(text)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the accounts so far."""
        return tuple(account.name for account in self.accounts)

    def added(self, account: NewAccount, home: Path) -> tuple[str, AccountConfig]:
        """The draft with this account, and the account as the desk will read it.

        Raises:
            ConfigError: it would be none, with every fault.
            NotUnicodeError: a path is none.
        """
        text = f"{self._text}\n{account.table(home)}" if self._text else account.table(home)
        configs = self._judged(text)
        (found,) = (each for each in configs if each.account.name == account.name)
        return text, found

    def keep(self, text: str) -> None:
        """Take the accounts of this text, and keep them for the next run should this one be interrupted.

        Raises:
            OSError: it cannot be written.
        """
        self._take(text)
        write_owner_only(self._draft, text.encode())

    def settings(
        self,
        limits: FirstLimits,
        *,
        has_scripted_approver: bool,
        sockets: Sequence[tuple[str, str]],
        console_port: int | None,
    ) -> str:
        """The whole `desk.toml`.

        Args:
            limits: what stands in [policy], and from which worth on an amount is typed.
            has_scripted_approver: whether a script may approve.
            sockets: settings of [desk] with their paths as written.
            console_port: of [console]; None for the usual one.
        """
        desk = "".join(f"{name} = {quoted(path)}\n" for name, path in sockets)
        if has_scripted_approver:
            desk += (
                f"{'scripted_approver = true':<46}# a script may approve, since no account has real money\n"
            )
        port = "" if console_port is None else f"# {_PORT}\nport = {console_port}\n"
        return "\n".join(
            [
                _HEAD + desk,
                f"[console]\n{port}{limits.type_above()}\n",
                self._text,
                _POLICY_HEAD + limits.table(),
            ]
        )

    def done(self) -> None:
        """Forget the draft: its accounts stand in `desk.toml` now."""
        self._draft.unlink(missing_ok=True)

    def _take(self, text: str) -> None:
        self.accounts = tuple(config.account for config in self._judged(text))
        self._text = text

    def _judged(self, text: str) -> list[AccountConfig]:
        document = document_of(text, str(self._draft))
        if isinstance(document, Fault):
            raise ConfigError([document])
        named = document.content.get("accounts")
        tables = cast("dict[str, object]", named) if isinstance(named, dict) else {}
        findings: list[Finding] = []
        configs: list[AccountConfig] = []
        for name, content in tables.items():
            outcome = judge_desk_account(
                name, content, check=self._check, home=self._home, rendezvous=self._rendezvous
            )
            if isinstance(outcome, list):
                findings += outcome
            else:
                configs.append(outcome[0])
        if findings or not configs:
            unusable: list[Finding] = [((), "is not what the setup wrote; remove it, and begin again")]
            raise ConfigError(document.faults(findings or unusable))
        return configs
