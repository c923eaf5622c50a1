"""The second half of a desk's setup: the first approver's key, the first client's credential, both in the journal."""

import base64
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from exchange_mcp import __version__
from exchange_mcp.cli.asking import Asker, Judge, say
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.desk_lines import serve_of, tools_of
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.cli.passphrase import new_passphrase, unlocked
from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.locations import Locations
from exchange_mcp.config.owner_only import read_owner_only, write_owner_only
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.schema import DEFAULT_CLIENT
from exchange_mcp.config.secret import Secret
from exchange_mcp.config.tokens import CLIENT_NAME, TOKEN
from exchange_mcp.desk.approver_keys import (
    APPROVER_NAME,
    KEY_SUFFIX,
    KeyFile,
    create,
    create_scripted,
    read_key_file,
)
from exchange_mcp.desk.approvers import SCRIPTED
from exchange_mcp.desk.enrolling import Registered, enrol_first, registered
from exchange_mcp.desk.opening import Surroundings, marks_in, this_machine
from exchange_mcp.desk.records import Opening
from exchange_mcp.desk.register import AcceptedConfiguration, Allowance, Approver, Client
from exchange_mcp.desk.settings import DeskSettings
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.tools.declarations import declaration_of
from exchange_mcp.tools.matrix import matrix
from exchange_mcp.tools.registry import Registry, builtin

_USUAL_CLIENT: Final = "assistant"
_USUAL_APPROVER: Final = "me"
_SCRIPT: Final = "script"
_CREDENTIAL_BYTES: Final = 32
_LARGEST_CREDENTIAL: Final = 1024


