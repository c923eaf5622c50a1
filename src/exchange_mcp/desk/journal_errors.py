"""Why the journal did not take a record, or could not be opened, and what the caller may conclude.

JournalError (model.errors)
├── UnusableJournalError        at opening: no write is taken; reading may still work
│   ├── LockHeldError               another process holds the journal, or the key
│   ├── UnsafePlaceError            file system, owner or mode: not a place for a journal
│   ├── UnsafeSettingError          SQLite did not take a setting that durability rests on
│   ├── CorruptJournalError         it is no journal, or a damaged one, or its log does not verify
│   ├── FutureSchemaError           a newer release wrote it
│   ├── RestoredJournalError        an older copy than the one that last ran here
│   └── ClonedJournalError          a copy of one that ran elsewhere
├── WriteFailedError            a record was not written; nothing of it is on disk
│   ├── JournalFullError
│   └── ReadOnlyJournalError
├── UncertainWriteError         whether the record is on disk is not known; the journal refuses until reopened
├── ClockBehindError            this machine's clock is behind the last record
├── UnrecordedHaltError         a halt is not on the disk; this run sends nothing more all the same
├── NotRecoveredError           what the last run left has not been looked at yet
├── NoSuchIntentError
├── StateChangedError           the intent is in another state than the caller thought
├── ConflictError               an id, nonce or digest that is taken, or does not fit
└── ClaimRefusedError           the claim's own conditions do not hold; `reason` says which

None of them sends anything or lets anything be sent. One that is raised by `settle` leaves the intent in
DISPATCHING, which the next start turns into UNKNOWN.
"""

from enum import StrEnum

from exchange_mcp.model.errors import JournalError


class UnusableJournalError(JournalError):
    """The journal cannot be opened for writing."""


class LockHeldError(UnusableJournalError):
    """Another process holds it."""

    hint = "Stop the other desk first; one journal and one key have one desk."


class UnsafePlaceError(UnusableJournalError):
    """The file system, the owner or the mode of the file is not one that a journal may rest on."""

    hint = "Keep the journal on a local disk, in a directory that is yours alone."


class UnsafeSettingError(UnusableJournalError):
    """SQLite did not take a setting that durability rests on."""

    hint = "This SQLite library cannot hold a journal; use the one that comes with Python."


class CorruptJournalError(UnusableJournalError):
    """It is not a journal, or it is damaged."""

    hint = "Keep the file, look at it with exchange-mcp audit verify, and compare the venue's own order list."


class FutureSchemaError(UnusableJournalError):
    """A newer release wrote it."""

    hint = "Run the release that wrote it, or a newer one."


class RestoredJournalError(UnusableJournalError):
    """It lacks records that a journal of this desk had on this machine."""

    hint = (
        "If the newest journal is still here, put that one back. If not, keep this one aside, move its directory away "
        "and run exchange-mcp desk --setup, which keeps desk.toml and the keys (docs/desk.md, A refused journal)."
    )


class ClonedJournalError(UnusableJournalError):
    """It ran elsewhere, or its mark on this machine is gone."""

    hint = (
        "Stop the other copy, if there is one: one key, one desk. Then keep this journal aside, move its directory "
        "away and run exchange-mcp desk --setup, which keeps desk.toml and the keys (docs/desk.md, A refused journal)."
    )


class WriteFailedError(JournalError):
    """The record was not written, and nothing of it is on disk."""


class JournalFullError(WriteFailedError):
    """The disk, or the journal's page limit, is full."""

    hint = "Free disk space where the journal lies; nothing is sent until then."


class ReadOnlyJournalError(WriteFailedError):
    """The journal's file or file system is read-only."""

    hint = "Make the journal's file system writable; nothing is sent until then."


class UncertainWriteError(JournalError):
    """The write failed in a way that leaves open whether it is on disk."""

    outcome = "unknown"
    hint = "Restart the desk: it reads what the disk holds, and sends nothing again."


class ClockBehindError(JournalError):
    """The clock is behind the journal's last record, so that ages and expiries would be wrong."""

    hint = (
        "Correct this machine's clock (NTP). If it had been ahead before, wait until it has passed that record, or set "
        "the desk up again (docs/desk.md, A refused journal)."
    )


class UnrecordedHaltError(JournalError):
    """A halt was not recorded. The desk takes no more writes until it is restarted; the next run would not know."""

    hint = "Mend what keeps the journal from being written, restart the desk, and halt again."

    def __init__(self, why: JournalError) -> None:
        super().__init__(
            f"the halt could not be recorded, so the desk accepts no more writes until it is restarted: {why.message}"
        )


class NotRecoveredError(JournalError):
    """A claim before `recover` was called."""


class NoSuchIntentError(JournalError):
    """No intent has this id."""


class StateChangedError(JournalError):
    """The intent is in another state than the caller thought; nothing was changed."""


class ConflictError(JournalError):
    """An id, nonce or digest that is taken already, or that does not belong to this intent."""


class ClaimRefusal(StrEnum):
    """Which condition of a claim does not hold."""

    HALTED = "halted"
    GRANT = "grant"
    POLICY = "policy"
    UNKNOWN = "unknown"
    DEADLINE = "deadline"
    LIMITS = "limits"


class ClaimRefusedError(JournalError):
    """A condition of the claim does not hold; nothing was changed, and nothing may be sent."""

    def __init__(self, reason: ClaimRefusal, message: str) -> None:
        super().__init__(message)
        self.reason = reason
