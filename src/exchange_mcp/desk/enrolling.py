"""The first enrolment of a desk: approver, client and configuration at once, unsigned because nobody can sign yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from exchange_mcp.desk import register
from exchange_mcp.desk.dialect import reading, reading_engine, tables, translated
from exchange_mcp.desk.opening import Surroundings, open_journal
from exchange_mcp.desk.register import AcceptedConfiguration, Allowance, Approver, Client
from exchange_mcp.desk.schema import approvers


@dataclass(frozen=True, slots=True)
class Registered:
    """What a journal says of who has a say. `had_approver`: whether it ever had one, so that more needs a signature."""

    approvers: tuple[Approver, ...] = ()
    clients: tuple[Client, ...] = ()
    allowances: tuple[Allowance, ...] = ()
    configuration: AcceptedConfiguration | None = None
    had_approver: bool = False


def registered(journal: Path) -> Registered:
    """What the journal in this file says, whoever holds it; nothing of nobody where there is none yet.

    Raises:
        JournalError: it cannot be read.
    """
    if not journal.exists():
        return Registered()
    engine = reading_engine(journal)
    try:
        with translated(journal.name), engine.connect() as connection, reading(connection):
            if approvers.name not in tables(connection):
                return Registered()
            return Registered(
                register.approvers_of(connection),
                register.clients_of(connection),
                register.allowances_of(connection),
                register.configuration_of(connection),
                register.had_approver(connection),
            )
    finally:
        engine.dispose()


def enrol_first(  # noqa: PLR0913 - each is a row of its own
    journal: Path,
    around: Surroundings,
    *,
    approver: Approver,
    client: Client,
    configuration: AcceptedConfiguration,
    allowed: Sequence[Allowance],
) -> None:
    """Make the journal if there is none, and write the first approver, client and configuration into it.

    Raises:
        JournalError: it cannot be written; a `ConflictError` where it had an approver before, a `LockHeldError` where
            a desk runs.
    """
    opened = open_journal(journal, around)
    try:
        opened.enrol_first(approver, client, configuration, allowed)
    finally:
        opened.close()
