"""The forms in which a secret would give itself away."""

import base64
import urllib.parse


def forms(secret: str) -> list[bytes]:
    """A secret in plain, in a URL, in base64 and in hex; base64 at each of its three alignments."""
    raw = secret.encode()
    aligned = [base64.b64encode(b"x" * at + raw)[(4, 4, 4)[at] if at else 0 : -4] for at in range(3)]
    plain = [raw, urllib.parse.quote_plus(secret).encode(), urllib.parse.quote(secret, safe="").encode()]
    return [*plain, *aligned, raw.hex().encode(), raw.hex().upper().encode()]
