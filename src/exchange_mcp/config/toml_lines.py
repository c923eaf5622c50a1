"""On which line of a TOML document does a key stand?

`tomllib` does not say. This reads only what it must to know where keys are: it expects text that `tomllib`
has accepted, and judges nothing. https://toml.io/en/v1.0.0
"""

import re
import tomllib

from exchange_mcp.config.faults import KeyPath

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BASIC_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_LITERAL_STRING = re.compile(r"'[^']*'")
# A closing delimiter may follow one or two quotes that belong to the string.
_MULTILINE_BASIC = re.compile(r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}', re.DOTALL)
_MULTILINE_LITERAL = re.compile(r"'''(?:[^']|'{1,2}(?!'))*'{3,5}")
_SPACE = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_OTHER_VALUE = re.compile(r"[^,\]}\n#]+")
_VALUES = (_MULTILINE_BASIC, _MULTILINE_LITERAL, _BASIC_STRING, _LITERAL_STRING, _OTHER_VALUE)


class KeyLines:
    """The line, from 1, of every table, key and array element of one TOML document that `tomllib` accepts."""

    def __init__(self, text: str) -> None:
        self._lines = _Reader(text).read()

    def find(self, path: KeyPath) -> int | None:
        """The line of this path, or of the innermost table around it that stands in the document."""
        for length in range(len(path), 0, -1):
            line = self._lines.get(path[:length])
            if line is not None:
                return line
        return None


class _Reader:
    """One pass over the text. A key's own line wins over a line that only implies its table."""

    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n")  # as tomllib does
        self._at = 0
        self._counted_to = 0
        self._line = 1
        self._own: dict[KeyPath, int] = {}
        self._implied: dict[KeyPath, int] = {}
        self._arrays: dict[KeyPath, int] = {}

    def read(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._take("[["):
                table = self._array_of_tables()
            elif self._take("["):
                line = self._line_here()
                table = self._resolve(self._key_parts())
                self._record(table, line)
                self._take("]")
            else:
                self._key_and_value(table)
            self._skip(_BLANK)
        return self._implied | self._own

    def _array_of_tables(self) -> KeyPath:
        line = self._line_here()
        *outer, last = self._key_parts()
        self._take("]]")
        array = (*self._resolve(tuple(outer)), last)
        count = self._arrays.get(array, 0)
        self._arrays[array] = count + 1
        self._own.setdefault(array, line)
        self._record((*array, count), line)
        return (*array, count)

    def _resolve(self, parts: tuple[str, ...]) -> KeyPath:
        """A header's key names the latest element of each array of tables on its way."""
        path: KeyPath = ()
        for part in parts:
            path = (*path, part)
            if path in self._arrays:
                path = (*path, self._arrays[path] - 1)
        return path

    def _key_and_value(self, table: KeyPath) -> None:
        line = self._line_here()
        path = (*table, *self._key_parts())
        self._take("=")
        self._record(path, line)
        self._skip(_SPACE)
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        if self._take("["):
            self._array(path)
        elif self._take("{"):
            self._inline_table(path)
        elif not any(self._skip(value) for value in _VALUES):
            raise ValueError("not a TOML document")

    def _array(self, path: KeyPath) -> None:
        index = 0
        self._skip(_BLANK)
        while not self._take("]"):
            self._record((*path, index), self._line_here())
            self._value((*path, index))
            index += 1
            self._skip(_BLANK)
            self._take(",")
            self._skip(_BLANK)

    def _inline_table(self, path: KeyPath) -> None:
        self._skip(_BLANK)
        while not self._take("}"):
            self._key_and_value(path)
            self._skip(_BLANK)
            self._take(",")
            self._skip(_BLANK)

    def _key_parts(self) -> tuple[str, ...]:
        parts: list[str] = []
        while True:
            self._skip(_SPACE)
            parts.append(self._key_part())
            self._skip(_SPACE)
            if not self._take("."):
                return tuple(parts)

    def _key_part(self) -> str:
        start = self._at
        if self._skip(_BARE_KEY):
            return self._text[start : self._at]
        if self._skip(_BASIC_STRING) or self._skip(_LITERAL_STRING):
            return tomllib.loads(f"key = {self._text[start : self._at]}")["key"]
        raise ValueError("not a TOML document")

    def _record(self, path: KeyPath, line: int) -> None:
        self._own.setdefault(path, line)
        for length in range(1, len(path)):
            self._implied.setdefault(path[:length], line)

    def _take(self, token: str) -> bool:
        if not self._text.startswith(token, self._at):
            return False
        self._at += len(token)
        return True

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        match = pattern.match(self._text, self._at)
        if match is None:
            return False
        self._at = match.end()
        return True

    def _line_here(self) -> int:
        self._line += self._text.count("\n", self._counted_to, self._at)
        self._counted_to = self._at
        return self._line
