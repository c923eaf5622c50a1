"""What the desk was told: `desk.toml` as a whole, with its accounts and its policy. Reads that file and no secret."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from exchange_mcp.config.accounts import AccountCheck, AccountConfig
from exchange_mcp.config.schema import KeysTable, LogTable
from exchange_mcp.policy.policy import Policy


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
    raise NotImplementedError
