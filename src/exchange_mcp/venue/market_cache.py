"""Market metadata on disk, so that a cold start asks the venue one question instead of downloading its catalogue.

A file belongs to one venue, environment, set of market types and ccxt version, and says so inside; a file
that says anything else, is too old, or is damaged counts as absent. Files are the owner's alone.
"""

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

SCHEMA: Final = 1


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
            document: Any = json.loads(self._path(key).read_text(encoding="utf-8"))
            stored = cast("dict[str, Any]", document)
            if (
                stored["stamp"] != key.stamp()
                or not isinstance(stored["markets"], list)
                or not stored["markets"]
            ):
                return None
            loaded_ms = int(stored["loaded_ms"])
            options = cast("dict[str, Any]", stored["options"])
            markets = cast("list[dict[str, Any]]", stored["markets"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return StoredMarkets(markets, options, loaded_ms) if 0 <= now_ms - loaded_ms <= oldest_ms else None

    def write(self, key: MarketKey, stored: StoredMarkets) -> None:
        """Store a catalogue in place of the last one, all or nothing.

        Raises:
            OSError: the directory cannot be written.
        """
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
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
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _path(self, key: MarketKey) -> Path:
        digest = hashlib.sha256(json.dumps(key.stamp(), sort_keys=True).encode()).hexdigest()[:16]
        return self._directory / f"markets-{key.venue}-{key.environment}-{digest}.json"
