"""Secrets in the system's keyring: entries of the service `exchange-mcp`, by name.

The package that reaches it is an extra, loaded only where a keyring is named: https://keyring.readthedocs.io
"""

from importlib import import_module
from typing import Final, Protocol, cast

from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.secret import Secret

SERVICE: Final = "exchange-mcp"


class _Keyring(Protocol):
    def get_password(self, service_name: str, username: str) -> str | None: ...

    def set_password(self, service_name: str, username: str, password: str) -> None: ...


def from_keyring(name: str) -> Secret | None:
    """The entry of this name, or None if there is none.

    Raises:
        SecretError: the extra is not installed, or the keyring cannot be read.
    """
    ring = _keyring()
    try:
        found = ring.get_password(SERVICE, name)
    except Exception as error:  # noqa: BLE001 - a backend raises what it likes
        raise SecretError(_unreachable(name, error)) from None
    return None if found is None else Secret(found)


def to_keyring(name: str, secret: Secret) -> None:
    """Store the secret under this name, in the place of what stands there.

    Raises:
        SecretError: the extra is not installed, or the keyring cannot be written.
    """
    ring = _keyring()
    try:
        ring.set_password(SERVICE, name, secret.reveal())
    except Exception as error:  # noqa: BLE001 - as above
        raise SecretError(_unreachable(name, error)) from None


def _keyring() -> _Keyring:
    try:
        return cast("_Keyring", import_module("keyring"))
    except ImportError:
        raise SecretError(
            "the keyring is an extra that is not installed: pip install 'exchange-mcp[keyring]'; "
            "or keep the secret in a file that only you can read"
        ) from None


def _unreachable(name: str, error: Exception) -> str:
    # Of the exception only its kind: a backend's words may hold what it was given.
    return f"keyring entry {name} cannot be reached ({type(error).__name__}); is the keyring unlocked?"
