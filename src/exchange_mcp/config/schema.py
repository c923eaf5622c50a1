"""What may stand in `serve.toml`, table by table.

Each field's description says what is expected there; it completes the sentence "expected ...".
"""

import ipaddress
import re
from pathlib import Path
from typing import Annotated, Literal, Self, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from exchange_mcp.model.accounts import Environment, MarketType

DEFAULT_CLIENT = "unnamed"
ACCOUNT_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")

# A long name without an underscore is what a key looks like that was pasted in its place.
_VARIABLE_NAME = re.compile(r"(?=.{1,19}$|.*_)[A-Z_][A-Z0-9_]{0,63}")
# The same for an entry of the keyring: a long one has a mark in it.
_ENTRY_NAME = re.compile(r"(?=.{1,19}$|.*[._-])[a-z0-9][a-z0-9._-]{0,63}")
_NOT_IN_THIS_FILE = (
    "a secret does not stand in this file; put it into an environment variable and write "
    '{ env = "NAME" }, or into a file that only you can read and write { file = "~/PATH" }'
)


def _variable(name: object) -> object:
    if isinstance(name, str) and _VARIABLE_NAME.fullmatch(name):
        return name
    raise PydanticCustomError(
        "variable", "expected the name of an environment variable, in capitals, not the secret itself"
    )


def _entry(name: object) -> object:
    if isinstance(name, str) and _ENTRY_NAME.fullmatch(name):
        return name
    raise PydanticCustomError(
        "variable",
        "expected the name of an entry in the keyring, of a-z, 0-9, dot, _ and -, not the secret itself",
    )


def _expand(path: object, info: ValidationInfo) -> Path:
    """Every table is validated with the user's home in its context."""
    if isinstance(path, str) and "\0" not in path:
        if path.startswith("~/"):
            return cast("dict[str, Path]", info.context)["home"] / path[2:]
        if path.startswith("/"):
            return Path(path)
    raise PydanticCustomError("path", 'expected a path that begins with "/" or "~/"')


def _table_of_references(value: object) -> object:
    if isinstance(value, dict | Table):
        return value  # pyright: ignore[reportUnknownVariableType] - pydantic looks into it next
    raise PydanticCustomError("literal_secret", _NOT_IN_THIS_FILE)


_Variable = Annotated[str, BeforeValidator(_variable)]
_Entry = Annotated[str, BeforeValidator(_entry)]
FilePath = Annotated[Path, BeforeValidator(_expand)]
"""A path that begins with `/` or `~/`."""
_MarketType = Annotated[MarketType, Field(strict=False)]  # TOML has no enumerations: the text is taken


class Table(BaseModel):
    """A table of the file: nothing unknown, nothing coerced, unchangeable, no input in error messages."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)


class SecretReference(Table):
    """Where a secret is kept: an environment variable, an owner-only file or the system's keyring; one of them."""

    env: _Variable | None = None
    file: FilePath | None = None
    keyring: _Entry | None = None

    @model_validator(mode="after")
    def _names_one_place(self) -> Self:
        if sum(place is not None for place in (self.env, self.file, self.keyring)) != 1:
            raise PydanticCustomError(
                "reference", 'expected one of { env = "NAME" }, { file = "~/PATH" } and { keyring = "NAME" }'
            )
        return self

    def __str__(self) -> str:
        if self.file is not None:
            return f"file {self.file}"
        return f"keyring entry {self.keyring}" if self.env is None else f"environment variable {self.env}"


SecretField = Annotated[SecretReference, BeforeValidator(_table_of_references)]


class KeyTable(Table):
    """The parts of one API key, each by reference."""

    api_key: SecretField
    secret: SecretField
    passphrase: SecretField | None = None


class AccountTable(Table):
    """One account as the operator wrote it; `market_types` None means the venue's own default."""

    # No ccxt id is longer. What is may be a key in the wrong place, and the check repeats what it refuses.
    venue: Annotated[
        str,
        Field(pattern=r"^[a-z0-9]{1,21}$", description='the name of a venue, in lower case, like "binance"'),
    ]
    environment: Annotated[Environment, Field(strict=False, description='"live", "sandbox" or "sim"')]
    market_types: Annotated[
        tuple[_MarketType, ...] | None,
        Field(strict=False, min_length=1, description='a list of "spot", "linear", "inverse"'),
    ] = None
    key: Annotated[KeyTable | None, BeforeValidator(_table_of_references)] = None
    sim_key: Annotated[
        str | None,
        Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$", description="a key's label in the rendezvous file"),
    ] = None
    rendezvous: FilePath | None = None
    accept_unverified: Annotated[
        str | None,
        Field(
            min_length=8,
            max_length=200,
            description="the reason for using a key that its venue cannot vouch for",
        ),
    ] = None


class LimitsTable(Table):
    """How long a call may take, in seconds, and how many may run or wait at a time."""

    deadline_seconds: Annotated[
        float, Field(ge=1, le=120, allow_inf_nan=False, description="a number of seconds from 1 to 120")
    ] = 20
    max_concurrent_calls: Annotated[int, Field(ge=1, le=256, description="a whole number from 1 to 256")] = 16
    max_pending_calls: Annotated[int, Field(ge=1, le=4096, description="a whole number from 1 to 4096")] = 64


class LogTable(Table):
    """How the log on standard error reads, and from which level on."""

    format: Annotated[Literal["console", "json"], Field(description='"console" or "json"')] = "console"
    level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Field(description='"debug", "info", "warning" or "error"'),
    ] = "info"


