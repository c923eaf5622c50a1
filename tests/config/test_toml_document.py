"""A text that is no document, or one that would take all memory to read, is a fault with its line."""

import pytest

from exchange_mcp.config.faults import Fault
from exchange_mcp.config.toml_document import TomlDocument, document_of

DEEP = ".".join(["a"] * 60_000)
BEFORE = "x = 1\n# 1.5 and ...\n"


@pytest.mark.parametrize(
    "line",
    [
        f"{DEEP} = 1",
        f"[{DEEP}]",
        f"[[ {DEEP} ]]",
        ".".join(['""'] * 60_000) + " = 1",
        " . ".join(["'a b'"] * 60_000) + " = 1",
        f'y = {{b = """"quoted"""", {DEEP} = 1}}',
        f"y = {{b = '''it's''', {DEEP} = 1}}",
    ],
    ids=["bare", "table", "array of tables", "empty names", "literal names", "inline", "after a literal"],
)
def test_a_key_of_very_many_parts_is_refused_before_it_is_read(line: str) -> None:
    assert document_of(BEFORE + line, "f") == Fault("f", 3, "", "is nested too deeply")


@pytest.mark.parametrize(
    "line",
    [
        f"# {DEEP}",
        f'y = "{DEEP}"',
        f"y = '{DEEP}'",
        f'y = """\n{DEEP}\n"""',
        f"y = '''\n{DEEP}\n'''",
        f'y = "\\"{DEEP}"',
        "y = [" + "1.5, " * 1000 + "]",
        ".".join(["a"] * 64) + " = 1",
    ],
    ids=["comment", "basic", "literal", "lines", "literal lines", "escaped quote", "numbers", "64 parts"],
)
def test_points_elsewhere_than_in_a_key_are_no_depth(line: str) -> None:
    assert isinstance(document_of(BEFORE + line, "f"), TomlDocument)


@pytest.mark.parametrize("text", ["x = " + "9" * 5000, "x = " + "1_" * 5000 + "1"])
def test_a_number_of_too_many_digits_is_a_fault_with_its_line(text: str) -> None:
    assert document_of("\n" + text, "f") == Fault(
        "f", 2, "", "is not valid TOML: a number has too many digits"
    )


@pytest.mark.parametrize(
    "text", ['"' * 300_000 + "." * 70, 'x = "' + '\\".' * 100_000, "a" * 300_000 + "." * 70]
)
def test_a_text_of_nothing_but_odd_characters_is_judged_at_once(text: str) -> None:
    assert isinstance(document_of(text, "f"), Fault)
