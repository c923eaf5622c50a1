import base64
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.secret import MASK, Secret

API_KEY = "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zv"


class Shown:
    """An object whose repr is a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def percent_encode_in_part(text: str) -> str:
    return quote(text, safe="=+ ").lower() if text.islower() else quote(text, safe="=+ ")


ENCODERS: list[Callable[[str], str]] = [
    str,
    quote,
    quote_plus,
    percent_encode_in_part,
    lambda text: quote(text, safe=""),
    json.dumps,
    lambda text: json.dumps(text, ensure_ascii=False),
    repr,
    ascii,
    lambda text: repr(text.encode()),
]

# The mask itself must not be able to complete a secret.
characters = st.characters(exclude_categories=["Cs"], exclude_characters="[]")
secrets = st.text(characters, min_size=6, max_size=24).filter(lambda text: text not in MASK)
around = st.text(characters, max_size=12)


def knowing(*known: str) -> Redactor:
    redactor = Redactor()
    for secret in known:
        redactor.learn(Secret(secret))
    return redactor


def texts_in(value: object) -> Iterator[str]:
    match value:
        case Mapping():
            for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType] - any mapping
                yield from texts_in(key)  # pyright: ignore[reportUnknownArgumentType] - as above
                yield from texts_in(inner)  # pyright: ignore[reportUnknownArgumentType] - as above
        case list() | tuple():
            for inner in value:  # pyright: ignore[reportUnknownVariableType] - any sequence
                yield from texts_in(inner)  # pyright: ignore[reportUnknownArgumentType] - as above
        case _:
            yield str(value)


@given(secrets, around, around, st.sampled_from(ENCODERS), st.sampled_from(ENCODERS))
@example('a"b\\c/d', "", "", json.dumps, quote)
@example("a b+c d", "", "", quote_plus, quote)
@example("\\\\\\\\\\\\", "", "", json.dumps, json.dumps)
def test_a_secret_does_not_survive_in_a_text_however_it_was_encoded_twice(
    secret: str, before: str, after: str, first: Callable[[str], str], second: Callable[[str], str]
) -> None:
    encoded = second(first(secret)).strip("'\"b\\")
    assume(len(encoded) >= 6)

    scrubbed = knowing(secret).scrub(f"{before}{second(first(secret))}{after}")

    assert secret not in scrubbed
    assert encoded not in scrubbed
    assert MASK in scrubbed


@given(
    secrets,
    st.binary(max_size=5),
    st.binary(max_size=5),
    st.sampled_from([base64.b64encode, base64.urlsafe_b64encode]),
)
def test_a_secret_does_not_survive_in_base64_at_any_offset(
    secret: str, before: bytes, after: bytes, encode: Callable[[bytes], bytes]
) -> None:
    encoded = encode(before + secret.encode() + after).decode()

    scrubbed = knowing(secret).scrub(f"Basic {encoded}")

    # A character is 6 bits. Left are those that begin before the secret, or wholly follow it.
    begin = math.ceil(8 * len(before) / 6)
    end = math.ceil(8 * (len(before) + len(secret.encode())) / 6) if after else len(encoded)
    assert MASK in scrubbed
    assert len(scrubbed.removeprefix("Basic ").replace(MASK, "")) <= begin + len(encoded) - end


@given(secrets, st.binary(max_size=5), st.binary(max_size=5), st.booleans())
def test_a_secret_does_not_survive_in_hex(secret: str, before: bytes, after: bytes, is_upper: bool) -> None:  # noqa: FBT001 - drawn
    written = (before + secret.encode() + after).hex()
    scrubbed = knowing(secret).scrub(written.upper() if is_upper else written)
    assert scrubbed.lower() == f"{before.hex()}{MASK}{after.hex()}"


@given(
    secrets,
    st.recursive(
        st.just(None) | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text(max_size=3), inner, max_size=3)
            | st.tuples(inner, inner)
        ),
        max_leaves=8,
    ),
    st.data(),
)
def test_a_secret_does_not_survive_anywhere_in_nested_data(
    secret: str, data: object, draw: st.DataObject
) -> None:
    text = draw.draw(around) + secret + draw.draw(around)
    wrappers: list[Callable[[object], object]] = [
        lambda inner: {text: inner},
        lambda inner: {"field": [text, inner]},
        lambda inner: (inner, {"deep": {"deeper": text}}),
        lambda inner: {"error": ValueError(text), "inner": inner},
        lambda inner: {"bytes": text.encode(), "inner": inner},
        lambda inner: [{text}, inner],
        lambda inner: [Secret(secret), Shown(text), inner],
    ]

    scrubbed = knowing(secret).scrub_value(draw.draw(st.sampled_from(wrappers))(data))

    assert not [found for found in texts_in(scrubbed) if secret in found]
    json.dumps(scrubbed, allow_nan=False)


@given(st.lists(secrets, min_size=2, max_size=4, unique=True), st.data())
def test_no_secret_survives_beside_or_inside_another(known: list[str], draw: st.DataObject) -> None:
    text = "".join(draw.draw(st.permutations(known))) + draw.draw(around)

    scrubbed = knowing(*known).scrub(text)

    assert not [secret for secret in known if secret in scrubbed]


def test_secrets_that_overlap_are_masked_as_one() -> None:
    redactor = knowing("abcdefgh", "ghijklmn", "abcabc")

    assert redactor.scrub("<abcdefghijklmn>") == "<[redacted]>"
    assert redactor.scrub("<abcabcabc>") == "<[redacted]>"


def test_a_line_of_a_key_in_pem_is_masked_on_its_own() -> None:
    lines = ["-----BEGIN PRIVATE KEY-----", "MC4CAQAwBQYDK2VwBCIEIHKs", "-----END PRIVATE KEY-----"]
    redactor = knowing("\n".join(lines) + "\n")

    assert redactor.scrub(f"  {lines[1]}") == "  [redacted]"
    assert redactor.scrub(" ".join(lines[1:])) == f"[redacted] {lines[2]}"


def test_texts_of_fewer_than_six_characters_are_not_learned() -> None:
    redactor = knowing("short", "", "sixsix")

    assert redactor.scrub("short sixsix") == "short [redacted]"


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        (
            # The signed request of the vendor's example has this form:
            # https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security
            "GET https://api.binance.com/api/v3/account?timestamp=1499827319559&signature=c8db5682 failed",
            "GET https://api.binance.com/api/v3/account?[redacted] failed",
        ),
        ('url="/api/v3/order?signature=ab" next', 'url="/api/v3/order?[redacted]" next'),
        ("body timestamp=1&signature=ab&x=1", "body [redacted]"),
        ('{"signature": "MEUCIQ+/="}', '{"signature": "[redacted]"}'),
        (r"{\"signature\":\"deadbeef\"}", r"{\"signature\":\"[redacted]\"}"),
        ("X-MBX-APIKEY: abc", "X-MBX-APIKEY: [redacted]"),
        ("{'x-mbx-apikey': 'abc', 'b': 1}", "{'x-mbx-apikey': '[redacted]', 'b': 1}"),
        ("{'OK-ACCESS-PASSPHRASE': 'abc'}", "{'OK-ACCESS-PASSPHRASE': '[redacted]'}"),
        ("KC-API-SIGN=abc X-BAPI-SIGN=abc", "KC-API-SIGN=[redacted] X-BAPI-SIGN=[redacted]"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: [redacted]"),
        ("[(b'authorization', b'Bearer abc')]", "[(b'authorization', b'[redacted]')]"),
        ("a bearer abcdefghi is refused", "a bearer [redacted] is refused"),
        ('{"listenKey":"pqia91ma19a5s61cv6a81va65sdf19v8a65a1"}', '{"listenKey":"[redacted]"}'),
        ("/ws?listenKey=pqia91ma", "/ws?listenKey=[redacted]"),
        (
            "-----BEGIN PRIVATE KEY-----\\nMC4CAQ\\n-----END PRIVATE KEY-----",
            "[redacted]-----END PRIVATE KEY-----",
        ),
    ],
)
def test_what_has_the_shape_of_a_credential_is_masked_unlearned(text: str, scrubbed: str) -> None:
    assert Redactor().scrub(text) == scrubbed


@pytest.mark.parametrize(
    "text",
    [
        # https://developers.binance.com/docs/binance-spot-api-docs/errors: -1102 and -1022
        "Mandatory parameter 'signature' was not sent, was empty/null, or malformed.",
        "Signature for this request is not valid.",
        "GET https://api.binance.com/api/v3/depth?symbol=BTCUSDT&limit=100 200",
        "the key of account main reads spot, linear",
    ],
)
def test_text_without_a_credential_is_left_as_it_is(text: str) -> None:
    assert Redactor().scrub(text) == text


def test_a_value_that_is_named_like_a_credential_is_masked_unlearned() -> None:
    scrubbed = Redactor().scrub_value(
        {"apiKey": "abc", "secret": ["a", 1], "headers": [(b"X-MBX-APIKEY", b"abc"), ("Accept", "x")]}
    )

    assert scrubbed == {
        "apiKey": MASK,
        "secret": MASK,
        "headers": [["X-MBX-APIKEY", MASK], ["Accept", "x"]],
    }


def test_plain_values_keep_their_type_and_others_become_text() -> None:
    scrubbed = knowing("123456").scrub_value(
        {
            "n": 12345,
            "large": 10**400,
            "hidden": 9123456,
            "f": 0.5,
            "inf": float("inf"),
            "t": True,
            "d": Decimal("1.50"),
            7: None,
        }
    )

    assert scrubbed == {
        "n": 12345,
        "large": 10**400,
        "hidden": "9[redacted]",
        "f": 0.5,
        "inf": "inf",
        "t": True,
        "d": "1.50",
        "7": None,
    }


def test_an_object_whose_repr_fails_is_named_by_its_type() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError(API_KEY)

    assert Redactor().scrub_value([Broken()]) == ["<Broken, whose repr raised RuntimeError>"]


def test_data_that_contains_itself_is_cut_off() -> None:
    loop: list[object] = [API_KEY]
    loop.append(loop)

    scrubbed = json.dumps(knowing(API_KEY).scrub_value(loop))

    assert API_KEY not in scrubbed
    assert "nested too deeply" in scrubbed


@pytest.mark.parametrize(
    "piece",
    ["\\", "%25", "?", "a-", "a ", "signature=", "bearer ", "authorization:", '"', "%5C", "-----BEGIN "],
)
def test_scrubbing_takes_time_in_proportion_to_the_text(piece: str) -> None:
    redactor = knowing('"\\"\\"\\"\\"', "\\\\\\\\\\\\\\")
    text = piece * (100_000 // len(piece))

    started = time.process_time()
    redactor.scrub(text)

    # In proportion, 100 kB take well under 0.2 s; quadratic work takes minutes.
    assert time.process_time() - started < 3


def test_a_venues_sentence_that_speaks_of_keys_is_left_whole() -> None:
    # What Binance answers to a wrong key: https://developers.binance.com/docs/binance-spot-api-docs/errors
    sentence = "Invalid API-key, IP, or permissions for action."

    assert Redactor().scrub(sentence) == sentence
