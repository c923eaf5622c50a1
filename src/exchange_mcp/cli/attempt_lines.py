"""Attempts at writes as JSON lines: one object a line, read one at a time and never more of one than is bounded.

What is wrong with a line is said in one sentence. A member that is not known is not read and is named, so that nothing
is dropped silently; one that is only spelt differently is a fault.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, cast, get_args

from exchange_mcp.model.outcomes import Action, Evidence
from exchange_mcp.model.venue_text import visible

LONGEST_LINE: Final = 8 * 1024 * 1024
"""Bytes; the longest body that is judged fits in with every character escaped."""

_KNOWN: Final = (
    *("venue", "action", "url", "status", "sent", "body", "client_order_id", "order_id", "leverage"),
)
_YES_AND_NO: Final = {"yes": True, "no": False}
_HTTP: Final = range(100, 600)
_MOST_NAMED: Final = 5


class LineError(Exception):
    """What is wrong with a line, as a sentence."""


@dataclass(frozen=True, slots=True)
class ReadAttempt:
    """An attempt, and the names of members that were not read."""

    evidence: Evidence
    unread: tuple[str, ...]


def lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Each line without its end; None for one that is too long, whose rest is passed over."""
    while line := stream.readline(LONGEST_LINE + 1):
        if len(line) <= LONGEST_LINE or line.endswith(b"\n"):
            yield line
            continue
        while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass
        yield None


def read_attempt(line: bytes | None, venue: str | None) -> ReadAttempt:
    """The attempt that a line tells; `venue` is that of a line which names none.

    Raises:
        LineError: it tells none.
    """
    if line is None:
        raise LineError(f"the line is longer than {LONGEST_LINE} bytes")
    members = _members(line)
    action = members.get("action", "place")
    if action not in get_args(Action):
        raise LineError("action is place, cancel or leverage")
    is_sent = _sent(members)
    return ReadAttempt(
        Evidence(
            venue=_text(members, "venue", venue),
            action=cast("Action", action),
            url=_text(members, "url", None) if is_sent else _place(members),
            status=_status(members, is_sent=is_sent),
            is_sent=is_sent,
            body=_body(members),
            client_order_id=_optional_text(members, "client_order_id"),
            order_id=_optional_text(members, "order_id"),
            leverage=_leverage(members),
        ),
        tuple(name for name in members if name not in _KNOWN),
    )


def unread_note(unread: tuple[str, ...]) -> str:
    """The sentence that names what was not read; empty where everything was."""
    if not unread:
        return ""
    more = len(unread) - _MOST_NAMED
    named = ", ".join(visible(name, 40) for name in unread[:_MOST_NAMED])
    return f"; not read: {named}" + (f" and {more} more" if more > 0 else "")


def _members(line: bytes) -> dict[str, Any]:
    text = line.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    if not text.strip():
        raise LineError("the line is empty")
    try:
        value: Any = json.loads(text, object_pairs_hook=_once)
    except LineError:
        raise
    except (ValueError, RecursionError):
        raise LineError("the line is not JSON") from None
    if not isinstance(value, dict):
        raise LineError("the line is no JSON object")
    members = cast("dict[str, Any]", value)
    for name in members:
        meant = _MEANT.get(_plain(name), name)
        if meant != name:
            raise LineError(f"the member {visible(name, 40)} is written {meant}")
    return members


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").strip()


_MEANT: Final = {_plain(name): name for name in _KNOWN}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise LineError("the line has a name twice")
    return members


def _text(members: dict[str, Any], name: str, default: str | None) -> str:
    value = members.get(name, default)
    if not isinstance(value, str) or not value:
        raise LineError(f"{name} is missing, or is no text")
    return value


def _optional_text(members: dict[str, Any], name: str) -> str | None:
    value = members.get(name)
    if value is not None and not (isinstance(value, str) and value):
        raise LineError(f"{name} is text, or left out")
    return value


def _place(members: dict[str, Any]) -> str:
    """Where something would have been asked that never left: this need not be known."""
    value = members.get("url")
    if value is not None and not isinstance(value, str):
        raise LineError("url is no text")
    return value or ""


def _status(members: dict[str, Any], *, is_sent: bool) -> int | None:
    if "status" not in members and is_sent:
        raise LineError("status is missing; it is a number, or null where no answer came")
    value = members.get("status")
    if value is None or value == "none":
        return None
    if type(value) is not int or value not in _HTTP:
        raise LineError("status is a number from 100 to 599, or null where no answer came")
    return value


def _sent(members: dict[str, Any]) -> bool:
    value = members.get("sent", True)
    if isinstance(value, str):
        value = _YES_AND_NO.get(value)
    if not isinstance(value, bool):
        raise LineError("sent is true or false")
    return value


def _body(members: dict[str, Any]) -> str | None:
    value = members.get("body")
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        # Whoever pasted the answer itself instead of its text; a name twice in it was found above.
        try:
            return json.dumps(value, ensure_ascii=False)
        except (ValueError, RecursionError):
            raise LineError("body is nested too deep") from None
    raise LineError("body is the text of the answer, or null where none came")


def _leverage(members: dict[str, Any]) -> int | None:
    value = members.get("leverage")
    if value is not None and (type(value) is not int or value < 1):
        raise LineError("leverage is a whole number from 1, or left out")
    return value
