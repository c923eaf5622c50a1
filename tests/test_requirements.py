"""The ledger of promises is whole, every test that it names exists, and nothing finished is unproved."""

import ast
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

TESTS: Final = Path(__file__).parent
LEDGER: Final = TESTS / "requirements.toml"
PROMISE_IDS: Final = tuple(f"INV-{number:02}" for number in range(1, 23))
ISSUES: Final = range(2, 12)


class Promise(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: str
    promise: str = Field(min_length=20)
    issues: list[int] = Field(min_length=1)
    tests: list[str]


class Ledger(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    done: list[int]
    promise: list[Promise]


def node_ids(root: Path) -> frozenset[str]:
    """The pytest node ids under `root`'s tests folder, without parameters, read from the source."""
    return frozenset(
        f"{path.relative_to(root).as_posix()}::{name}"
        for path in root.glob("tests/**/test_*.py")
        for name in _test_names(ast.parse(path.read_text(encoding="utf-8")).body)
    )


def _test_names(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            yield node.name
        elif isinstance(node, ast.ClassDef):
            named = node.name.startswith("Test")
            # Hypothesis's state machines are collected as `TestName = Machine.TestCase`, below.
            yield from (f"{node.name}::{name}" for name in _test_names(node.body) if named)
        elif isinstance(node, ast.Assign):
            yield from (
                f"{target.id}::runTest"
                for target in node.targets
                if isinstance(target, ast.Name)
                and target.id.startswith("Test")
                and isinstance(node.value, ast.Attribute)
                and node.value.attr == "TestCase"
            )


def faults(ledger: Ledger, tests: frozenset[str]) -> list[str]:
    """What is wrong with a ledger, given the tests that exist; a sentence each."""
    promises = ledger.promise
    done = set(ledger.done)
    return [
        *(f"{id_}: promised {times} times" for id_, times in _repeated(row.id for row in promises).items()),
        *(f"{id_}: not in the ledger" for id_ in PROMISE_IDS if id_ not in {row.id for row in promises}),
        *(f"{row.id}: no such promise" for row in promises if row.id not in PROMISE_IDS),
        *(f"issue {issue}: no such issue" for issue in sorted(done - set(ISSUES))),
        *(
            f"{row.id}: issue {issue}: no such issue"
            for row in promises
            for issue in row.issues
            if issue not in ISSUES
        ),
        *(f"{row.id}: {test}: no such test" for row in promises for test in row.tests if test not in tests),
        *(f"{row.id}: {test}: listed twice" for row in promises for test in _repeated(row.tests)),
        *(
            f"{row.id}: issue {issue} is done, and no test proves the promise"
            for row in promises
            for issue in row.issues
            if issue in done and not row.tests
        ),
    ]


def _repeated(names: Iterable[str]) -> Mapping[str, int]:
    return {name: times for name, times in Counter(names).items() if times > 1}


def _ledger(*, done: Iterable[int] = (), **changed: list[Promise]) -> Ledger:
    """A whole ledger in which the rows of the promises named (INV_03 for INV-03) are others."""
    rows = {id_: [_row(id_)] for id_ in PROMISE_IDS} | {
        id_.replace("_", "-"): row for id_, row in changed.items()
    }
    return Ledger(done=list(done), promise=[row for group in rows.values() for row in group])


def _row(id_: str, *, issues: Iterable[int] = (2,), tests: Iterable[str] = ()) -> Promise:
    return Promise(id=id_, promise="a sentence long enough to be one", issues=list(issues), tests=list(tests))


def test_every_promise_is_in_the_ledger_and_every_finished_one_is_proved_by_tests_that_exist() -> None:
    ledger = Ledger.model_validate(tomllib.loads(LEDGER.read_text(encoding="utf-8")))
    assert not faults(ledger, node_ids(TESTS.parent))


def test_a_whole_ledger_with_nothing_done_has_no_fault() -> None:
    assert not faults(_ledger(), frozenset())


def test_a_missing_a_repeated_and_an_invented_promise_are_faults() -> None:
    ledger = _ledger(INV_01=[], INV_02=[_row("INV-02"), _row("INV-02")], INV_23=[_row("INV-23")])
    assert faults(ledger, frozenset()) == [
        "INV-02: promised 2 times",
        "INV-01: not in the ledger",
        "INV-23: no such promise",
    ]


def test_a_promise_without_a_test_is_a_fault_once_one_of_its_issues_is_done() -> None:
    rows = [_row("INV-08", issues=(3, 10))]
    others = {f"INV_{id_[4:]}": [_row(id_, issues=(11,))] for id_ in PROMISE_IDS if id_ != "INV-08"}
    assert not faults(_ledger(done=[2], INV_08=rows, **others), frozenset())
    assert faults(_ledger(done=[2, 3], INV_08=rows, **others), frozenset()) == [
        "INV-08: issue 3 is done, and no test proves the promise"
    ]


def test_a_test_that_does_not_exist_or_stands_twice_is_a_fault() -> None:
    here, gone = "tests/test_a.py::test_here", "tests/test_a.py::test_gone"
    ledger = _ledger(INV_14=[_row("INV-14", tests=(here, gone, here))])
    assert faults(ledger, frozenset({here})) == [
        f"INV-14: {gone}: no such test",
        f"INV-14: {here}: listed twice",
    ]


def test_an_issue_that_does_not_exist_is_a_fault() -> None:
    ledger = _ledger(done=[12], INV_14=[_row("INV-14", issues=(1,))])
    assert faults(ledger, frozenset()) == ["issue 12: no such issue", "INV-14: issue 1: no such issue"]


def test_node_ids_are_those_that_pytest_gives(tmp_path: Path) -> None:
    (tmp_path / "tests" / "server").mkdir(parents=True)
    (tmp_path / "tests" / "server" / "test_a.py").write_text(
        "def test_one(): ...\n"
        "async def test_two(): ...\n"
        "def helper():\n    def test_inner(): ...\n"
        "class TestThem:\n    def test_three(self): ...\n"
        "class Other:\n    def test_four(self): ...\n"
        "TestMachine = Machine.TestCase\n",
        encoding="utf-8",
    )
    (tmp_path / "tests" / "server" / "fakes.py").write_text("def test_five(): ...\n", encoding="utf-8")
    assert node_ids(tmp_path) == {
        f"tests/server/test_a.py::{name}"
        for name in ("test_one", "test_two", "TestThem::test_three", "TestMachine::runTest")
    }
