import json
import tomllib
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange_mcp.config.faults import KeyPath
from exchange_mcp.config.toml_lines import KeyLines

# Values and comments that hold what looks like keys and tables, and do not.
DECOYS = [
    "1979-05-27 07:32:00Z",
    "-1_000.5e3",
    "true",
    '"a = 1 # [b] \\" \\\\"',
    "'c:\\d = \"'",
    '"""\na = 1\n[b]\n"" \\""" """""',
    "'''\n[[b]]\n'' a = 2 '''''",
    "[1, # a = 2\n  [ 'x', \"]\" ],\n]",
]
NOISE = ["", "# a = 1", "  # [b]", '# """', "\t"]

names = st.text(alphabet="abz09_-", min_size=1, max_size=3) | st.sampled_from(
    ["a.b", 'q"u', "", "é = 1", "#"]
)


@dataclass
class Written:
    """A document as it is written, and the line on which each key was."""

    lines: list[str] = field(default_factory=list[str])
    places: dict[KeyPath, int] = field(default_factory=dict[KeyPath, int])

    def add(self, text: str) -> int:
        at = len(self.lines) + 1
        self.lines += text.split("\n")
        return at


def quoted(name: str) -> str:
    is_bare = name != "" and all(character in "abz09_-" for character in name)
    return name if is_bare else json.dumps(name, ensure_ascii=False)


@st.composite
def documents(draw: st.DrawFn) -> Written:
    """Tables in any order, each with keys, inline tables and noise between them."""
    written = Written()
    tables = draw(st.lists(st.lists(names, min_size=1, max_size=3).map(tuple), unique=True, max_size=4))
    taken: set[tuple[str, ...]] = set()
    for table in [(), *sorted(tables, key=len, reverse=draw(st.booleans()))]:
        if table:
            header = " . ".join(map(quoted, table))
            written.places[table] = written.add(f"{draw(st.sampled_from(['', '  ']))}[{header}] # {header}")
        below = {
            other[len(table)] for other in tables if other[: len(table)] == table and len(other) > len(table)
        }
        for name in draw(st.lists(names, unique=True, max_size=4)):
            if name in below or (*table, name) in taken:
                continue
            taken.add((*table, name))
            for noise in draw(st.lists(st.sampled_from(NOISE), max_size=2)):
                written.add(noise)
            value = draw(st.sampled_from([*DECOYS, None]))
            if value is not None:
                written.places[(*table, name)] = written.add(f"{quoted(name)} = {value} # {name!r}")
                continue
            inner = draw(st.lists(names, unique=True, max_size=3))
            content = ", ".join(f"{quoted(key)}.x = {draw(st.sampled_from(DECOYS[:5]))}" for key in inner)
            at = written.add(f"{quoted(name)} = {{ {content} }}")
            written.places[(*table, name)] = at
            written.places |= {(*table, name, key): at for key in inner}
    return written


@given(documents(), st.sampled_from(["\n", "\r\n"]))
def test_every_key_is_found_on_the_line_on_which_it_was_written(written: Written, line_break: str) -> None:
    text = line_break.join(written.lines)
    tomllib.loads(text)  # or the document proves nothing

    lines = KeyLines(text)

    assert {path: lines.find(path) for path in written.places} == written.places


@pytest.mark.parametrize("decoy", DECOYS)
def test_a_key_after_a_value_of_any_kind_is_found(decoy: str) -> None:
    text = f"before = {decoy}\nafter = 1\n"
    tomllib.loads(text)

    assert KeyLines(text).find(("after",)) == text.count("\n")


def test_what_does_not_stand_in_the_document_is_found_at_the_innermost_table_around_it() -> None:
    lines = KeyLines("[a]\n\n[a.b]\nc = 1\n")

    assert lines.find(("a", "b", "missing", "deeper")) == 3
    assert lines.find(("a", "missing")) == 1
    assert lines.find(("missing",)) is None


def test_an_element_of_an_array_is_found_on_its_own_line() -> None:
    lines = KeyLines('a = [\n  "x", # one\n  # two\n  { k = 1 },\n]\n')

    assert [lines.find(("a", 0)), lines.find(("a", 1)), lines.find(("a", 1, "k"))] == [2, 4, 4]


def test_tables_in_arrays_of_tables_are_told_apart() -> None:
    lines = KeyLines("[[a]]\nk = 1\n[[a.b]]\nk = 1\n[[a.b]]\nk = 2\n[[a]]\nk = 3\n[a.c]\nk = 4\n")

    assert lines.find(("a",)) == 1
    assert lines.find(("a", 0, "b", 1, "k")) == 6
    assert lines.find(("a", 1)) == 7
    assert lines.find(("a", 1, "k")) == 8
    assert lines.find(("a", 1, "c", "k")) == 10


def test_a_table_is_found_at_its_header_and_not_where_a_table_in_it_implied_it() -> None:
    lines = KeyLines("[a.b]\nk = 1\n[a]\nk.l = 2\n")

    assert lines.find(("a",)) == 3
    assert lines.find(("a", "k")) == 4


def test_an_escaped_key_is_found_by_what_it_means() -> None:
    assert KeyLines('x = 1\n"caf\\u00e9" = 2\n').find(("café",)) == 2
