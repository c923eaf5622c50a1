"""Where exchange-mcp looks for its files. Decides names only; creates and reads nothing.

Linux and macOS alike follow the XDG base directories: https://specifications.freedesktop.org/basedir/latest/
"""

import os
import pwd
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_APPLICATION = "exchange-mcp"


@dataclass(frozen=True, slots=True)
class Locations:
    """The directories that belong to exchange-mcp, and the files in them that others look for.

    `runtime` lies under `state` where the system names no runtime directory, as on macOS.
    """

    config: Path
    state: Path
    cache: Path
    runtime: Path

    @property
    def serve_file(self) -> Path:
        """The configuration that is read when none is named."""
        return self.config / "serve.toml"

    @property
    def accepted_file(self) -> Path:
        """What the operator accepted that another ccxt does."""
        return self.state / "egress.json"

    @property
    def tokens_file(self) -> Path:
        """Who may call over HTTP: hashes of tokens."""
        return self.state / "tokens.json"

    @property
    def running(self) -> Path:
        """Where each running `serve` of the user says that it runs."""
        return self.state / "running"

    @property
    def rendezvous_file(self) -> Path:
        """Where the simulated exchange says how to reach it."""
        return self.state / "sim" / "rendezvous.json"

    @property
    def desk_file(self) -> Path:
        """The desk's configuration that is read when none is named."""
        return self.config / "desk.toml"

    @property
    def desk_state(self) -> Path:
        """What the desk keeps: its journal, and the marks beside it."""
        return self.state / "desk"

    @property
    def desk_journal(self) -> Path:
        """The desk's journal."""
        return self.desk_state / "journal.db"

    @property
    def desk_marks(self) -> Path:
        """Where the desk says on this machine how far its journal had come."""
        return self.desk_state / "marks"

    @property
    def proposal_socket(self) -> Path:
        """Where `serve` proposes, unless `desk.toml` says otherwise; others may be let into its directory."""
        return self.runtime / "desk-proposals" / "proposals.sock"

    @property
    def operator_socket(self) -> Path:
        """Where the desk's operator speaks to it; nobody else can enter its directory."""
        return self.runtime / "desk-operator" / "operator.sock"

    @property
    def approver_keys(self) -> Path:
        """The keys of those who approve at a terminal, one file each."""
        return self.config / "approvers"

    @property
    def client_credential(self) -> Path:
        """The credential that the desk's first client shows."""
        return self.config / "clients" / "serve.credential"


def locations(environ: Mapping[str, str], home: Path) -> Locations:
    """The locations for this environment.

    A relative path in an XDG variable is ignored, as its standard asks.
    """

    def directory(variable: str, default: Path) -> Path:
        named = Path(environ.get(variable, ""))
        return named / _APPLICATION if named.is_absolute() else default

    state = directory("XDG_STATE_HOME", home / ".local" / "state" / _APPLICATION)
    return Locations(
        config=directory("XDG_CONFIG_HOME", home / ".config" / _APPLICATION),
        state=state,
        cache=directory("XDG_CACHE_HOME", home / ".cache" / _APPLICATION),
        runtime=directory("XDG_RUNTIME_DIR", state / "run"),
    )


def home_directory(environ: Mapping[str, str]) -> Path:
    """The user's home: HOME where it is absolute, else what the user database says."""
    named = Path(environ.get("HOME", ""))
    return named if named.is_absolute() else Path(pwd.getpwuid(os.getuid()).pw_dir)
