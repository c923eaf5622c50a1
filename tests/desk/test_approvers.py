"""A signature counts for one key, one statement, one form."""

from dataclasses import replace
from typing import Any

import pytest

from exchange_mcp.desk.approvers import ED25519, SCRIPTED, base64url, verified, verifiers
from exchange_mcp.desk.statements import Purpose, resume_body
from exchange_mcp.model.errors import DeskError, ErrorCode

from .signing import ANNA, BEN, Hand, statement

SAID = statement(Purpose.RESUME, resume_body(account=None, reason="a drill"))
KINDS = verifiers(is_all_simulated=False)


def test_the_approvers_own_signature_counts() -> None:
    assert verified(KINDS, ANNA.approver, SAID.hash(), ANNA.fields(SAID.hash())).counter is None


@pytest.mark.parametrize(
    "fields",
    [
        {},
        BEN.fields(SAID.hash()),
        ANNA.fields(SAID.hash()[::-1]),
        {**ANNA.fields(SAID.hash()), "more": "x"},
        {"signature": ANNA.fields(SAID.hash())["signature"] + "=="},
        {"signature": "A" * 86},
        {"signature": "é"},
        {"signature": ""},
    ],
    ids=["none", "another's", "of another hash", "a field more", "padded", "zeros", "no base64", "empty"],
)
def test_anything_else_is_refused_with_a_sentence(fields: dict[str, str]) -> None:
    with pytest.raises(DeskError, match=r"The signature is refused: .+\.") as caught:
        verified(KINDS, ANNA.approver, SAID.hash(), fields)
    assert caught.value.code is ErrorCode.SIGNATURE_REFUSED


@pytest.mark.parametrize(
    "changed",
    [{"desk_id": "e" * 32}, {"nonce": "1" * 32}, {"expires_ms": 1}, {"purpose": Purpose.GRANT}],
    ids=str,
)
def test_a_signature_is_of_its_desk_its_nonce_its_expiry_and_its_purpose(changed: dict[str, Any]) -> None:
    other = replace(SAID, **changed)
    with pytest.raises(DeskError):
        verified(KINDS, ANNA.approver, other.hash(), ANNA.fields(SAID.hash()))


def test_nobody_enrolled_is_nobody() -> None:
    with pytest.raises(DeskError, match="nobody of that name"):
        verified(KINDS, None, SAID.hash(), ANNA.fields(SAID.hash()))


def test_a_scripted_key_counts_only_where_every_account_is_simulated() -> None:
    robot = Hand("robot", SCRIPTED)
    fields = robot.fields(SAID.hash())
    verified(verifiers(is_all_simulated=True), robot.approver, SAID.hash(), fields)
    with pytest.raises(DeskError, match="only where every account is simulated"):
        verified(KINDS, robot.approver, SAID.hash(), fields)
    assert SCRIPTED not in verifiers(is_all_simulated=True, has_scripted=False)


@pytest.mark.parametrize(
    "public", ["", ANNA.public + "=", ANNA.public[:-1], base64url(bytes(31)), "é" * 43, ANNA.public + "AA"]
)
def test_a_public_key_has_one_form(public: str) -> None:
    assert KINDS[ED25519].check(ANNA.public) == ANNA.public
    with pytest.raises(ValueError, match="public key"):
        KINDS[ED25519].check(public)
