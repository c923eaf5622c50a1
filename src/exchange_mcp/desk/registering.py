"""The journal's transactions over the register: who may approve, who may propose and what, what is configured."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from exchange_mcp.desk import register
from exchange_mcp.desk.journal_errors import ConflictError
from exchange_mcp.desk.records import Event, Signed
from exchange_mcp.desk.register import AcceptedConfiguration, Allowance, Approver, Client
from exchange_mcp.desk.statements import Purpose
from exchange_mcp.desk.writing import JournalWrites


class Registering(JournalWrites):
    """The part of a journal that says who has a say. Signatures were verified before they come here."""

    # What is asked.

    def approvers(self) -> tuple[Approver, ...]:
        """Everybody who may approve, in the order of their enrolment."""
        with self._reading():
            return register.approvers_of(self._connection)

    def approver(self, name: str) -> Approver | None:
        """The approver of this name."""
        return next((approver for approver in self.approvers() if approver.name == name), None)

    def clients(self) -> tuple[Client, ...]:
        """Everybody who may propose."""
        with self._reading():
            return register.clients_of(self._connection)

    def client_of(self, credential: str) -> Client | None:
        """The client whose credential this is; how long it takes says nothing of which or how nearly."""
        digest = hashlib.sha256(credential.encode("utf-8", "surrogatepass")).hexdigest()
        found = None
        for client in self.clients():
            if hmac.compare_digest(client.credential_sha256, digest):
                found = client
        return found

    def allowances(self, client: str) -> Mapping[str, Allowance]:
        """What was said of tools for this client, by tool."""
        with self._reading():
            rows = register.allowances_of(self._connection)
        return {row.tool: row for row in rows if row.client == client}

    def accepted_configuration(self) -> AcceptedConfiguration | None:
        """The configuration in force; None before the first."""
        with self._reading():
            return register.configuration_of(self._connection)

    def was_enrolled(self) -> bool:
        """Whether this journal ever had an approver, so that whatever is added needs a signature."""
        with self._reading():
            return register.had_approver(self._connection)

    # What is changed.

    def enrol_first(
        self,
        approver: Approver,
        client: Client | None = None,
        configuration: AcceptedConfiguration | None = None,
        allowed: Sequence[Allowance] = (),
    ) -> None:
        """The one act that needs no signature: the first approver a journal ever has, and what it starts with.

        Raises:
            ConflictError: the journal had an approver before, whatever became of it.
        """
        with self._entry() as entry:
            if register.had_approver(entry.connection):
                raise ConflictError(
                    "this desk had an approver before; whatever is added now needs a signature"
                )
            register.add_approver(entry, approver, None)
            if client is not None:
                register.add_client(entry, client, None)
            for allowance in allowed:
                register.allow_tool(entry, allowance, None)
            if configuration is not None:
                register.accept_configuration(entry, configuration, None)

    def add_approver(self, approver: Approver, signed: Signed) -> None:
        """Enrol another approver.

        Raises:
            ConflictError: its name or key is enrolled, or the signature was used before.
        """
        with self._entry() as entry:
            register.add_approver(entry, approver, signed)

    def remove_approver(self, name: str, signed: Signed) -> None:
        """End an enrolment.

        Raises:
            ConflictError: there is none, it is the last one, or the signature was used before.
        """
        with self._entry() as entry:
            register.remove_approver(entry, name, signed)

    def count_approver(self, name: str, counter: int) -> None:
        """Keep a passkey's counter.

        Raises:
            ConflictError: it does not go up.
        """
        with self._entry() as entry:
            register.count_approver(entry, name, counter)

    def add_client(self, client: Client, signed: Signed) -> None:
        """Register a client.

        Raises:
            ConflictError: its name or credential is registered, or the signature was used before.
        """
        with self._entry() as entry:
            register.add_client(entry, client, signed)

    def remove_client(self, name: str, signed: Signed) -> None:
        """Take a client off the register, and what it was allowed with it.

        Raises:
            ConflictError: there is none, or the signature was used before.
        """
        with self._entry() as entry:
            register.remove_client(entry, name, signed)

    def allow_tool(self, allowance: Allowance, signed: Signed) -> None:
        """Say whether a client may use a tool as it is declared now.

        Raises:
            ConflictError: there is no such client, or the signature was used before.
        """
        with self._entry() as entry:
            register.allow_tool(entry, allowance, signed)

    def accept_configuration(self, configuration: AcceptedConfiguration, signed: Signed) -> None:
        """Put a configuration in force.

        Raises:
            ConflictError: the signature was used before.
        """
        with self._entry() as entry:
            register.accept_configuration(entry, configuration, signed)

    def acted(self, purpose: Purpose, signed: Signed, body: Mapping[str, object]) -> Event:
        """Keep a signature under which the desk does several things, each an intent or a halt of its own.

        Raises:
            ConflictError: the signature was used before.
        """
        with self._entry() as entry:
            entry.sign(signed.nonce, purpose, spent_ms=entry.now_ms)
            return entry.append("acted", None, {"purpose": purpose, "signed": asdict(signed), **body})
