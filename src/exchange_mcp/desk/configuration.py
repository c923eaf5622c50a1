"""`desk.toml` as it stands on the disk now, beside what was accepted; and which keys count because of both."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from exchange_mcp.config.faults import ConfigError, Fault
from exchange_mcp.desk.approvers import SCRIPTED, Verifier
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.offices.floor import Standing
from exchange_mcp.desk.settings import DeskSettings, desk_text, digest_of

_MOST_JUDGED: Final = 8


class ConfigurationFile:
    """The file, read again whenever it is asked about.

    Args:
        path: where it stands.
        judge: the settings that a text is; raises ConfigError.
    """

    def __init__(self, path: Path, judge: Callable[[str], DeskSettings]) -> None:
        self._path = path
        self._judge = judge
        self._judged: dict[str, DeskSettings | tuple[str, ...]] = {}

    def standing(self) -> Standing:
        """What is there now, with its faults."""
        text = desk_text(self._path)
        if isinstance(text, Fault):
            return Standing(file=str(self._path), text="", digest=digest_of(""), faults=(str(text),))
        judged = self.judged(text)
        faults = judged if isinstance(judged, tuple) else ()
        return Standing(file=str(self._path), text=text, digest=digest_of(text), faults=faults)

    def judged(self, text: str) -> DeskSettings | tuple[str, ...]:
        """The settings that this text is, or what is wrong with it, a line each."""
        digest = digest_of(text)
        if digest not in self._judged:
            try:
                outcome: DeskSettings | tuple[str, ...] = self._judge(text)
            except ConfigError as error:
                outcome = tuple(str(fault) for fault in error.faults)
            if len(self._judged) >= _MOST_JUDGED:
                self._judged.clear()
            self._judged[digest] = outcome
        return self._judged[digest]


class TakenKinds(Mapping[str, Verifier]):
    """The kinds of approvers' keys that count at this moment.

    A scripted key, which lies open, counts only while what was accepted and what stands on the disk are both a desk of
    simulated accounts that asks for it: else it could sign the way from the one to a desk that is not.
    """

    def __init__(self, kinds: Mapping[str, Verifier], journal: Journal, file: ConfigurationFile) -> None:
        self._kinds = kinds
        self._journal = journal
        self._file = file

    def __getitem__(self, kind: str) -> Verifier:
        if kind == SCRIPTED and not self._takes_scripted():
            raise KeyError(kind)
        return self._kinds[kind]

    def __iter__(self) -> Iterator[str]:
        return (kind for kind in self._kinds if kind != SCRIPTED or self._takes_scripted())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _takes_scripted(self) -> bool:
        accepted = self._journal.accepted_configuration()
        texts = [self._file.standing().text, *([] if accepted is None else [accepted.text])]
        judged = [self._file.judged(text) for text in texts]
        return all(isinstance(each, DeskSettings) and each.has_scripted_approver for each in judged)