class FirstEnrolment:
    """Makes what is missing of the first approver and the first client, and enrols both with the configuration."""

    def __init__(
        self, asker: Asker, found: Locations, home: Path, settings: DeskSettings, redactor: Redactor
    ) -> None:
        self._asker = asker
        self._found = found
        self._home = home
        self._settings = settings
        self._redactor = redactor
        self._registry = builtin()
        self.client = ""

    def run(self, *, approver: str | None, client: str | None, tools: str | None) -> None:
        """Enrol, unless that was done before; then say who is enrolled, and change nothing.

        Raises:
            JournalError: the journal cannot be read or written, or a desk runs that holds it.
            SecretError: a key or a credential that is there cannot be used.
            OSError: one cannot be written.
        """
        known = registered(self._found.desk_journal)
        if known.had_approver:
            self.client = known.clients[0].name if known.clients else client or _USUAL_CLIENT
            self._say_known(known)
            return
        key = self._key(approver)
        self.client = self._asker.ask(
            "--client",
            "Name of the client that may propose, which you will see with each proposal",
            default=self._callers_name() or _USUAL_CLIENT,
            given=client,
            judge=lambda answer: None if CLIENT_NAME.fullmatch(answer) else _NO_CLIENT,
        )
        allowed = self._tools(tools)
        credential = self._credential()
        enrol_first(
            self._found.desk_journal,
            Surroundings(
                clock=SystemClock(),
                entropy=SystemEntropy(),
                marks=marks_in(self._found.state),
                opening=Opening(
                    version=__version__,
                    policy_digest=self._settings.policy.digest(),
                    matrix_digest=matrix(self._registry).digest,
                ),
                machine=this_machine(),
            ),
            approver=Approver(name=key.name, kind=key.kind, public=key.public),
            client=Client(
                name=self.client,
                credential_sha256=hashlib.sha256(credential.reveal().encode()).hexdigest(),
            ),
            configuration=AcceptedConfiguration(digest=self._settings.digest, text=self._settings.text),
            allowed=tuple(_allowances(self._registry, self.client, allowed)),
        )
        say(f"Enrolled: approver {key.name}, client {self.client}; {self._settings.file} is accepted.")

    def _key(self, name: str | None) -> KeyFile:
        """The first approver's key, made or taken up again."""
        there = sorted(self._found.approver_keys.glob(f"*{KEY_SUFFIX}"))
        if name is not None:
            there = [path for path in there if path.name == f"{name}{KEY_SUFFIX}"]
        if len(there) > 1:
            names = ", ".join(path.name.removesuffix(KEY_SUFFIX) for path in there)
            raise click.UsageError(
                f"there are several approvers' keys; say which one is first with --approver: {names}"
            )
        if there:
            return self._taken_up(there[0])
        if self._settings.has_scripted_approver:
            made, content = create_scripted(name or _SCRIPT, SystemEntropy())
        else:
            self._asker.explain(
                "\nThe approver: whoever has this key and its passphrase decides what is sent."
            )
            name = self._asker.ask(
                "--approver",
                "Name of the first approver",
                default=_USUAL_APPROVER,
                given=name,
                judge=lambda answer: None if APPROVER_NAME.fullmatch(answer) else _NO_APPROVER,
            )
            passphrase = new_passphrase(name)
            self._redactor.learn(passphrase)
            made, content = create(name, passphrase, SystemEntropy())
        path = self._found.approver_keys / f"{made.name}{KEY_SUFFIX}"
        write_owner_only(path, content)
        care = (
            "Whoever can read it can approve."
            if made.kind == SCRIPTED
            else "Keep a copy of it, and its passphrase in mind."
        )
        say(f"Stored: the key of approver {made.name}, {path}. {care}")
        return KeyFile(path, made.name, made.kind, made.public)

    def _taken_up(self, path: Path) -> KeyFile:
        """A key that an interrupted setup left: whoever enrols it has to be able to use it, or nobody ever could."""
        key = read_key_file(path)
        say(f"The key of approver {key.name} is there and is used: {path}")
        if key.kind == "ed25519":
            try:
                unlocked(path, failed=lambda _name, _times: None)
            except click.ClickException as error:
                raise click.ClickException(
                    f"{error.message}; nothing was enrolled. To begin with another key, remove {path}"
                ) from None
        elif not self._settings.has_scripted_approver:
            raise SecretError(
                f"file {path} is a scripted key, and {self._settings.file} takes none; remove one of them"
            )
        return key

    def _credential(self) -> Secret:
        """The first client's credential, made or taken up again: 32 random bytes, for the owner alone."""
        path = self._found.client_credential
        if os.path.lexists(path):
            credential = Secret(
                read_owner_only(path, limit=_LARGEST_CREDENTIAL).decode("utf-8", "replace").strip()
            )
            if not TOKEN.fullmatch(credential.reveal()):
                raise SecretError(
                    f"file {path} is no credential as the setup makes it; remove it, and run this again"
                )
            say(f"The client's credential is there and is used: {path}")
        else:
            raw = base64.urlsafe_b64encode(SystemEntropy().token(_CREDENTIAL_BYTES)).rstrip(b"=").decode()
            credential = Secret(f"xmcp_{raw}")
            write_owner_only(path, credential.reveal().encode())
            say(f"Stored: the client's credential, {path}")
        self._redactor.learn(credential)
        return credential

    def _tools(self, given: str | None) -> tuple[str, ...]:
        offered = tools_of(self._settings)
        answer = self._asker.ask(
            "--tools",
            f"What it may propose with, each order still being yours to approve ({', '.join(offered)})",
            default=",".join(offered),
            given=given,
            judge=_judge_tools(offered),
        )
        return tuple(tool for tool in offered if tool in answer.replace(",", " ").split())

    def _callers_name(self) -> str | None:
        """What serve calls itself to its venues and the desk, if its configuration says so."""
        serve = serve_of(self._found)
        if serve is None or serve.client == DEFAULT_CLIENT or not CLIENT_NAME.fullmatch(serve.client):
            return None
        return serve.client

    def _say_known(self, known: Registered) -> None:
        say("\nThis desk is set up, and nothing was changed. Enrolled:")
        for approver in known.approvers:
            say(f"  approver {approver.name} ({approver.kind})")
        for each in known.clients:
            say(f"  client {each.name}")
        if known.configuration is None or known.configuration.digest != self._settings.digest:
            say(f"  {self._settings.file} is not what was accepted last. See what changed, and sign it:")
            say("  exchange-mcp desk accept")


_NO_CLIENT: Final = "a client's name has 1 to 64 of a-z, 0-9, dot, _ and -, a letter or digit first"
_NO_APPROVER: Final = "an approver's name has 1 to 32 of a-z, 0-9, _ and -, a letter or digit first"


def _judge_tools(offered: tuple[str, ...]) -> Judge:
    def judge(answer: str) -> str | None:
        words = answer.replace(",", " ").split()
        fits = bool(words) and set(words) <= set(offered)
        return None if fits else f"name some of {', '.join(offered)}, with commas between"

    return judge


def _allowances(registry: Registry, client: str, tools: tuple[str, ...]) -> Iterator[Allowance]:
    for spec in registry:
        if spec.name in tools:
            yield Allowance(
                client=client,
                tool=spec.name,
                is_allowed=True,
                declaration=canonical_json(declaration_of(spec)),
            )
