"""Market metadata on disk, so that a cold start asks the venue one question instead of downloading its catalogue.

A file belongs to one venue, environment, set of market types and ccxt version, and says so inside; a file
that says anything else, is too old, or is damaged counts as absent. Files are the owner's alone.
"""

import hashlib
import json
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

SCHEMA: Final = 2
"""2: Binance's rows keep what an order there is held to."""
# Simulated exchanges may run side by side and share this directory; more than these do not.
_INSTANCES: Final = 8


@dataclass(frozen=True, slots=True)
class MarketKey:
    """What a catalogue is of. `instance` tells simulated exchanges apart; it is empty for the others."""

    venue: str
    environment: str
    market_types: tuple[str, ...]
    ccxt_version: str
    instance: str = ""

    def stamp(self) -> dict[str, Any]:
        """The key as it is written into the file."""
        return {
            "schema": SCHEMA,
            "venue": self.venue,
            "environment": self.environment,
            "market_types": list(self.market_types),
            "ccxt": self.ccxt_version,
            "instance": self.instance,
        }


@dataclass(frozen=True, slots=True)
class StoredMarkets:
    """Markets as ccxt's `set_markets` takes them, the options its parsers need, and when they were read (ms)."""

    markets: list[dict[str, Any]]
    options: dict[str, Any]
    loaded_ms: int


class MarketCache:
    """A directory of catalogues. Reading and writing block; call them from a thread."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def read(self, key: MarketKey, *, now_ms: int, oldest_ms: int) -> StoredMarkets | None:
        """The stored catalogue, if it is of this key and not older than `oldest_ms` milliseconds."""
        try:
            document: Any = json.loads(_content(self._path(key)))
            stored = cast("dict[str, Any]", document)
            if stored["stamp"] != key.stamp() or not _are_markets(stored["markets"]):
                return None
            markets = cast("list[dict[str, Any]]", stored["markets"])
            options: Any = stored["options"]
            loaded_ms: Any = stored["loaded_ms"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        if not isinstance(options, dict) or not isinstance(loaded_ms, int):
            return None
        if not 0 <= now_ms - loaded_ms <= oldest_ms:
            return None
        return StoredMarkets(markets, cast("dict[str, Any]", options), loaded_ms)

    def write(self, key: MarketKey, stored: StoredMarkets) -> None:
        """Store a catalogue in place of the last one, all or nothing.

        Raises:
            OSError: the directory cannot be written.
        """
        # With parents=True, the parents' mode would be whatever the umask leaves.
        missing = [place for place in (self._directory, *self._directory.parents) if not place.exists()]
        for place in reversed(missing):
            place.mkdir(mode=0o700, exist_ok=True)
        document = {
            "stamp": key.stamp(),
            "loaded_ms": stored.loaded_ms,
            "options": stored.options,
            "markets": stored.markets,
        }
        handle, temporary = tempfile.mkstemp(dir=self._directory, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(document, file, separators=(",", ":"))
            Path(temporary).replace(self._path(key))
            self._forget_other_instances(key)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _forget_other_instances(self, key: MarketKey) -> None:
        """Remove what earlier simulated exchanges left behind, but for the newest."""
        if key.instance:
            files = sorted(self._directory.glob(f"{_stem(key)}-*.json"), key=_modified)
            for file in files[:-_INSTANCES]:
                file.unlink(missing_ok=True)

    def _path(self, key: MarketKey) -> Path:
        instance = f"-{_digest(key.instance)}" if key.instance else ""
        return self._directory / f"{_stem(key)}{instance}.json"


def _modified(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:  # another process removed it
        return 0


def _stem(key: MarketKey) -> str:
    """The name of a file but for whose instance it is of."""
    stamp = {name: value for name, value in key.stamp().items() if name != "instance"}
    return f"markets-{key.venue}-{key.environment}-{_digest(json.dumps(stamp, sort_keys=True))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _content(path: Path) -> str:
    """The text of a regular file; opening anything else, such as a pipe, must not wait for whoever writes to it."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), encoding="utf-8") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("not a regular file")
        return file.read()


def _are_markets(value: object) -> bool:
    """Whether this is a list of at least one market, each with a symbol."""
    return (
        isinstance(value, list)
        and bool(cast("list[object]", value))
        and all(
            isinstance(market, dict) and isinstance(cast("dict[str, object]", market).get("symbol"), str)
            for market in cast("list[object]", value)
        )
    )
