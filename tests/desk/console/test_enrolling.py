"""A passkey is begun at the terminal, made with its code, and is nobody's approval until it was signed in."""

from typing import Any

import pytest

from desk.soft_passkey import PRESENT, SoftPasskey
from exchange_mcp.desk.console.invitations import LASTS_MS, MOST_TRIES
from exchange_mcp.desk.operator.messages import PasskeyInvitation, PasskeyInvited
from exchange_mcp.desk.passkeys import check_words, unb64
from exchange_mcp.model.errors import InvalidArgumentError

from .visiting import ASKS, Desk, code

pytestmark = pytest.mark.anyio


class Enrolling:
    """A desk, a browser at the link, and a security key."""

    def __init__(self) -> None:
        self.desk = Desk()
        self.soft = SoftPasskey(credential_id=b"a new credential")
        self.invited: PasskeyInvited = self.desk.console.invite(PasskeyInvitation(name="bob"))
        self.secret = self.invited.url.partition("#")[2]

    async def begin(self, typed: str | None = None) -> Any:  # noqa: ANN401 - the answer
        said = {"secret": self.secret, "code": self.invited.code if typed is None else typed}
        return await self.desk.client.post("/enrol/begin", json=said, headers=ASKS)

    async def finish(self, options: dict[str, Any], **made_up: Any) -> Any:  # noqa: ANN401 - the answer
        made = self.soft.made(unb64(options["challenge"]), **made_up)
        return await self.desk.client.post(
            "/enrol/finish", json={"secret": self.secret, **made}, headers=ASKS
        )


async def test_a_passkey_is_made_and_both_screens_show_the_same_words() -> None:
    at = Enrolling()
    assert at.desk.console.answer(at.invited.id).public is None
    options = (await at.begin()).json()["options"]
    shown = (await at.finish(options)).json()["check"]
    answer = at.desk.console.answer(at.invited.id)
    public = at.soft.passkey.text()
    assert answer.public == public
    assert shown == answer.check == check_words("bob", public)
    assert "bob" not in at.desk.office.people


@pytest.mark.parametrize("typed", ["AB2C DE3F", "ab2cde3f", "AB2C-DE3F"])
async def test_the_code_may_be_typed_with_or_without_its_dash(typed: str) -> None:
    at = Enrolling()
    (invitation,) = at.desk.console.invitations
    invitation.code = "AB2CDE3F"
    assert (await at.begin(typed)).status_code == 200


async def test_a_wrong_code_makes_nothing_and_a_few_of_them_end_the_link() -> None:
    at = Enrolling()
    for _ in range(MOST_TRIES - 1):
        assert code(await at.begin("22222222")) == "CODE_REFUSED"
    assert code(await at.begin("22222222")) == "INVITATION_OVER"
    assert code(await at.begin()) == "INVITATION_OVER"
    with pytest.raises(InvalidArgumentError):
        at.desk.console.answer(at.invited.id)


@pytest.mark.parametrize("made_up", [{"flags": PRESENT}, {"origin": "http://localhost:9999"}], ids=str)
async def test_a_passkey_made_elsewhere_or_without_its_user_is_none(made_up: dict[str, Any]) -> None:
    at = Enrolling()
    options = (await at.begin()).json()["options"]
    assert code(await at.finish(options, **made_up)) == "PASSKEY_REFUSED"
    assert at.desk.console.answer(at.invited.id).public is None


async def test_without_the_code_first_or_with_one_challenge_twice_nothing_is_made() -> None:
    at = Enrolling()
    assert code(await at.finish({"challenge": "AAAA"})) == "FORM_USED"
    options = (await at.begin()).json()["options"]
    assert code(await at.finish(options, flags=PRESENT)) == "PASSKEY_REFUSED"
    assert code(await at.finish(options)) == "FORM_USED"


async def test_a_link_to_make_a_passkey_is_good_once_and_for_ten_minutes() -> None:
    at = Enrolling()
    options = (await at.begin()).json()["options"]
    assert (await at.finish(options)).status_code == 200
    assert code(await at.begin()) == "INVITATION_OVER"
    late = Enrolling()
    late.desk.clock.ms += LASTS_MS
    assert code(await late.begin()) == "INVITATION_OVER"
    with pytest.raises(InvalidArgumentError):
        late.desk.console.answer(late.invited.id)


async def test_many_invitations_end_the_oldest() -> None:
    at = Enrolling()
    for _ in range(4):
        at.desk.console.invite(PasskeyInvitation(name="eve"))
    assert code(await at.begin()) == "INVITATION_OVER"


def test_a_code_is_of_letters_that_cannot_be_mistaken() -> None:
    desk = Desk()
    codes = [desk.console.invite(PasskeyInvitation(name="bob")).code for _ in range(50)]
    assert len(set(codes)) == 50
    assert not set("".join(codes)) & set("01ILOU")
