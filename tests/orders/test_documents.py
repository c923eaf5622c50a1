"""docs/previews.md: every worked example is run."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from exchange_mcp.model.errors import ORDER_CODES

from .worked import example

TEXT: Final = (Path(__file__).parents[2] / "docs" / "previews.md").read_text(encoding="utf-8")
EXAMPLES: Final[list[tuple[str, str]]] = re.findall(
    r"```json\n(.+?)\n```\n\n```\n(.+?)\n```", TEXT, re.DOTALL
)


def test_there_are_examples_and_every_request_has_its_answer() -> None:
    assert len(EXAMPLES) == TEXT.count("```json") >= 8


@pytest.mark.parametrize(("request_", "answer"), EXAMPLES)
def test_a_worked_example_comes_to_what_the_document_shows(request_: str, answer: str) -> None:
    asked: dict[str, Any] = json.loads(request_)
    assert example(asked) == answer


def test_every_code_of_a_refused_order_is_in_the_table() -> None:
    table = re.findall(r"^\| `([A-Z_]+)` \|", TEXT, re.MULTILINE)
    assert sorted(table) == sorted(ORDER_CODES)
