"""What the desk was told: `desk.toml` as a whole, with its accounts and its policy. Reads that file and no secret."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final, cast

from pydantic import ValidationError

from exchange_mcp.config.accounts import AccountCheck, AccountConfig, Finding
from exchange_mcp.config.desk_tables import (
    INNER,
    MOST_SOCKET_BYTES,
    SHOWN,
    DeskFileTable,
    DeskTable,
    judge_desk_account,
    socket_fault,
)
from exchange_mcp.config.faults import ConfigError, Fault
from exchange_mcp.config.locations import home_directory, locations
from exchange_mcp.config.schema import KeysTable, LogTable
from exchange_mcp.config.sentences import sentences
from exchange_mcp.config.toml_document import TomlDocument, document_of, text_of
from exchange_mcp.model.accounts import Account, AccountName, Environment
from exchange_mcp.policy.document import plain_decimal
from exchange_mcp.policy.loading import judge_policy
from exchange_mcp.policy.policy import Policy

_SECOND_MS: Final = 1000
# What the file says about money is exact; seconds elsewhere in it may be fractions as any.
_EXACT_TABLES: Final = ("policy", "console")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskAccount:
    """One account of the desk.

    Attributes:
        config: as `serve` has them; the key is one that may trade.
        may_transfer: why a key that may move money between the account's own wallets is accepted; None: it is not.
        accept_unmatched: why a live account is traded that cannot be compared with serve's; None: it is not.
    """

    config: AccountConfig
    may_transfer: str | None = None
    accept_unmatched: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskSettings:
    """Everything that stands in `desk.toml`.

    Attributes:
        file, text, digest: where it stands, its text, and SHA-256 of its bytes in hex, which is what is accepted.
        proposal_group: the group that may connect to the proposal socket beside the desk's own user; None: nobody.
        expires_ms: how long a proposal waits for a decision. grant_ms: how long a grant may be used.
        console_port: on loopback. type_above: from which worst-case notional, in the policy's reference currency, a
            person has to type the amount.
        has_scripted_approver: whether an approver whose key lies open is taken; every account is sim then.
    """

    file: Path
    text: str
    digest: str
    accounts: tuple[DeskAccount, ...]
    policy: Policy
    proposal_socket: Path
    proposal_group: str | None
    operator_socket: Path
    expires_ms: int
    grant_ms: int
    console_port: int
    type_above: Decimal
    has_scripted_approver: bool
    keys: KeysTable
    log: LogTable
    cache_directory: Path | None


def load_settings(path: Path, *, check: AccountCheck, environ: Mapping[str, str]) -> DeskSettings:
    """The settings in the file at `path`; reads no secret.

    Raises:
        ConfigError: with every fault that was found, each with its line.
    """
    text = desk_text(path)
    if isinstance(text, Fault):
        raise ConfigError([text])
    return judge_settings(text, path, check=check, environ=environ)


def desk_text(path: Path) -> str | Fault:
    """The file's text, byte for byte, or why it cannot be had."""
    return text_of(path, if_missing="set the desk up: exchange-mcp desk --setup")


def digest_of(text: str) -> str:
    """SHA-256 of the text's bytes, in hex: what an approver accepts."""
    return hashlib.sha256(text.encode()).hexdigest()


def judge_settings(text: str, path: Path, *, check: AccountCheck, environ: Mapping[str, str]) -> DeskSettings:
    """The settings that this text is; `path` is where it stands, or will.

    Raises:
        ConfigError: with every fault that was found, each with its line.
    """
    outcome = _examine(text, path, check, environ)
    if isinstance(outcome, DeskSettings):
        return outcome
    raise ConfigError(outcome)


def _examine(
    text: str, path: Path, check: AccountCheck, environ: Mapping[str, str]
) -> DeskSettings | list[Fault]:
    """Keeps the text, in which a secret may stand by mistake, out of the frames that raise."""
    document = document_of(text, str(path))
    exact = document_of(text, str(path), parse_float=plain_decimal)
    if isinstance(document, Fault) or isinstance(exact, Fault):
        return [fault for fault in (document, exact) if isinstance(fault, Fault)][:1]
    content = document.content | {
        name: exact.content[name] for name in _EXACT_TABLES if name in exact.content
    }
    return _Judging(content, text, path, check, environ).outcome(document)


