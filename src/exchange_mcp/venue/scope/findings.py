"""What an answer about a key says so far, permission by permission, and how it is told apart from what it does not say.

A permission is denied only if a parser says that the venue said so; a doubt outweighs every denial, and a grant
every doubt. Nothing of an answer is shown but what a parser knows: a venue's answer may hold secrets.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final, TypeGuard, cast

from exchange_mcp.model.instants import LAST_MS
from exchange_mcp.model.scopes import MOST_FLAGS, MOST_REASONS, Ability, KeyScope, Permission

Members = Mapping[object, object]

EVERYTHING: Final = tuple(Ability)
# What somebody could do harm with.
ACTING: Final = (Ability.TRADE, Ability.WITHDRAW, Ability.TRANSFER)

_MOST_ITEMS: Final = 256
_MOST_NAMED: Final = 3
# The form of a flag's name. Keys and secrets are longer, and have more digits.
_FLAG: Final = re.compile(r"(?=(?:[^0-9]*[0-9]){0,2}[^0-9]*\Z)[A-Za-z][A-Za-z0-9_.-]{0,23}")
_ACCOUNT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,47}")
_DIGITS: Final = re.compile(r"[0-9]{1,15}")


class UnreadableError(Exception):
    """The answer is not what the venue's page describes. Its text quotes nothing of the answer."""


class Findings:
    """What one answer says of a key. Grants, denials and doubts may come in any order."""

    def __init__(self, venue: str) -> None:
        self._venue = venue
        self._granted: dict[Ability, list[str]] = {ability: [] for ability in EVERYTHING}
        self._doubted: dict[Ability, list[str]] = {ability: [] for ability in EVERYTHING}
        self._denied: set[Ability] = set()
        self._flags: dict[str, str] = {}
        self._notes: list[str] = []

    def grant(self, ability: Ability, why: str) -> None:
        """The venue says that the key may."""
        self._granted[ability].append(why)

    def deny(self, *abilities: Ability) -> None:
        """The venue says that the key may not."""
        self._denied.update(abilities)

    def doubt(self, abilities: Iterable[Ability], why: str) -> None:
        """Something in the answer keeps these from being told."""
        for ability in abilities:
            if why not in self._doubted[ability]:
                self._doubted[ability].append(why)

    def note(self, sentence: str) -> None:
        """Say something beside the permissions."""
        self._notes.append(sentence)

    def flag(self, name: str, value: object) -> None:
        """Show a flag that the parser knows: a truth value, or codes as `shown` gives them."""
        text = ("true" if value else "false") if isinstance(value, bool) else str(value)
        if len(self._flags) < MOST_FLAGS:
            self._flags[name] = text

    def switches(self, answer: Members, names: Iterable[str], ability: Ability) -> None:
        """One ability that several boolean fields grant; it is denied only if each is there and false."""
        for name in names:
            value = answer.get(name)
            if isinstance(value, bool):
                self.flag(name, value)
            if value is True:
                self.grant(ability, f"{name} is on")
            elif value is not False:
                self.doubt((ability,), f"{name} is missing or not a truth value")
        self.deny(ability)

    def only(self, answer: Members, known: Collection[str], where: str) -> None:
        """Doubt everything that is not granted if there is a field that the parser does not know."""
        strange = [name for name in answer if name not in known]
        if strange:
            self.doubt(EVERYTHING, f"{where} has a field that is not known here: {listed(strange)}")

    def scope(
        self,
        *,
        ip_restricted: bool | None = None,
        expires: int | None = None,
        account_id: str | None = None,
    ) -> KeyScope:
        """What was found."""
        found = {ability: self._permission(ability) for ability in EVERYTHING}
        return KeyScope(
            venue=self._venue,
            read=found[Ability.READ],
            trade=found[Ability.TRADE],
            withdraw=found[Ability.WITHDRAW],
            transfer=found[Ability.TRANSFER],
            ip_restricted=ip_restricted,
            expires=expires,
            account_id=account_id,
            flags=self._flags,
            reasons=tuple(self._reasons(found))[:MOST_REASONS],
        )

    def _permission(self, ability: Ability) -> Permission:
        if self._granted[ability]:
            return Permission.GRANTED
        if self._doubted[ability] or ability not in self._denied:
            return Permission.UNKNOWN
        return Permission.DENIED

    def _reasons(self, found: Mapping[Ability, Permission]) -> Iterable[str]:
        for ability, permission in found.items():
            if permission is Permission.GRANTED:
                yield f"{ability} is granted: {_first(self._granted[ability])}"
            elif permission is Permission.UNKNOWN:
                doubts = self._doubted[ability] or ["the answer does not say"]
                yield f"{ability} is unknown: {_first(doubts)}"
        yield from self._notes


def _first(words: list[str]) -> str:
    more = len(words) - _MOST_NAMED
    return "; ".join(words[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")


def shown(name: object) -> str:
    """A flag's name, if it has the form of one; anything else might be a secret."""
    return name if isinstance(name, str) and _FLAG.fullmatch(name) else "(not shown)"


def listed(names: Iterable[object]) -> str:
    """Some names of flags, each only if it has the form of one."""
    return _first(list(dict.fromkeys(shown(name) for name in names))) or "none at all"


def all_of(names: Iterable[object]) -> str:
    """The value of a flag that is a list of names."""
    return ",".join(dict.fromkeys(shown(name) for name in names))


def members(value: object, what: str) -> Members:
    """The members of a JSON object.

    Raises:
        UnreadableError: it is none.
    """
    if not isinstance(value, Mapping):
        raise UnreadableError(f"{what} is not an object")
    return cast("Members", value)


def is_list(value: object) -> TypeGuard[list[object]]:
    """Whether it is a JSON array."""
    return isinstance(value, list)


def items(value: object, what: str) -> list[object]:
    """The items of a JSON array of a size that a key's answer may have.

    Raises:
        UnreadableError: it is none, or longer.
    """
    if not is_list(value):
        raise UnreadableError(f"{what} is not a list")
    if len(value) > _MOST_ITEMS:
        raise UnreadableError(f"{what} is longer than any such list")
    return value


def codes(value: object, what: str) -> list[str]:
    """The codes in a JSON array, or in a text with commas between them; none where it is empty.

    Raises:
        UnreadableError: it is neither.
    """
    raw: list[object] = list(value.split(",", _MOST_ITEMS)) if isinstance(value, str) else items(value, what)
    if value == "":
        return []
    texts = [code.strip() for code in raw if isinstance(code, str)]
    if len(texts) != len(raw) or len(raw) > _MOST_ITEMS:
        raise UnreadableError(f"{what} holds something that is not a code")
    return texts


def whole(value: object) -> int | None:
    """A whole number that is not negative, sent as such or as text; None if it is none."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else None


def instant(value: int) -> int | None:
    """The UTC milliseconds, if they are before the year 10000."""
    return value if 0 < value <= LAST_MS else None


def account(value: object) -> str | None:
    """The venue's id of an account, if it has the form of one."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    return text if isinstance(text, str) and _ACCOUNT.fullmatch(text) else None
