"""The generated tables are those of the code."""

import pytest

from exchange_mcp.venue.scope import QUESTIONS
from exchange_mcp.venue.scope.pages import BEGIN, END, ROOT, venues_page, verdict_table, with_verdicts


def test_the_page_about_venues_is_the_one_that_the_code_makes() -> None:
    assert (ROOT / "docs" / "venues.md").read_text(encoding="utf-8") == venues_page()


def test_the_verdicts_in_the_security_page_are_those_that_the_code_makes() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert with_verdicts(text) == text
    assert verdict_table() in text


def test_every_venue_has_its_row() -> None:
    for question in QUESTIONS.values():
        assert question.told in venues_page()
        assert question.untold in venues_page()


@pytest.mark.parametrize("text", ["", BEGIN, f"{END} {BEGIN}", f"{BEGIN}{END}{BEGIN}{END}"])
def test_a_page_without_its_markers_is_not_written_to(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        with_verdicts(text)


def test_what_stands_around_the_markers_stays() -> None:
    written = with_verdicts(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert written.startswith(f"before\n{BEGIN}\n| the key |")
    assert written.endswith(f"|\n{END}\nafter\n")
    assert "old" not in written
