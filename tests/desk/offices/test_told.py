"""For every state there is a sentence of what comes next, and each is true of that state."""

import pytest

from exchange_mcp.desk.intents import LIVE, State
from exchange_mcp.desk.offices.told import NEXT, approval_sentence
from exchange_mcp.desk.offices.views import changes
from exchange_mcp.model.canonical import canonical_json
from orders.made import asked, made_book, previewed

UNSENT = {State.DENIED, State.DECLINED, State.EXPIRED, State.RETRACTED, State.LAPSED}


def test_every_state_has_one_sentence_and_none_more() -> None:
    assert set(NEXT) == set(State)
    for sentence in NEXT.values():
        assert sentence.endswith(".")
        assert "://" not in sentence
    assert len(set(NEXT.values())) == len(State)


@pytest.mark.parametrize("state", State, ids=str)
def test_a_sentence_says_whether_something_was_sent_and_whether_to_ask_again(state: State) -> None:
    sentence = NEXT[state]
    assert ("Nothing was sent." in sentence) is (state in UNSENT)
    assert ("get_intent" in sentence) is (state in LIVE)
    if state in LIVE:
        assert "propose it again if" not in sentence


def test_who_can_approve_is_named_and_too_few_are_said_to_be() -> None:
    assert "a signature of anna or ben," in approval_sentence(["anna", "ben"], 1)
    assert "2 of anna, ben, each" in approval_sentence(["anna", "ben"], 2)
    assert "only 1 enrolled, so it cannot be approved" in approval_sentence(["anna"], 2)


def test_what_changed_between_two_previews_is_said_line_by_line() -> None:
    request = asked(amount="0.1", price="99000.0")
    before = previewed(request)
    after = previewed(request, book=made_book((("98990", "1"),), (("99010", "1"),)))
    said = changes({"shown": before.model_dump()}, canonical_json({"shown": after.model_dump()}))
    assert any(sentence.startswith("price was: ") for sentence in said)
    assert changes({"shown": before.model_dump()}, canonical_json({"shown": before.model_dump()})) == ()