class _Judging:
    """One pass over the tables of one file, which collects what is wrong with it."""

    def __init__(
        self,
        content: dict[str, object],
        text: str,
        path: Path,
        check: AccountCheck,
        environ: Mapping[str, str],
    ) -> None:
        self._content = content
        self._text = text
        self._path = path
        self._check = check
        self._home = home_directory(environ)
        self._places = locations(environ, self._home)
        self._findings: list[Finding] = []

    def outcome(self, document: TomlDocument) -> DeskSettings | list[Fault]:
        table: DeskFileTable | None = None
        try:
            table = DeskFileTable.model_validate(self._content, context={"home": self._home})
        except ValidationError as error:
            self._findings += sentences(error, DeskFileTable, shown=SHOWN, inner=INNER)
        accounts = tuple(self._accounts())
        policy = self._policy(accounts)
        sockets = self._sockets(DeskTable() if table is None else table.desk)
        if table is not None and table.desk.scripted_approver:
            self._findings += _not_simulated(accounts)
        if table is None or policy is None or self._findings:
            return document.faults(self._findings)
        return DeskSettings(
            file=self._path,
            text=self._text,
            digest=digest_of(self._text),
            accounts=accounts,
            policy=policy,
            proposal_socket=sockets[0],
            proposal_group=table.desk.proposal_group,
            operator_socket=sockets[1],
            expires_ms=table.desk.expires_seconds * _SECOND_MS,
            grant_ms=table.desk.grant_seconds * _SECOND_MS,
            console_port=table.console.port,
            type_above=table.console.type_above,
            has_scripted_approver=table.desk.scripted_approver,
            keys=table.keys,
            log=table.log,
            cache_directory=table.cache.directory,
        )

    def _accounts(self) -> Iterator[DeskAccount]:
        for name, content in _tables(self._content.get("accounts")).items():
            outcome = judge_desk_account(
                name,
                content,
                check=self._check,
                home=self._home,
                rendezvous=self._places.rendezvous_file,
            )
            if isinstance(outcome, list):
                self._findings += outcome
                continue
            config, table = outcome
            if not config.account.has_key:
                self._findings.append((("accounts", name), _keyless(config.account)))
            yield DeskAccount(
                config=config, may_transfer=table.may_transfer, accept_unmatched=table.accept_unmatched
            )

    def _policy(self, accounts: tuple[DeskAccount, ...]) -> Policy | None:
        content = self._content.get("policy")
        if not isinstance(content, dict):  # which is a finding of its own
            return None
        named = _tables(self._content.get("accounts"))
        known: dict[AccountName, Account] = {
            each.config.account.name: each.config.account for each in accounts
        }
        # With an account that could not be read, nobody knows what can be reached.
        outcome = judge_policy(content, configured=known if len(known) == len(named) else None)  # pyright: ignore[reportUnknownArgumentType] - TOML's keys are text
        if isinstance(outcome, Policy):
            return outcome
        self._findings += outcome
        return None

    def _sockets(self, table: DeskTable) -> tuple[Path, Path]:
        proposal = table.proposal_socket or self._places.proposal_socket
        operator = table.operator_socket or self._places.operator_socket
        for key, path in (("proposal_socket", proposal), ("operator_socket", operator)):
            said = socket_fault(path, shorter=shorter_socket(self._home, path))
            if said is not None:
                self._findings.append((("desk", key), said))
        if proposal.is_relative_to(operator.parent):
            said = f"lies in {operator.parent}, which only the desk's user can enter; give it a directory of its own"
            self._findings.append((("desk", "proposal_socket"), said))
        return proposal, operator


def shorter_socket(home: Path, path: Path) -> str:
    """A way to a socket of this name that a Unix socket can have, as it is written into the file."""
    tail = f"{path.parent.name[:20]}/{path.name[:20]}"
    if len(bytes(home / ".xmcp" / tail)) <= MOST_SOCKET_BYTES:
        return f"~/.xmcp/{tail}"
    return f"/tmp/xmcp-{os.getuid()}/{tail}"  # noqa: S108 - its directory is made by and for one user, or refused


def _keyless(account: Account) -> str:
    if account.environment is Environment.SIM:
        return (
            'has no key, and a desk trades with one; name a key of the simulated exchange: sim_key = "trader"'
        )
    return "has no key, and a desk trades with one; give it a table [accounts.NAME.key], or leave it to serve"


def _not_simulated(accounts: tuple[DeskAccount, ...]) -> Iterator[Finding]:
    others = [
        f"{each.config.account.name} ({each.config.account.environment})"
        for each in accounts
        if each.config.account.environment is not Environment.SIM
    ]
    if others:
        said = f"is for a desk whose every account is simulated, and these are not: {', '.join(others)}"
        yield ("desk", "scripted_approver"), said


def _tables(value: object) -> dict[str, object]:
    """The tables in a table, or none where something else stands, which is a finding of its own."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
