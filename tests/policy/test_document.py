"""What docs/policy.md says that a program can check, and the example that it points to."""

import json
import re
from pathlib import Path
from typing import Final

from exchange_mcp.policy.context_json import read_json
from exchange_mcp.policy.document import judge_policy_text
from exchange_mcp.policy.explanation import Context, explain, request_of
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.reach import Reach
from exchange_mcp.policy.silences import silences
from exchange_mcp.policy.tables import DeskLimits, Forbid
from exchange_mcp.rules.venues import check_account

ROOT: Final = Path(__file__).parents[2]
DOCUMENT: Final = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8")
EXAMPLE: Final = (ROOT / "config" / "policy.example.toml").read_text(encoding="utf-8")
CONTEXT: Final = (ROOT / "config" / "policy.context.example.json").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks of the document in this language, or in none."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    return [text for named, text in found if named == language]


def loaded(text: str) -> Policy:
    policy, _ = judge_policy_text(text, "p", check=check_account, environ={"HOME": "/home/operator"})
    return policy


def keys(section: str) -> list[str]:
    table = DOCUMENT.partition(f"## {section}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def test_the_policy_that_is_shown_holds_and_leaves_nothing_unsaid() -> None:
    first, _ = blocks("toml")
    assert list(silences(Reach(loaded(first), None))) == []


def test_the_entry_that_is_shown_can_be_added_to_the_example() -> None:
    _, entry = blocks("toml")
    assert len(loaded(EXAMPLE + "\n" + entry).forbid) == len(loaded(EXAMPLE).forbid) + 1


def test_the_keys_that_are_listed_are_those_that_there_are() -> None:
    assert keys("The keys") == list(DeskLimits.model_fields)
    assert keys("Forbid") == list(Forbid.model_fields)


def test_the_example_leaves_nothing_unsaid_and_uses_every_key() -> None:
    example = loaded(EXAMPLE)
    assert list(silences(Reach(example, None))) == []
    assert set(DeskLimits.model_fields) <= set(re.findall(r"^(\w+) =", EXAMPLE, re.MULTILINE))


def test_the_answer_that_is_shown_is_given() -> None:
    (order,) = blocks("json")
    (shown,) = [block for block in blocks("") if block.startswith("DENIED")]
    answer = explain(loaded(EXAMPLE), request_of(json.loads(order)), read_json(CONTEXT, Context))
    assert "\n".join(answer.decision.lines()).startswith(shown)
