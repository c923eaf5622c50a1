"""What credentials look like that nobody told us: signatures, key headers, bearer tokens, signed queries."""

import re
from collections.abc import Iterator

# A colon or an equals sign; or the comma of a pair, where both of its halves are quoted: a comma alone is prose, as in
# "Invalid API-key, IP, or permissions".
_SEPARATOR = (
    r"""(?:\\{0,4}["']?\s*(?:[:=]|%3D)\s*(?:b(?=[\\"']))?\\{0,4}["']?"""
    r"""|\\{0,4}["']\s*,\s*b?\\{0,4}["'])"""
)
_VALUE = r"""[^\s"'\\,;&<>(){}\[\]]"""
_NAME = (
    r"signature|listenKey|(?:proxy-)?authorization|X-MBX-APIKEY"
    r"|(?:[A-Z]{1,8}-){0,3}(?:B?API|ACCESS)-(?:KEY|SIGN|SIGNATURE|PASSPHRASE)"
)
_NAMED = re.compile(rf"\b(?:{_NAME}){_SEPARATOR}((?:(?:bearer|basic)\s+)?{_VALUE}+)", re.IGNORECASE)
_BEARER = re.compile(rf"\bbearer\s+({_VALUE}{{6,}})", re.IGNORECASE)
# What `exchange-mcp tokens add` prints.
_TOKEN = re.compile(r"(xmcp_[A-Za-z0-9_-]{20,})")
_PRIVATE_KEY = re.compile(r"(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----END)[\s\S])*)")
_SIGNED = re.compile(r"\bsignature=", re.IGNORECASE)
_QUERY_BOUNDS = " \t\r\n\"'<>\\?"
_QUERY_END = re.compile(f"[{re.escape(_QUERY_BOUNDS)}]")
_CREDENTIAL_FIELD = re.compile(
    rf"{_NAME}|api_?key|(?:api_?)?secret|passphrase|password|private_?key", re.IGNORECASE
)


def credentials_in(text: str) -> Iterator[tuple[int, int]]:
    """Where in the text something stands that has the shape of a credential, as (start, end)."""
    for pattern in (_NAMED, _BEARER, _TOKEN, _PRIVATE_KEY):
        for found in pattern.finditer(text):
            yield found.span(1)
    masked_to = 0
    for found in _SIGNED.finditer(text):
        if found.start() >= masked_to:
            start = max(text.rfind(bound, masked_to, found.start()) for bound in _QUERY_BOUNDS) + 1
            end = _QUERY_END.search(text, found.end())
            yield max(start, masked_to), (masked_to := end.start() if end else len(text))


def names_credential(name: object) -> bool:
    """Whether a field or header of this name holds a credential."""
    text = name.decode("latin-1") if isinstance(name, bytes) else name
    return isinstance(text, str) and _CREDENTIAL_FIELD.fullmatch(text) is not None
