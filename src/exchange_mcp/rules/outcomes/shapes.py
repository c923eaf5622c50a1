"""The types that a venue's answers to writes are described in: where a code stands, and what proves an acceptance.

An answer is known by its shape before its code counts: another venue's body, a gateway's own JSON and a code
beside an order id have the shape of none. What no rule describes is unknown.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from exchange_mcp.model.outcomes import Action

Path = tuple[str | int, ...]
"""The way to a value: members by name; 0 is the only element of a list, which then has exactly one."""

Code = int | str
"""A venue's code, of the JSON type that its page shows: `-2019` is not `"-2019"`."""

Scalar = str | int | bool | None

Musts = Mapping[Path, frozenset[Scalar]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One code that its venue documents as a definite refusal: nothing was placed, cancelled or changed.

    Attributes:
        statuses: the HTTP statuses that it comes with.
        page: where the venue says so.
        words: the messages with which it is one, matched in full; None where the code alone says it.
        may_have_detail: whether the venue may append a detail to the code after another colon.
    """

    statuses: frozenset[int]
    page: str
    words: re.Pattern[str] | None = None
    may_have_detail: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """One code that is documented and proves nothing.

    Attributes:
        why: the end of the sentence "the venue's code X ...".
        page: where the venue says so.
        words: the messages with which it means this, matched in full; None for every message.
    """

    why: str
    page: str
    words: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Codes:
    """One shape of an answer that is not success, and what its codes mean.

    Attributes:
        members: every name that such an answer may have at its top.
        code: the way to the code. message: the way to the venue's words, where they decide.
        must: what else it holds, by the way to it: one of these values.
        empty: what must be absent, null or empty: an order id beside a code contradicts it.
        definite: refusals. ambiguous: what is documented and proves nothing.
        duplicate: the client order id is in use, so an order of ours may exist.
    """

    members: frozenset[str]
    code: Path
    definite: Mapping[Code, Refusal] = field(default_factory=dict[Code, Refusal])
    duplicate: Mapping[Code, Doubt] = field(default_factory=dict[Code, Doubt])
    ambiguous: Mapping[Code, Doubt] = field(default_factory=dict[Code, Doubt])
    message: Path | None = None
    must: Musts = field(default_factory=dict[Path, frozenset[Scalar]])
    empty: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """What an answer holds that proves that the venue took the write. It comes with status 200.

    Attributes:
        page: where the venue shows such an answer.
        order_id: the way to the venue's id; None where the answer has none.
        id_kind: whether that id is a JSON number or text.
        client_id: the way to our id; None where this venue never echoes it here.
        must: what it holds, by the way to it: one of these values.
        may: what it holds if it holds it at all: one of these values.
        ended: what it holds if the order was taken and has ended at once by its own rules.
        present: ways that lead to text or a number, whatever it is.
        leverage: the way to the leverage that is in force; None where the answer does not tell it.
        no_errors: the way to a list that is there and has nothing in it.
        refuted_by: ways that lead to nothing in a true answer.
        remark: what acceptance does not mean here, as a sentence.
    """

    page: str
    order_id: Path | None = None
    id_kind: Literal["number", "text"] = "text"
    client_id: Path | None = None
    must: Musts = field(default_factory=dict[Path, frozenset[Scalar]])
    may: Musts = field(default_factory=dict[Path, frozenset[Scalar]])
    ended: Musts = field(default_factory=dict[Path, frozenset[Scalar]])
    present: tuple[Path, ...] = ()
    leverage: Path | None = None
    no_errors: Path | None = None
    refuted_by: tuple[Path, ...] = ()
    remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The answers of one endpoint to one action.

    Attributes:
        market: in words, for the table.
        hosts: where it is asked. path: the whole path of the URL.
        codes: the shapes of answers that are not success.
        acceptance: None where no answer is known to prove it.
    """

    action: Action
    market: str
    hosts: frozenset[str]
    path: re.Pattern[str]
    codes: tuple[Codes, ...]
    acceptance: Acceptance | None


def refusals(
    page: str,
    statuses: Iterable[int],
    *codes: Code,
    words: re.Pattern[str] | None = None,
    may_have_detail: bool = False,
) -> dict[Code, Refusal]:
    """One refusal for each of the codes, all alike."""
    refusal = Refusal(statuses=frozenset(statuses), page=page, words=words, may_have_detail=may_have_detail)
    return dict.fromkeys(codes, refusal)


def doubts(page: str, why: str, *codes: Code, words: re.Pattern[str] | None = None) -> dict[Code, Doubt]:
    """One doubt for each of the codes, all alike."""
    return dict.fromkeys(codes, Doubt(why=why, page=page, words=words))


def one_of(*messages: str) -> re.Pattern[str]:
    """Any of these messages, with or without the full stop at the end; `%s` stands for what the venue fills in."""
    forms = (re.escape(message.removesuffix(".")).replace("%s", r".{1,60}") for message in messages)
    return re.compile(rf"(?:{'|'.join(forms)})\.?")
