"""The locks of the API keys that a desk holds: one key has one desk on this machine, whatever journal it has."""

from collections.abc import Iterable
from pathlib import Path

from exchange_mcp.desk.journal_errors import LockHeldError
from exchange_mcp.desk.locks import ProcessLock, hold_key


class KeyLocks:
    """Every key lock of this process; `runtime` is where those of this user lie."""

    def __init__(self, runtime: Path) -> None:
        self._runtime = runtime
        self._held: dict[str, ProcessLock] = {}

    def hold(self, key_ids: Iterable[str]) -> dict[str, LockHeldError]:
        """Hold these as well; those that another desk holds, each with what is known of it."""
        refused: dict[str, LockHeldError] = {}
        for key_id in key_ids:
            if key_id in self._held:
                continue
            try:
                self._held[key_id] = hold_key(self._runtime, key_id)
            except LockHeldError as error:
                refused[key_id] = error
        return refused

    def keep(self, key_ids: Iterable[str]) -> None:
        """Give back every other one."""
        kept = set(key_ids)
        for key_id in [each for each in self._held if each not in kept]:
            self._held.pop(key_id).release()
