"""The part of docs/venues.md that says what answers to writes prove, generated from the rules."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from exchange_mcp.rules.outcomes import ROUTES, UNTOLD
from exchange_mcp.rules.outcomes.exceptions import RULINGS, Ruling
from exchange_mcp.rules.outcomes.shapes import Acceptance, Code, Codes, Doubt, Path, Refusal, Route
from exchange_mcp.rules.venues import VENUES

_INTRODUCTION: Final = """
# What an answer to a write proves

An order, a cancel or a change of leverage that was sent is *accepted* if the whole answer came with status 200 and has
what the table names, with our client order id where the venue repeats it; *rejected* if its status and its code are a
refusal in the lists below; *not sent* if no byte of it left. Everything else is *unknown*: no answer, half an answer, a
code that is not listed, a listed code with another status, any answer of another shape. Unknown is a question, and the
order has to be looked for. An answer that a client order id is in use is unknown too: an order of ours may be there.

`exchange-mcp outcome explain VENUE` reads an answer from standard input and says what it proves, without a key.

A desk trades at Binance alone, spot and USD-M without conditional orders ([desk.md](desk.md#what-can-be-traded)). All
of this was read from the vendors' pages and tried on the simulated exchange. Nothing of it was tried at a venue; the
[test cards](cards/README.md) are for Binance's demo environment. On live accounts no order is called absent by machine.

| venue | what | market | asked at | accepted, if the answer has |
|---|---|---|---|---|
"""
_UNTOLD: Final = """| every other venue | | | | nothing is known: whatever is sent there is unknown |

## What is not known

| venue | it is not known |
|---|---|
"""
_CODES: Final = """
## Codes

By status, as the linked page has them. A code means this only in an answer of the venue's own shape for errors, which
has nothing of an order in it and no name that the venue writes otherwise. Of codes marked *message*, only with messages
that the page gives this meaning. An order's refusal that comes with words about an id that is taken already is unknown.
"""
_EXCEPTIONS: Final = """
## Exceptions

ccxt picks the class of an exception by URL and status, and is wrong in places; so a class never proves anything. It can
only take proof away, by its name:

| beside a complete answer | classes |
|---|---|
"""
_EFFECTS: Final = {
    Ruling.SAYS_NOTHING: "the answer decides alone",
    Ruling.NOT_ACCEPTED: "a refusal stands, an acceptance is unknown",
    Ruling.NO_ANSWER: "unknown, whatever the answer says; so does any class that is not here",
}


def outcomes_page() -> str:
    """The part of the page, from its own heading on."""
    return "".join(
        (
            _INTRODUCTION,
            *(_row(venue, route) for venue, routes in ROUTES.items() for route in routes),
            _UNTOLD,
            *(f"| {VENUES[venue].title} | {untold} |\n" for venue, untold in UNTOLD.items()),
            _CODES,
            *(line for venue, routes in ROUTES.items() for line in _codes(venue, routes)),
            _EXCEPTIONS,
            *(f"| {effect} | {_classes(ruling)} |\n" for ruling, effect in _EFFECTS.items()),
        )
    )


def _row(venue: str, route: Route) -> str:
    cells = (
        VENUES[venue].title,
        _action(route),
        route.market,
        f"`{_shown(route)}`",
        _proof(route.acceptance),
    )
    return f"| {' | '.join(cells)} |\n"


def _action(route: Route) -> str:
    return {"place": "place", "cancel": "cancel", "leverage": "set leverage"}[route.action]


def _shown(route: Route) -> str:
    return (
        route.path.pattern.replace("[A-Za-z0-9_-]{1,80}", "{id}")
        .replace("(?:hf/)?", "[hf/]")
        .replace("\\", "")
    )


def _proof(shape: Acceptance | None) -> str:
    if shape is None:
        return "nothing is known to prove it"
    parts = [f"{_way(path)} {_values(allowed)}" for path, allowed in shape.must.items()]
    if shape.no_errors is not None:
        parts.append(f"{_way(shape.no_errors)} empty")
    if shape.order_id is not None:
        parts.append(f"the order id in {_way(shape.order_id)}")
    if shape.client_id is not None:
        parts.append(f"our id in {_way(shape.client_id)}")
    if shape.leverage is not None:
        parts.append(f"the leverage that was asked for in {_way(shape.leverage)}")
    parts += [f"{_way(path)}, if there is one, {_values(allowed)}" for path, allowed in shape.may.items()]
    whole = "; ".join(parts)
    remark = f". {shape.remark}" if shape.remark else ""
    return f"[{whole}]({shape.page}){remark}"


def _way(path: Path) -> str:
    return "`" + "".join("[0]" if step == 0 else f".{step}" for step in path).removeprefix(".") + "`"


def _values(allowed: Iterable[object]) -> str:
    texts = sorted(str(each).lower() if isinstance(each, bool) else str(each) for each in allowed)
    return " or ".join(f"`{text}`" for text in texts)


def _codes(venue: str, routes: tuple[Route, ...]) -> Iterator[str]:
    yield f"\n### {VENUES[venue].title}\n"
    for shared in _by_codes(routes):
        shapes = shared[0].codes
        yield f"\n{_named(shared)}:\n\n"
        yield from _refusals(shapes)
        yield from _doubts("the client order id is in use", (codes.duplicate for codes in shapes))
        yield from _doubts("proves nothing", (codes.ambiguous for codes in shapes))


def _by_codes(routes: tuple[Route, ...]) -> list[list[Route]]:
    """The routes, those together that have the same codes."""
    found: list[list[Route]] = []
    for route in routes:
        shared = next((each for each in found if each[0].codes == route.codes), None)
        if shared is None:
            found.append([route])
        else:
            shared.append(route)
    return found


def _named(routes: list[Route]) -> str:
    actions = dict.fromkeys((_action(route), route.market) for route in routes)
    named = "; ".join(f"{action} ({market})" for action, market in actions)
    return f"{named[0].upper()}{named[1:]}"


def _refusals(shapes: tuple[Codes, ...]) -> Iterator[str]:
    by_kind: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for codes in shapes:
        for code, refusal in sorted(codes.definite.items(), key=_order):
            kind = (refusal.page, tuple(sorted(refusal.statuses)))
            by_kind.setdefault(kind, []).append(_code(code, refusal))
    for (page, statuses), named in by_kind.items():
        whole = " or ".join(map(str, statuses))
        yield f"- [refused]({page}), with status {whole}: {', '.join(dict.fromkeys(named))}\n"


def _doubts(what: str, tables: Iterable[Mapping[Code, Doubt]]) -> Iterator[str]:
    named: dict[str, list[str]] = {}
    for table in tables:
        for code, doubt in sorted(table.items(), key=_order):
            named.setdefault(doubt.page, []).append(_code(code, doubt))
    for page, codes in named.items():
        yield f"- [{what}]({page}): {', '.join(dict.fromkeys(codes))}\n"


def _order(entry: tuple[Code, object]) -> tuple[int, str]:
    """Numbers by size, whatever their sign, and text by its letters."""
    code = entry[0]
    return (abs(code), "") if isinstance(code, int) else (0, code)


def _code(code: Code, entry: Refusal | Doubt) -> str:
    return f"`{code}`" + (" (message)" if entry.words is not None else "")


def _classes(ruling: Ruling) -> str:
    return ", ".join(f"`{name}`" for name, found in sorted(RULINGS.items()) if found is ruling)
