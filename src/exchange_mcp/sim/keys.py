"""Which API keys exist, whose they are and what each may do."""

import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

Entropy = Callable[[int], bytes]
"""A source of so many random bytes: `secrets.token_bytes` outside of tests."""

_ALPHABET = string.ascii_letters + string.digits
_LENGTH = 64


class Access(StrEnum):
    """What an endpoint wants a key to be allowed to do."""

    READ = "read"
    TRADE = "trade"


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a key may do; reading is always included."""

    may_trade: bool = False
    may_withdraw: bool = False

    def allow(self, access: Access) -> bool:
        """Say whether an endpoint that wants this may be called."""
        return access is Access.READ or self.may_trade


PERMISSIONS: Mapping[str, Permissions] = MappingProxyType(
    {
        "read": Permissions(),
        "trade": Permissions(may_trade=True),
        "withdraw": Permissions(may_trade=True, may_withdraw=True),
    }
)
"""By the most that they allow."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key: its label here, the account it opens, and the pair that a client signs with."""

    label: str
    account: str
    api_key: str
    secret: str = field(repr=False)
    permissions: Permissions = field(default_factory=Permissions)
    created_at_ms: int = 0


class KeyRing:
    """All keys of a venue."""

    def __init__(self, keys: Iterable[ApiKey]) -> None:
        self._by_api_key = {key.api_key: key for key in keys}

    def find(self, api_key: str) -> ApiKey | None:
        """Return the key that a client names in its header, if it exists."""
        return self._by_api_key.get(api_key)

    def permit(self, label: str, permissions: Permissions) -> None:
        """Let the key with this label do this from now on, and nothing else; ValueError where there is none."""
        key = self.by_label().get(label)
        if key is None:
            raise ValueError(f"label is one of {', '.join(self.by_label())}, not {label!r}")
        self._by_api_key[key.api_key] = replace(key, permissions=permissions)

    def by_label(self) -> Mapping[str, ApiKey]:
        """Return every key under its label."""
        return {key.label: key for key in self._by_api_key.values()}


def is_well_formed(api_key: str) -> bool:
    """Say whether a text could be an API key at all: 64 letters and digits."""
    return len(api_key) == _LENGTH and api_key.isascii() and api_key.isalnum()


def issue(accounts: Iterable[str], entropy: Entropy, now_ms: int) -> KeyRing:
    """Make the keys of a new venue.

    The first account has three: `reader`, `trader` and `withdrawer`; every other one has two:
    `reader-<account>` and `trader-<account>`.
    """
    main, *others = accounts
    wanted = [
        ("reader", main, Permissions()),
        ("trader", main, Permissions(may_trade=True)),
        ("withdrawer", main, Permissions(may_trade=True, may_withdraw=True)),
        *((f"reader-{account}", account, Permissions()) for account in others),
        *((f"trader-{account}", account, Permissions(may_trade=True)) for account in others),
    ]
    return KeyRing(
        ApiKey(
            label=label,
            account=account,
            api_key=_letters(entropy),
            secret=_letters(entropy),
            permissions=permissions,
            created_at_ms=now_ms,
        )
        for label, account, permissions in wanted
    )


def _letters(entropy: Entropy) -> str:
    usable = 256 - 256 % len(_ALPHABET)
    text = ""
    while len(text) < _LENGTH:
        text += "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in entropy(_LENGTH) if byte < usable)
    return text[:_LENGTH]
