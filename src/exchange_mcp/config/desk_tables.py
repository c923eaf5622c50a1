"""What may stand in `desk.toml`, table by table; `[policy]` is judged in `policy`.

Each field's description says what is expected there; it completes the sentence "expected ...".
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from exchange_mcp.config.accounts import AccountCheck, AccountConfig, Finding, judge_account
from exchange_mcp.config.schema import (
    AccountTable,
    CacheTable,
    FilePath,
    KeysTable,
    KeyTable,
    LogTable,
    SecretReference,
    Table,
)
from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.decimals import INPUT_PATTERN, text

MOST_SOCKET_BYTES: Final = 107
"""The longest path of a Unix socket: `sun_path` holds 108 bytes with the NUL at the end (unix(7))."""

_NUMBER: Final = re.compile(INPUT_PATTERN)
_MOST_BITS: Final = 63
_MOST_DIGITS: Final = 17
_REASON: Final = Field(min_length=8, max_length=200)


def _amount(value: object) -> Decimal:
    """A whole number, text, or a decimal that was never a float, as a decimal of 0 or more."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= _MOST_BITS:
        value = str(value)
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= _MOST_DIGITS:
        value = text(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return Decimal(value)
    raise PydanticCustomError("form", "not of the form that is expected")


class DeskTable(Table):
    """Where the desk's sockets are, for how long a proposal and a grant are good, and who may approve.

    Attributes:
        proposal_group: the group whose members may connect to the proposal socket beside the desk's own user.
        expires_seconds: how long a proposal waits for a decision. grant_seconds: how long an approval may be used.
        scripted_approver: whether an approver is taken whose key lies open; only where every account is simulated.
    """

    proposal_socket: FilePath | None = None
    proposal_group: Annotated[
        str | None,
        Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_.-]{0,31}$", description="the name of a group of this system"),
    ] = None
    operator_socket: FilePath | None = None
    expires_seconds: Annotated[
        int, Field(ge=30, le=86_400, description="a whole number of seconds from 30 to 86400")
    ] = 600
    grant_seconds: Annotated[
        int, Field(ge=30, le=600, description="a whole number of seconds from 30 to 600")
    ] = 120
    scripted_approver: Annotated[bool, Field(description="true or false")] = False


class ConsoleTable(Table):
    """The page on which a person decides, on loopback.

    Attributes:
        type_above: from which worst-case notional, in the policy's reference currency, a person types the amount
            before approving; 0, which it is where the file says nothing, asks for every order.
    """

    port: Annotated[int, Field(ge=1024, le=65_535, description="a TCP port from 1024 to 65535")] = 8767
    type_above: Annotated[
        Decimal,
        BeforeValidator(_amount),
        Field(description='an amount of the reference currency, 0 or more, such as 500 or "0.5"'),
    ] = Decimal(0)


class DeskAccountTable(AccountTable):
    """One account of the desk: as serve's, and what its operator accepts of it by name."""

    may_transfer: Annotated[
        str | None,
        _REASON,
        Field(description="the reason for using a key that may move money between the account's own wallets"),
    ] = None
    accept_unmatched: Annotated[
        str | None,
        _REASON,
        Field(description="the reason for trading an account that cannot be compared with serve's"),
    ] = None


class DeskFileTable(Table):
    """The whole file. Accounts and the policy are validated one by one, so that one's fault does not hide another's."""

    desk: Annotated[DeskTable, Field(description="a table [desk]")] = DeskTable()
    console: Annotated[ConsoleTable, Field(description="a table [console]")] = ConsoleTable()
    keys: Annotated[KeysTable, Field(description="a table [keys]")] = KeysTable()
    log: Annotated[LogTable, Field(description="a table [log]")] = LogTable()
    cache: Annotated[CacheTable, Field(description="a table [cache]")] = CacheTable()
    accounts: Annotated[
        dict[str, object], Field(min_length=1, description="at least one table [accounts.NAME]")
    ]
    policy: Annotated[dict[str, object], Field(description="a table [policy]")]


INNER: Final[Mapping[str | int, type[Table]]] = MappingProxyType(
    {
        "desk": DeskTable,
        "console": ConsoleTable,
        "keys": KeysTable,
        "log": LogTable,
        "cache": CacheTable,
        "key": KeyTable,
        **dict.fromkeys(KeyTable.model_fields, SecretReference),
    }
)
"""The tables in a table, for `config.sentences`."""

SHOWN: Final = frozenset(
    {
        "venue",
        "environment",
        "market_types",
        "format",
        "level",
        "expires_seconds",
        "grant_seconds",
        "scripted_approver",
        *ConsoleTable.model_fields,
        *KeysTable.model_fields,
    }
)
"""The fields of words and numbers, whose content is repeated where it is wrong."""


def judge_desk_account(
    name: str, content: object, *, check: AccountCheck, home: Path, rendezvous: Path
) -> tuple[AccountConfig, DeskAccountTable] | list[Finding]:
    """The desk's account that a table describes, and the table; or everything that is wrong with it."""
    outcome = judge_account(
        name, content, check=check, home=home, rendezvous=rendezvous, table=DeskAccountTable
    )
    if not isinstance(outcome, AccountConfig):
        return outcome
    table = DeskAccountTable.model_validate(content, context={"home": home})
    if table.accept_unmatched is not None and table.environment is not Environment.LIVE:
        said = "belongs to a live account; nothing else needs it"
        return [(("accounts", name, "accept_unmatched"), said)]
    return outcome, table


def socket_fault(path: Path, *, shorter: str) -> str | None:
    """Why no Unix socket can be at this path; None if one can. `shorter` is a path that would do, as written."""
    length = len(bytes(path))
    if length <= MOST_SOCKET_BYTES:
        return None
    return (
        f"{path} has {length} bytes, and the path of a Unix socket takes at most {MOST_SOCKET_BYTES}; "
        f'name a shorter one, such as "{shorter}"'
    )
