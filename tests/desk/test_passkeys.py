"""A passkey signs one statement's hash, its user verified, on our page and no other."""

from typing import Any

import pytest

from exchange_mcp.desk.passkeys import (
    Passkey,
    PasskeyRefusedError,
    b64,
    check_words,
    register,
    registration_options,
    request_options,
    unb64,
    verify,
)
from exchange_mcp.desk.statements import Purpose, Statement, grant_body

from .soft_passkey import ORIGIN, PRESENT, VERIFIED, SoftPasskey


def statement(plan_text: str = "plan", **changed: Any) -> Statement:  # noqa: ANN401 - any part of it
    parts: dict[str, Any] = {
        "purpose": Purpose.GRANT,
        "desk_id": "d" * 32,
        "nonce": "0" * 32,
        "expires_ms": 1_800_000_000_000,
        "body": grant_body(intent="i1", plan_text=plan_text, preview_text="preview", policy_digest="p" * 64),
    }
    return Statement(**{**parts, **changed})


CHALLENGE = statement().hash()


def test_a_signature_over_the_statement_is_taken_and_its_counter_kept() -> None:
    soft = SoftPasskey(counter=6)
    assert verify(soft.passkey.text(), CHALLENGE, soft.signed(CHALLENGE), counter=6, origin=ORIGIN) == 7


def test_an_authenticator_that_does_not_count_stays_at_zero() -> None:
    soft = SoftPasskey()
    fields = soft.signed(CHALLENGE, counts=False)
    assert verify(soft.passkey.text(), CHALLENGE, fields, counter=0, origin=ORIGIN) == 0


@pytest.mark.parametrize(
    "other",
    [
        statement(plan_text="plan of another order"),
        statement(nonce="1" * 32),
        statement(desk_id="e" * 32),
        statement(purpose=Purpose.RESUME),
        statement(expires_ms=1_800_000_000_001),
    ],
    ids=["plan", "nonce", "desk", "purpose", "expiry"],
)
def test_a_signature_over_another_statement_is_refused(other: Statement) -> None:
    soft = SoftPasskey()
    with pytest.raises(PasskeyRefusedError, match="challenge"):
        verify(soft.passkey.text(), CHALLENGE, soft.signed(other.hash()), counter=0, origin=ORIGIN)


@pytest.mark.parametrize(
    "made_up",
    [
        {"flags": PRESENT},
        {"flags": VERIFIED},
        {"origin": "http://localhost:8768"},
        {"origin": "http://localhost"},
        {"origin": "http://127.0.0.1:8767"},
        {"origin": "https://localhost:8767"},
        {"origin": "http://localhost:8767.example.org"},
        {"rp_id": "example.org"},
        {"crossOrigin": True},
        {"topOrigin": "http://localhost:8767"},
        {"type": "webauthn.create"},
    ],
    ids=str,
)
def test_a_signature_that_was_made_in_another_way_is_refused(made_up: dict[str, Any]) -> None:
    soft = SoftPasskey()
    with pytest.raises(PasskeyRefusedError):
        verify(soft.passkey.text(), CHALLENGE, soft.signed(CHALLENGE, **made_up), counter=0, origin=ORIGIN)


def test_a_counter_that_did_not_go_up_is_that_of_a_copy() -> None:
    soft = SoftPasskey(counter=3)
    fields = soft.signed(CHALLENGE)
    with pytest.raises(PasskeyRefusedError, match="sign count"):
        verify(soft.passkey.text(), CHALLENGE, fields, counter=4, origin=ORIGIN)


def test_another_passkey_under_this_ones_id_or_its_own_is_refused() -> None:
    soft, other = SoftPasskey(), SoftPasskey(credential_id=b"credential-two!!")
    with pytest.raises(PasskeyRefusedError, match="another passkey"):
        verify(soft.passkey.text(), CHALLENGE, other.signed(CHALLENGE), counter=0, origin=ORIGIN)
    other.credential_id = soft.credential_id
    with pytest.raises(PasskeyRefusedError, match="signature"):
        verify(soft.passkey.text(), CHALLENGE, other.signed(CHALLENGE), counter=0, origin=ORIGIN)


@pytest.mark.parametrize("name", ["credential_id", "authenticator_data", "client_data_json", "signature"])
@pytest.mark.parametrize("value", [None, 5, "", "=", "****", "YQ==", "AA", "x" * 9000], ids=str)
def test_a_field_that_is_no_base64url_or_says_nothing_is_refused(name: str, value: object) -> None:
    soft = SoftPasskey()
    fields: dict[str, object] = {**soft.signed(CHALLENGE), name: value}
    with pytest.raises(PasskeyRefusedError):
        verify(soft.passkey.text(), CHALLENGE, fields, counter=0, origin=ORIGIN)


