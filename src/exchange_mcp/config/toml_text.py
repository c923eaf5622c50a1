"""Writing TOML, as far as `serve.toml` needs it: strings, and lists of them.

https://toml.io/en/v1.0.0
"""

import json
from collections.abc import Iterable


class NotUnicodeError(ValueError):
    """A text is not Unicode, as TOML has to be; a path may be none. The message shows it, escaped."""


def quoted(text: str) -> str:
    """The text as a basic string, which is JSON's but for one character.

    Raises:
        NotUnicodeError: the text is none.
    """
    written = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    try:
        written.encode()
    except UnicodeEncodeError:
        raise NotUnicodeError(json.dumps(text)) from None
    return written


def listed(texts: Iterable[str]) -> str:
    """The texts as an array on one line."""
    return f"[{', '.join(map(quoted, texts))}]"
