"""What is on one session's screens is not pushed out by another's, however many that one opens."""

from dataclasses import dataclass

import pytest

from desk.virtual import HandClock, SeededEntropy
from exchange_mcp.desk.console.kept import Kept
from exchange_mcp.desk.console.sessions import MOST_SESSIONS, Session, Sessions

from .proposals import spot
from .visiting import Desk, code

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, slots=True)
class Screen:
    session: Session


def session(sessions: Sessions) -> Session:
    return sessions.enter(sessions.link()[0])[0]


def test_a_storm_in_one_session_pushes_out_that_sessions_own_oldest_alone() -> None:
    sessions = Sessions(HandClock(), SeededEntropy())
    person, storm = session(sessions), session(sessions)
    kept = Kept[Screen](3)
    for key in ("a", "b"):
        kept.put(key, Screen(person))
    for number in range(100):
        kept.put(str(number), Screen(storm))
    assert [key for key in ("a", "b") if kept.get(key, person) is not None] == ["a", "b"]
    assert [number for number in range(100) if kept.get(str(number), storm) is not None] == [97, 98, 99]
    assert kept.get("a", storm) is None
    assert kept.take("a", person) == Screen(person)
    assert kept.get("a", person) is None


def test_what_sessions_that_ended_had_on_their_screens_does_not_pile_up() -> None:
    sessions = Sessions(HandClock(), SeededEntropy())
    kept = Kept[Screen](3)
    for number in range(100):
        one = session(sessions)
        for key in range(3):
            kept.put(f"{number} {key}", Screen(one))
    assert len(kept) == MOST_SESSIONS * 3


async def test_one_session_asks_for_passkeys_about_a_few_things_a_minute_and_costs_no_nonce_beyond() -> None:
    async with Desk() as desk:
        codes: list[str] = []
        for _ in range(20):
            page = f"intents/{desk.office.propose(spot(), state='unknown')}"
            answer = await desk.do(f"{page}/resolve", page, outcome="absent", note="looked")
            codes.append("" if answer.status_code == 200 else code(answer))
        assert codes == [""] * 8 + ["PROMPTED_BEFORE"] * 12
        assert len(desk.office.challenges) == 8
