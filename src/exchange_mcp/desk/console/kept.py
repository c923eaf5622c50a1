"""What is on the screens of sessions, by key: one session's storm pushes out its own oldest and nobody else's."""

from typing import Final, Generic, Protocol, TypeVar

from exchange_mcp.desk.console.sessions import MOST_SESSIONS, Session


class OfSession(Protocol):
    """Something that belongs to one session."""

    @property
    def session(self) -> Session:
        """Whose it is."""
        ...


T = TypeVar("T", bound=OfSession)


class Kept(Generic[T]):
    """At most so many of one session, and of all together as many as there may be sessions at a time with that many."""

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self._items: dict[str, T] = {}

    def __len__(self) -> int:
        return len(self._items)

    def put(self, key: str, item: T) -> None:
        """Keep it; where its session has too many, its oldest goes."""
        own = [each for each, other in self._items.items() if other.session is item.session]
        for oldest in own[: len(own) - self._most + 1]:
            del self._items[oldest]
        # Of sessions that have ended: those that are open have fewer.
        while len(self._items) >= MOST_SESSIONS * self._most:
            del self._items[next(iter(self._items))]
        self._items[key] = item

    def get(self, key: str, session: Session) -> T | None:
        """The session's own of this key."""
        item = self._items.get(key)
        return item if item is not None and item.session is session else None

    def take(self, key: str, session: Session) -> T | None:
        """As `get`, once."""
        item = self.get(key, session)
        if item is not None:
            del self._items[key]
        return item
