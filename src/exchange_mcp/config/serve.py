"""What `serve` was told to be: from `serve.toml`, or from a list of venues, to a configuration that holds.

Nothing is read here but that one file; secrets stay references until `credentials.py` resolves them.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from exchange_mcp.config.accounts import (
    AccountCheck,
    AccountConfig,
    Finding,
    default_market_types,
    judge_account,
)
from exchange_mcp.config.faults import ConfigError, Fault, dotted
from exchange_mcp.config.locations import home_directory, locations
from exchange_mcp.config.schema import DEFAULT_CLIENT, HttpTable, KeysTable, LimitsTable, LogTable, ServeTable
from exchange_mcp.config.sentences import sentences
from exchange_mcp.config.toml_lines import KeyLines
from exchange_mcp.model.accounts import Account, AccountName, Environment

_LARGEST_FILE = 1_048_576
_POSITION = re.compile(r" \(at line (\d+), column (\d+)\)$")
_AT_END = " (at end of document)"


@dataclass(frozen=True, slots=True)
class ServeConfig:
    """Everything `serve` was told.

    `accounts` is not empty and its names are unique. `cache_directory` None means the user's cache location.
    """

    client: str
    limits: LimitsTable
    log: LogTable
    keys: KeysTable
    http: HttpTable
    cache_directory: Path | None
    accounts: tuple[AccountConfig, ...]


def load_serve(path: Path, *, check: AccountCheck, environ: Mapping[str, str]) -> ServeConfig:
    """The configuration in the file at `path`; reads no secret.

    `check` rules on what a venue offers. `environ` names the home directory and the XDG locations.

    Raises:
        ConfigError: with every fault that was found, each with its line.
    """
    outcome = _examine(path, check, environ)
    if isinstance(outcome, ServeConfig):
        return outcome
    raise ConfigError(outcome)


def public_serve(venues: Sequence[str], *, check: AccountCheck) -> ServeConfig:
    """The configuration without a file: one keyless live account a venue, named after it.

    Raises:
        ConfigError: if no venue is named or one is not supported.
    """
    accounts: list[AccountConfig] = []
    refusals: list[str] = [] if venues else ["no venue is named; name at least one"]
    for venue in dict.fromkeys(venues):
        market_types = default_market_types(venue, Environment.LIVE, has_key=False, check=check)
        refusal = check(venue, Environment.LIVE, market_types, has_key=False)
        if refusal is not None:
            refusals.append(refusal)
            continue
        account = Account(AccountName(venue), venue, Environment.LIVE, market_types, has_key=False)
        accounts.append(AccountConfig(account))
    if refusals:
        raise ConfigError([Fault(None, None, "", refusal) for refusal in refusals])
    return ServeConfig(
        DEFAULT_CLIENT, LimitsTable(), LogTable(), KeysTable(), HttpTable(), None, tuple(accounts)
    )


def judge_serve(text: str, file: str, *, check: AccountCheck, environ: Mapping[str, str]) -> ServeConfig:
    """The configuration that this text is; `file` is where it stands, for those who read what is wrong.

    Raises:
        ConfigError: with every fault that was found, each with its line.
    """
    outcome = _examine_text(text, file, check, environ)
    if isinstance(outcome, ServeConfig):
        return outcome
    raise ConfigError(outcome)


def _examine(path: Path, check: AccountCheck, environ: Mapping[str, str]) -> ServeConfig | list[Fault]:
    """Keeps the file's text, in which a secret may stand by mistake, out of the frames that raise."""
    text = text_of(path)
    if isinstance(text, Fault):
        return [text]
    return _examine_text(text, str(path), check, environ)


def _examine_text(
    text: str, file: str, check: AccountCheck, environ: Mapping[str, str]
) -> ServeConfig | list[Fault]:
    try:
        document = tomllib.loads(text)
        lines = KeyLines(text)
    except RecursionError:
        return [Fault(file, None, "", "is nested too deeply")]
    except ValueError as error:  # not TOMLDecodeError alone: a number of 5,000 digits is a plain ValueError
        return [_syntax_fault(file, str(error), text)]
    outcome = _judge(document, check, environ)
    if isinstance(outcome, ServeConfig):
        return outcome
    faults = [Fault(file, lines.find(place), dotted(place), message) for place, message in outcome]
    return sorted(faults, key=lambda fault: fault.line or 0)


def text_of(path: Path) -> str | Fault:
    """The file's text, byte for byte, or why it cannot be had."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(_LARGEST_FILE + 1)
    except FileNotFoundError:
        message = "does not exist; write one, or name venues to read public market data"
        return Fault(str(path), None, "", message)
    except OSError as error:
        return Fault(str(path), None, "", f"cannot be read: {error.strerror}")
    if len(raw) > _LARGEST_FILE:
        return Fault(str(path), None, "", f"is larger than {_LARGEST_FILE} bytes")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return Fault(str(path), line, "", "is not UTF-8 text, as TOML has to be")


def _syntax_fault(file: str, message: str, text: str) -> Fault:
    """Before Python 3.14, tomllib says where only in its message."""
    position = _POSITION.search(message)
    if position is not None:
        said = f"{message[: position.start()]}, at column {position[2]}"
        return Fault(file, int(position[1]), "", f"is not valid TOML: {said}")
    line = text.rstrip().count("\n") + 1 if message.endswith(_AT_END) else None
    return Fault(file, line, "", f"is not valid TOML: {message}")


def _judge(
    document: dict[str, object], check: AccountCheck, environ: Mapping[str, str]
) -> ServeConfig | list[Finding]:
    home = home_directory(environ)
    findings: list[Finding] = []
    table: ServeTable | None = None
    try:
        table = ServeTable.model_validate(document, context={"home": home})
    except ValidationError as error:
        findings += sentences(error, ServeTable)
    accounts: list[AccountConfig] = []
    for name, content in _tables(document.get("accounts")).items():
        outcome = judge_account(
            name, content, check=check, home=home, rendezvous=locations(environ, home).rendezvous_file
        )
        if isinstance(outcome, AccountConfig):
            accounts.append(outcome)
        else:
            findings += outcome
    if table is None or findings:
        return findings
    return ServeConfig(
        table.client,
        table.limits,
        table.log,
        table.keys,
        table.http,
        table.cache.directory,
        tuple(accounts),
    )


def _tables(value: object) -> dict[str, object]:
    """The tables in a table, or none where something else stands, which is a finding of its own."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] - TOML's keys are text
