"""From a configuration to what answers: credentials resolved, venues opened beside the serving, tools wired.

ccxt takes half a second to import, so it is imported in a thread once the server already serves: listing
tools never waits for it, and needs no network.
"""

import gc
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from exchange_mcp.config.credentials import NOTHING_HELD, Credentials, resolve_credentials
from exchange_mcp.config.desk_link import DeskAccess, DeskLinkConfig, desk_access
from exchange_mcp.config.faults import ConfigError, Fault, SecretError
from exchange_mcp.config.logs import get_logger
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.rendezvous import SimRendezvous, load_rendezvous
from exchange_mcp.config.schema import SecretReference
from exchange_mcp.config.secret import Secret
from exchange_mcp.config.serve import ServeConfig
from exchange_mcp.model.errors import InternalError, StoppingError
from exchange_mcp.model.ports import Clock, ReadVenue

if TYPE_CHECKING:
    from exchange_mcp.config.accounts import AccountConfig
    from exchange_mcp.venue.opening import Opening, OpenVenues

_log = get_logger(__name__)

# A client's first requests are its handshake and tools/list; importing ccxt waits this long to let them pass.
_GIVE_WAY_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class Keyed:
    """One account with what it needs to be opened; secrets are read, nothing is sent."""

    config: "AccountConfig"
    credentials: Credentials | None
    rendezvous: SimRendezvous | None


def keyed(config: ServeConfig, *, environ: Mapping[str, str], redactor: Redactor) -> tuple[Keyed, ...]:
    """Every account with its secrets.

    Raises:
        ConfigError: one line for each account whose secret or simulated exchange is missing.
    """
    accounts: list[Keyed] = []
    faults: list[Fault] = []
    for account in config.accounts:
        try:
            accounts.append(keyed_account(account, environ=environ, redactor=redactor))
        except SecretError as error:
            faults += [Fault(None, None, "", line) for line in str(error).splitlines()]
    if faults:
        raise ConfigError(faults)
    return tuple(accounts)


def keyed_desk(config: DeskLinkConfig, *, environ: Mapping[str, str], redactor: Redactor) -> DeskAccess:
    """The desk with every caller's credential.

    Raises:
        ConfigError: one line for each credential that cannot be read.
    """
    try:
        return desk_access(config, environ=environ, redactor=redactor)
    except SecretError as error:
        raise ConfigError([Fault(None, None, "", line) for line in str(error).splitlines()]) from None


def keyed_account(
    account: "AccountConfig",
    *,
    environ: Mapping[str, str],
    redactor: Redactor,
    held: Mapping[SecretReference, Secret] = NOTHING_HELD,
) -> Keyed:
    """One account with its secrets; those in `held` are not looked for where their references point.

    Raises:
        SecretError: a secret or the simulated exchange is missing.
    """
    credentials = resolve_credentials(account, environ=environ, redactor=redactor, held=held)
    return Keyed(account, credentials, _rendezvous(account))


def _rendezvous(account: "AccountConfig") -> SimRendezvous | None:
    if account.sim is None:
        return None
    try:
        return load_rendezvous(account.sim.rendezvous)
    except SecretError as error:
        raise SecretError(f"account {account.account.name}: {error}") from None


class LateVenues:
    """The venues, opened in the background. Whoever asks for them earlier waits.

    `accepted` holds the digests of what the operator accepted that another ccxt does. `asks_whose`: whether somebody
    compares the accounts with a desk's, by the venues' own ids of them.
    """

    def __init__(  # noqa: PLR0913 - what it hands on to the venues
        self,
        accounts: tuple[Keyed, ...],
        cache_directory: Path,
        clock: Clock,
        *,
        accepted: Collection[str] = (),
        check_seconds: float = 300,
        grace_seconds: float = 900,
        asks_whose: bool = False,
    ) -> None:
        self._asks_whose = asks_whose
        self._accepted = accepted
        self._check_seconds = check_seconds
        self._grace_seconds = grace_seconds
        self._accounts = accounts
        self._cache_directory = cache_directory
        self._clock = clock
        self._asked = anyio.Event()
        self._decided = anyio.Event()
        self._opened: OpenVenues | None = None
        self._is_stopping = False

    async def ready(self) -> Mapping[str, ReadVenue]:
        """Every account's venue, by name.

        Raises:
            StoppingError: the server is shutting down.
            InternalError: the venues could not be opened; the log says why.
        """
        self._asked.set()
        await self._decided.wait()
        if self._is_stopping:
            raise StoppingError("the server is shutting down")
        if self._opened is None:
            raise InternalError("the venues could not be opened")
        return self._opened.venues

    def opened(self) -> Mapping[str, ReadVenue] | None:
        """Every account's venue, by name, if they can be asked already."""
        return None if self._is_stopping or self._opened is None else self._opened.venues

    async def run(self) -> None:
        """Open the venues and keep them, until cancelled."""
        with anyio.move_on_after(_GIVE_WAY_SECONDS):
            await self._asked.wait()
        if not self._is_stopping:
            await self._open()
        self._decided.set()
        if self._opened is None:
            return
        try:
            if not self._is_stopping:
                await self._opened.run()
        finally:
            with anyio.CancelScope(shield=True):
                await self._opened.close()

    async def _open(self) -> None:
        try:
            self._opened = await anyio.to_thread.run_sync(self._made)
        except Exception:  # noqa: BLE001 - logged, and answered as INTERNAL from then on
            _log.exception("the venues could not be opened")
        finally:
            # What is imported stays: the collector need not look at it, and works from here on.
            if not gc.isenabled():
                gc.freeze()
                gc.enable()

    def _made(self) -> "OpenVenues":
        """Import ccxt, and judge what may leave: half a second and more, in a thread."""
        from exchange_mcp.venue.key_watch import Pace  # noqa: PLC0415 - imports ccxt
        from exchange_mcp.venue.keys import KeyCare  # noqa: PLC0415 - as above
        from exchange_mcp.venue.opening import OpenVenues  # noqa: PLC0415 - as above

        return OpenVenues(
            [opening(account) for account in self._accounts],
            self._cache_directory,
            self._clock,
            accepted=self._accepted,
            care=KeyCare(
                Pace(every=self._check_seconds, grace=self._grace_seconds), asks_whose=self._asks_whose
            ),
        )

    async def close(self) -> None:
        """Answer nobody any more, and close every connection, also those that are being opened."""
        self._is_stopping = True
        self._asked.set()
        self._decided.set()
        if self._opened is not None:
            await self._opened.close()


def opening(account: Keyed) -> "Opening":
    """What it takes to open the account; imports ccxt."""
    from exchange_mcp.venue.opening import KeyMaterial, Opening  # noqa: PLC0415 - as above
    from exchange_mcp.venue.wire import Loopback  # noqa: PLC0415 - as above

    key, simulated = account.credentials, account.rendezvous
    fields = {} if key is None else {"apiKey": key.api_key.reveal(), "secret": key.secret.reveal()}
    if key is not None and key.passphrase is not None:
        fields["password"] = key.passphrase.reveal()
    return Opening(
        account=account.config.account,
        key=None if key is None else KeyMaterial(key.key_id, fields),
        loopback=None if simulated is None else Loopback(simulated.port, simulated.ca_pem),
        instance="" if simulated is None else f"{simulated.seed}-{simulated.started_at_ms}",
        # The simulated exchange has no limits to respect.
        rate_limit=simulated is None,
        accept_unverified=account.config.accept_unverified,
    )