def test_a_field_more_or_less_is_refused() -> None:
    soft = SoftPasskey()
    fields = soft.signed(CHALLENGE)
    for changed in ({**fields, "user_handle": "AA"}, {"signature": fields["signature"]}, {}):
        with pytest.raises(PasskeyRefusedError, match="exactly"):
            verify(soft.passkey.text(), CHALLENGE, changed, counter=0, origin=ORIGIN)


def test_client_data_that_says_something_twice_is_refused() -> None:
    soft = SoftPasskey()
    fields = soft.signed(CHALLENGE)
    twice = unb64(fields["client_data_json"]).replace(b'{"type"', b'{"origin":"http://evil.example","type"')
    with pytest.raises(PasskeyRefusedError, match="twice"):
        verify(
            soft.passkey.text(),
            CHALLENGE,
            {**fields, "client_data_json": b64(twice)},
            counter=0,
            origin=ORIGIN,
        )


def test_only_a_hash_of_32_bytes_is_a_challenge() -> None:
    soft = SoftPasskey()
    with pytest.raises(PasskeyRefusedError, match="32 bytes"):
        verify(soft.passkey.text(), b"", soft.signed(b""), counter=0, origin=ORIGIN)


def test_a_passkey_is_made_with_its_user_verified_on_our_page() -> None:
    soft = SoftPasskey()
    made = register(soft.made(b"c" * 32), challenge=b"c" * 32, origin=ORIGIN)
    assert made == soft.passkey
    assert Passkey.read(made.text()) == made


@pytest.mark.parametrize(
    "made_up",
    [{"flags": PRESENT}, {"origin": "http://localhost:8768"}, {"rp_id": "example.org"}],
    ids=str,
)
def test_a_passkey_that_is_made_in_another_way_is_refused(made_up: dict[str, Any]) -> None:
    with pytest.raises(PasskeyRefusedError, match="makes no passkey"):
        register(SoftPasskey().made(b"c" * 32, **made_up), challenge=b"c" * 32, origin=ORIGIN)


def test_a_passkey_that_was_made_for_another_challenge_is_refused() -> None:
    with pytest.raises(PasskeyRefusedError, match="challenge"):
        register(SoftPasskey().made(b"d" * 32), challenge=b"c" * 32, origin=ORIGIN)


@pytest.mark.parametrize("attestation", ["AA", b64(b"\xa0"), b64(b"\xff" * 40)])
def test_an_attestation_that_cannot_be_read_is_refused(attestation: str) -> None:
    fields = {**SoftPasskey().made(b"c" * 32), "attestation_object": attestation}
    with pytest.raises(PasskeyRefusedError):
        register(fields, challenge=b"c" * 32, origin=ORIGIN)


@pytest.mark.parametrize(
    "public", ["", "{}", "[]", "ssh-ed25519 AAAA", '{"credential_id":"AA==","key":"AA"}']
)
def test_another_text_is_no_passkey(public: str) -> None:
    with pytest.raises(PasskeyRefusedError):
        Passkey.read(public)


def test_browsers_are_asked_to_verify_the_user_each_time() -> None:
    passkey = SoftPasskey().passkey
    asked = registration_options(name="ada", challenge=b"c" * 32, known=[passkey])
    assert asked["authenticatorSelection"]["userVerification"] == "required"
    assert asked["rp"]["id"] == "localhost"
    assert [each["id"] for each in asked["excludeCredentials"]] == [b64(passkey.credential_id)]
    used = request_options(CHALLENGE, [passkey])
    assert (used["userVerification"], unb64(used["challenge"])) == ("required", CHALLENGE)


def test_the_words_that_two_screens_compare_depend_on_name_and_key() -> None:
    text = SoftPasskey().passkey.text()
    assert len({check_words("ada", text), check_words("bob", text), check_words("ada", text + " ")}) == 3


def test_what_is_nested_too_deep_to_be_read_is_refused_as_anything_else_that_is_no_passkeys() -> None:
    deep = "[" * 5000
    soft = SoftPasskey()
    with pytest.raises(PasskeyRefusedError, match="no JSON"):
        verify(
            soft.passkey.text(),
            CHALLENGE,
            {**soft.signed(CHALLENGE), "client_data_json": b64(deep.encode())},
            counter=0,
            origin=ORIGIN,
        )
    with pytest.raises(PasskeyRefusedError, match="not one of a passkey"):
        Passkey.read(deep)
