"""Who signs for a command, and how: a key from its file, a passphrase from the controlling terminal, one statement."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from exchange_mcp.cli.passphrase import unlocked
from exchange_mcp.cli.places import places
from exchange_mcp.desk.approver_keys import KEY_SUFFIX, ApproverKey, load_scripted, read_key_file
from exchange_mcp.desk.approvers import PASSKEY
from exchange_mcp.desk.operator.approving import signed_message
from exchange_mcp.desk.operator.client import OperatorClient
from exchange_mcp.desk.operator.messages import Done, Failure, SignatureMessage
from exchange_mcp.desk.statements import Purpose, Statement

SCRIPTED: Final = "scripted"
_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Signer:
    """Whose key it is, and where; nothing is unlocked yet."""

    name: str
    kind: str
    file: Path

    @property
    def is_scripted(self) -> bool:
        """Whether a script signs: nobody is asked for anything."""
        return self.kind == SCRIPTED


def signer_options(command: _Command) -> _Command:
    """Whose signature a command gives."""
    key = click.option(
        "--key",
        "key",
        type=click.Path(path_type=Path),
        help="The approver's key file; a scripted one needs no passphrase.",
    )
    name = click.option(
        "--approver", "approver", help="Whose key of this user signs [default: the only one]."
    )
    return name(key(command))


def signer_of(client: OperatorClient, approver: str | None, key: Path | None) -> Signer:
    """Whose key is meant, and that the desk knows it: nobody types a passphrase for a key that does not count.

    Raises:
        SecretError: the file cannot be used. UsageError: it is not clear whose key is meant, or it does not count.
    """
    enrolled = {each.name: each for each in client.approvers().approvers}
    file = read_key_file(_file(approver, key, {name: each.kind for name, each in enrolled.items()}))
    known = enrolled.get(file.name)
    if known is None or (known.kind, known.public) != (file.kind, file.public):
        names = ", ".join(enrolled) or "nobody"
        raise click.UsageError(
            f"the key in {file.path} is not one that the desk knows {file.name} by; it knows {names}"
        )
    return Signer(file.name, file.kind, file.path)


def unlock(client: OperatorClient, signer: Signer) -> ApproverKey:
    """The key, once its passphrase was typed; every wrong one is told to the desk.

    Raises:
        ClickException: there is no terminal, or three passphrases were wrong.
        SecretError: the file cannot be used.
    """
    if signer.is_scripted:
        return load_scripted(signer.file)

    def failed(name: str, times: int) -> None:
        client.failed(Failure(approver=name, times=times))

    return unlocked(signer.file, failed=failed)


def hand_in(client: OperatorClient, statement: Statement, key: ApproverKey) -> Done:
    """Sign this statement and give it to the desk; it is signed as it was made here."""
    fields = key.fields(statement.hash())
    return client.signed(signed_message(statement, SignatureMessage(approver=key.name, fields=fields)))


def sign(client: OperatorClient, signer: Signer, purpose: Purpose, body: Mapping[str, object]) -> Done:
    """Say one thing to the desk, signed."""
    key = unlock(client, signer)
    challenge = client.challenge()
    statement = Statement(
        purpose=purpose,
        desk_id=challenge.desk_id,
        nonce=challenge.nonce,
        expires_ms=challenge.expires_ms,
        body=body,
    )
    return hand_in(client, statement, key)


def say_who(signer: Signer) -> None:
    """Say whose signature it will be, where a person is there to read it."""
    if sys.stderr.isatty():
        click.echo(f"Signed by {signer.name} ({signer.file}).", err=True)


def _file(approver: str | None, key: Path | None, enrolled: Mapping[str, str]) -> Path:
    if key is not None:
        return key
    directory = places().approver_keys
    if approver is not None:
        if not approver.replace("-", "").replace("_", "").isalnum():
            raise click.UsageError("an approver's name has letters, digits, _ and -")
        return directory / f"{approver}{KEY_SUFFIX}"
    own = sorted(directory.glob(f"*{KEY_SUFFIX}"))
    found = [file for file in own if file.name.removesuffix(KEY_SUFFIX) in enrolled]
    if len(found) == 1:
        return found[0]
    if not found:
        holders = [name for name, kind in enrolled.items() if kind == PASSKEY]
        others = [name for name in enrolled if name not in holders]
        raise click.UsageError(
            f"no key of an approver of this desk lies in {directory}; name one with --key FILE"
            + (f", of {', '.join(others)}" if others else "")
            + (
                f". The passkey of {', '.join(holders)} signs in the console (exchange-mcp console): orders, what"
                " became of an unknown, and that a halt is lifted"
                if holders
                else ""
            )
        )
    names = ", ".join(file.name.removesuffix(KEY_SUFFIX) for file in found)
    raise click.UsageError(f"this user has the keys of {names}; name one with --approver NAME")
