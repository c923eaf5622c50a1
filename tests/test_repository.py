"""The house's rules that no linter knows."""

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "src" / "exchange_mcp"
MOST_LINES: Final = 600
# Names that say nothing about what a module answers.
EMPTY_NAMES: Final = frozenset({"utils", "helpers", "manager", "base", "common", "core"})

PYTHON_FILES: Final = tuple(
    path for folder in ("src", "tests", "benches") for path in sorted((ROOT / folder).rglob("*.py"))
)
# Where money is held or computed: everything between a venue's text and the answer's.
MONEY_FILES: Final = tuple(
    path
    for pattern in ("model/**/*.py", "policy/**/*.py", "tools/**/*.py", "venue/numbers*.py")
    for path in sorted(PACKAGE.glob(pattern))
)
DOCUMENTS: Final = tuple(
    path
    for pattern in ("*.md", "docs/**/*.md", "config/**/*.md", ".github/**/*.md")
    for path in sorted(ROOT.glob(pattern))
)

# An inline link's target, or a reference's.
_LINK: Final = re.compile(r"\]\(<?([^)\s>]+)|^\[[^\]]+\]:\s+<?([^\s>]+)", re.MULTILINE)
_FENCED: Final = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_ELSEWHERE: Final = re.compile(r"^([a-z][a-z0-9+.-]*:|#)")
_SWITCHED_OFF: Final = re.compile(r"#\s*(noqa|type:\s*ignore|pyright:|pragma:\s*no\s?cover)")
_WITH_REASON: Final = re.compile(
    r"#\s*(noqa: [A-Z0-9, ]+|type: ignore\[[\w, -]+\]|pyright: ignore\[[\w, ]+\]|pragma: no cover) - \w.+"
)


def _named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def floats(source: str) -> list[int]:
    """The lines that make a float or hand `float` on; asking whether something is one is fine."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return sorted(
        call.lineno
        for call in calls
        if _is_name(call.func, "float")
        or (
            not _is_name(call.func, "isinstance")
            and any(
                _is_name(value, "float") for value in (*call.args, *(word.value for word in call.keywords))
            )
        )
    )


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def dead_links(document: Path) -> list[str]:
    """The links of a Markdown file to files of the repository that are not there."""
    targets = (match[1] or match[2] for match in _LINK.finditer(_FENCED.sub("", _text(document))))
    return [
        target
        for target in targets
        if not _ELSEWHERE.match(target) and not (document.parent / target.partition("#")[0]).exists()
    ]


def unreasoned(source: str) -> Iterator[int]:
    """The lines that switch a check off and do not say why after a dash."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        switched_off = token.type == tokenize.COMMENT and _SWITCHED_OFF.search(token.string)
        if switched_off and not _WITH_REASON.search(token.string):
            yield token.start[0]


def _constraints() -> dict[str, str]:
    lines = _text(ROOT / "constraints.txt").splitlines()
    pins = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pins}


def test_no_file_is_over_600_lines() -> None:
    assert not [_named(path) for path in PYTHON_FILES if len(_text(path).splitlines()) > MOST_LINES]


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert not [_named(path) for path in PYTHON_FILES if {path.stem, path.parent.name} & EMPTY_NAMES]


def test_nothing_that_holds_money_makes_a_float() -> None:
    assert not [f"{_named(path)}:{line}" for path in MONEY_FILES for line in floats(_text(path))]


def test_a_float_is_found_where_it_is_called_or_handed_on_and_not_where_it_is_asked_for() -> None:
    source = (
        "float(text)\n"
        "json.loads(body, parse_float=float)\n"
        "map(float, texts)\n"
        "isinstance(value, float)\n"
        "seconds: float = 0.5\n"
        "json.loads(body, parse_float=Decimal)\n"
    )
    assert floats(source) == [1, 2, 3]


def test_a_check_is_switched_off_only_with_its_reason_beside_it() -> None:
    assert not [f"{_named(path)}:{line}" for path in PYTHON_FILES for line in unreasoned(_text(path))]


def test_a_switch_without_its_rule_or_without_a_reason_is_found() -> None:
    comments = (
        "# noqa: S101 - the reason",
        "# noqa: S101",
        "# noqa - every rule",
        "# type: ignore[arg-type] - the reason",
        "# type: ignore",
        "# pyright: basic",
        "# an ordinary word",
    )
    source = "".join(f"x = 1  {comment}\n" for comment in comments)
    assert list(unreasoned(source)) == [2, 3, 5, 6]


def test_every_link_of_a_document_to_a_file_of_the_repository_resolves() -> None:
    assert not [f"{_named(path)}: {link}" for path in DOCUMENTS for link in dead_links(path)]


def test_a_dead_link_is_found_and_one_elsewhere_or_in_a_code_block_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "there.md").touch()
    document = tmp_path / "document.md"
    document.write_text(
        "[a](there.md) [b](there.md#part) [c](gone.md) ![d](gone.png 'x')\n"
        "[e](https://example.org/x) [f](#part) [g](mailto:a@example.org)\n"
        "```\n[h](in/a/code/block)\n```\n"
        '[i](gone.txt "its title") [j][k]\n'
        "\n[k]: gone/k.md\n",
        encoding="utf-8",
    )
    assert dead_links(document) == ["gone.md", "gone.png", "gone.txt", "gone/k.md"]


def test_constraints_are_exact_versions_and_name_no_index() -> None:
    text = _text(ROOT / "constraints.txt")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert not [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line)]
    assert "://" not in text


def test_every_declared_dependency_is_constrained_to_a_version_inside_its_range() -> None:
    project = tomllib.loads(_text(ROOT / "pyproject.toml"))["project"]
    declared = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    constraints = _constraints()
    requirements = [Requirement(line) for line in declared]
    assert not [
        str(requirement)
        for requirement in requirements
        if not requirement.specifier.contains(constraints.get(canonicalize_name(requirement.name), "0"))
    ]