class KeysTable(Table):
    """How often what a key may do is asked, and how long an unconfirmed key stays in use, in seconds."""

    check_seconds: Annotated[
        float, Field(ge=30, le=3600, allow_inf_nan=False, description="a number of seconds from 30 to 3600")
    ] = 300
    grace_seconds: Annotated[
        float, Field(ge=0, le=86400, allow_inf_nan=False, description="a number of seconds from 0 to 86400")
    ] = 900


def _address(value: object) -> object:
    try:
        return str(ipaddress.ip_address(value)) if isinstance(value, str) else value
    except ValueError:
        raise PydanticCustomError("address", 'expected an IP address, like "127.0.0.1"') from None


def _network(value: object) -> object:
    try:
        network = ipaddress.ip_network(value) if isinstance(value, str) else None
    except ValueError:
        network = None
    if network is None or not network.prefixlen:
        raise PydanticCustomError(
            "address", 'expected IP addresses or networks, like "10.0.0.5" or "10.0.0.0/28"'
        )
    return str(network)


_Host = Annotated[str, Field(pattern=r"^[a-z0-9.:_\[\]-]{1,255}$")]
_Origin = Annotated[str, Field(pattern=r"^[a-z][a-z0-9+.-]*://[a-z0-9.:_\[\]-]{1,255}$")]


class HttpTable(Table):
    """Where `serve --transport http` listens, who may reach it, and how much of it anybody may have.

    `hosts` and `origins` are compared as a whole with what a request says. Where `trusted_proxies` are named, only they
    may connect. Counts are of what is open at a time.
    """

    address: Annotated[
        str, BeforeValidator(_address), Field(description='an IP address, like "127.0.0.1"')
    ] = "127.0.0.1"
    port: Annotated[
        int, Field(ge=0, le=65535, description="a TCP port from 0 (any that is free) to 65535")
    ] = 8765
    hosts: Annotated[
        tuple[_Host, ...],
        Field(
            strict=False,
            max_length=64,
            description='a list of hosts in lower case, as a URL has them, like "mcp.example.org:8765"',
        ),
    ] = ()
    origins: Annotated[
        tuple[_Origin, ...],
        Field(
            strict=False,
            max_length=64,
            description='a list of origins of web pages, like "http://localhost:6274"',
        ),
    ] = ()
    certificate: FilePath | None = None
    certificate_key: FilePath | None = None
    trusted_proxies: Annotated[
        tuple[Annotated[str, BeforeValidator(_network)], ...],
        Field(strict=False, max_length=64, description="a list of IP addresses or networks"),
    ] = ()
    max_body_bytes: Annotated[
        int, Field(ge=1024, le=4_194_304, description="a whole number from 1024 to 4194304")
    ] = 262_144
    requests_per_minute: Annotated[
        int, Field(ge=1, le=1_000_000, description="a whole number from 1 to 1000000")
    ] = 600
    max_connections: Annotated[int, Field(ge=8, le=10_000, description="a whole number from 8 to 10000")] = (
        512
    )
    max_requests: Annotated[int, Field(ge=1, le=10_000, description="a whole number from 1 to 10000")] = 256
    max_requests_per_client: Annotated[
        int, Field(ge=1, le=10_000, description="a whole number from 1 to 10000")
    ] = 32
    max_sessions: Annotated[int, Field(ge=1, le=10_000, description="a whole number from 1 to 10000")] = 512
    max_sessions_per_token: Annotated[
        int, Field(ge=1, le=10_000, description="a whole number from 1 to 10000")
    ] = 16
    max_streams: Annotated[int, Field(ge=1, le=10_000, description="a whole number from 1 to 10000")] = 256
    max_streams_per_client: Annotated[
        int, Field(ge=1, le=10_000, description="a whole number from 1 to 10000")
    ] = 16
    session_idle_seconds: Annotated[
        float, Field(ge=10, le=86400, allow_inf_nan=False, description="a number of seconds from 10 to 86400")
    ] = 1800
    patience_seconds: Annotated[
        float, Field(ge=0.1, le=120, allow_inf_nan=False, description="a number of seconds from 0.1 to 120")
    ] = 10
    drain_seconds: Annotated[
        float, Field(ge=0, le=60, allow_inf_nan=False, description="a number of seconds from 0 to 60")
    ] = 5


class CacheTable(Table):
    """Where market metadata is kept between runs; None means the user's cache location."""

    directory: FilePath | None = None


class ServeTable(Table):
    """The whole file. Accounts are validated one by one, so that one's fault does not hide another's."""

    client: Annotated[
        str,
        Field(pattern=r"^[a-z0-9._-]{1,64}$", description="a label of at most 64 of a-z, 0-9, dot, _ and -"),
    ] = DEFAULT_CLIENT
    limits: Annotated[LimitsTable, Field(description="a table [limits]")] = LimitsTable()
    log: Annotated[LogTable, Field(description="a table [log]")] = LogTable()
    keys: Annotated[KeysTable, Field(description="a table [keys]")] = KeysTable()
    http: Annotated[HttpTable, Field(description="a table [http]")] = HttpTable()
    cache: Annotated[CacheTable, Field(description="a table [cache]")] = CacheTable()
    # Judged on its own, as the accounts are.
    desk: Annotated[dict[str, object] | None, Field(description="a table [desk]")] = None
    accounts: Annotated[
        dict[str, object], Field(min_length=1, description="at least one table [accounts.NAME]")
    ]
