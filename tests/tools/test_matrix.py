import hashlib
import json
from dataclasses import replace

import pytest

from exchange_mcp.tools.annotation_matrix import GetAnnotationMatrix, get_annotation_matrix
from exchange_mcp.tools.matrix import as_json, as_markdown, matrix
from exchange_mcp.tools.refused import REFUSED
from exchange_mcp.tools.registry import builtin
from exchange_mcp.tools.spec import ToolSpec

from .fakes import local_handed
from .test_spec import LOCAL, READ, WRITE


def test_a_row_says_what_the_declaration_says() -> None:
    row = matrix([WRITE]).rows[0]
    assert row.model_dump() == {
        "name": "a_tool",
        "effect": "write",
        "read_only": False,
        "destructive": True,
        "idempotent": False,
        "open_world": True,
        "reasons": {
            "readOnly": "It acts.",
            "destructive": "It cannot be undone.",
            "idempotent": "A repeat acts again.",
            "openWorld": "It acts at an exchange.",
        },
        "commitment": "nothing",
    }


def test_tools_come_in_the_order_they_are_listed_and_refused_abilities_last() -> None:
    table = matrix(builtin())
    served, families = [spec.name for spec in builtin()], [family.name for family in REFUSED]
    assert [row.name for row in table.rows] == served + families
    assert [row.effect for row in table.rows[len(served) :]] == ["refused"] * len(families)


def test_every_refused_row_carries_the_hints_of_an_irreversible_write() -> None:
    for row in matrix([]).rows:
        assert (row.read_only, row.destructive, row.idempotent, row.open_world) == (False, True, False, True)
        assert row.commitment.startswith("refused by design: ")


def test_the_digest_is_that_of_the_rows_as_canonical_json() -> None:
    published = json.loads(as_json(matrix(builtin())))
    canonical = json.dumps(published["rows"], sort_keys=True, separators=(",", ":"))
    assert published["digest"] == hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.parametrize(
    "changed",
    [
        replace(LOCAL, name="b_tool"),
        replace(LOCAL, commitment="a resting order"),
        replace(LOCAL, hints=replace(LOCAL.hints, idempotent=replace(LOCAL.hints.idempotent, value=False))),
        replace(LOCAL, hints=replace(LOCAL.hints, idempotent=replace(LOCAL.hints.idempotent, reason="Why."))),
        READ,
    ],
    ids=["name", "commitment", "hint", "reason", "effect"],
)
def test_whatever_changes_in_a_row_changes_the_digest(changed: ToolSpec) -> None:
    assert matrix([changed]).digest != matrix([LOCAL]).digest


def test_a_tools_wording_is_not_part_of_the_matrix() -> None:
    assert matrix([replace(LOCAL, description="Other words.")]) == matrix([LOCAL])


def test_the_page_has_each_row_once_with_its_hints_and_reasons() -> None:
    table = matrix([WRITE])
    lines = as_markdown(table, {"a_tool": {"with a desk": "it acted"}}).splitlines()
    assert (
        "| a_tool | write | false | true | false | true | no such tool | it acted | no such tool | nothing |"
        in lines
    )
    assert f"Digest (SHA-256 of the rows' canonical JSON): `{table.digest}`" in lines
    reasons = lines[lines.index("**a_tool**") + 2 :][:4]
    assert reasons == [
        "- readOnly: It acts.",
        "- destructive: It cannot be undone.",
        "- idempotent: A repeat acts again.",
        "- openWorld: It acts at an exchange.",
    ]
    assert sum(line.startswith("| ") for line in lines) == 1 + len(table.rows)  # with the head


@pytest.mark.anyio
async def test_the_tool_answers_with_the_matrix_of_the_registry_it_runs_on() -> None:
    handed = local_handed()
    assert await get_annotation_matrix(GetAnnotationMatrix(), handed) == matrix(handed.registry)
