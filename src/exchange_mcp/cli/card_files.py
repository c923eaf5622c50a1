"""Test cards: what to do at a venue, what should happen, what has to hold; read from the TOML in `docs/cards`."""

import json
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from exchange_mcp.model.frozen import Record

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{1,40}$")]
Sentence = Annotated[str, StringConstraints(min_length=8, max_length=400)]

# In a wheel they lie beside this module; in the repository where they are read.
_PLACES: Final = (Path(__file__).with_name("card_files"), Path(__file__).parents[3] / "docs" / "cards")


class Step(Record):
    """One write: an order, the cancel of the order of an earlier step, or a leverage.

    Attributes:
        percent_of_mid: where a limit price is, as a distance from the middle of the book in per cent, on `price_step`.
        of: the step whose order is canceled.
        expect: the kinds of events in the desk's log, in this order; others may lie between.
    """

    name: Name
    action: Literal["place", "cancel", "leverage"]
    symbol: str
    side: Literal["buy", "sell"] | None = None
    type: Literal["market", "limit"] | None = None
    amount: str | None = None
    percent_of_mid: Decimal | None = None
    price_step: Decimal | None = None
    post_only: bool = False
    reduce_only: bool = False
    leverage: int | None = None
    of: Name | None = None
    expect: tuple[str, ...]


class Criterion(Record):
    """What has to hold after a step; every member that is given.

    Attributes:
        state: of the intent.
        sent: parameters of the request, by the venue's names.
        within_ms: how soon after the venue's answer the desk saw at the venue what was asked, in milliseconds.
    """

    id: Name
    says: Sentence
    step: Name
    state: str | None = None
    sent: dict[str, str] = Field(default_factory=dict)
    within_ms: int | None = None


class Card(Record):
    """One card.

    Attributes:
        skip_when: when it says nothing, for a person to judge.
        not_run_because: why no command runs it yet; None where `cards run` does.
    """

    id: Name
    title: Sentence
    why: Sentence
    prerequisites: tuple[Sentence, ...]
    skip_when: tuple[Sentence, ...]
    steps: tuple[Step, ...] = ()
    criteria: tuple[Criterion, ...]
    not_run_because: Sentence | None = None


def cards() -> tuple[Card, ...]:
    """Every card that comes with this release, by id.

    Raises:
        ValueError: one is none.
    """
    return tuple(sorted(_read(), key=lambda card: card.id))


def _read() -> Iterator[Card]:
    place = next((each for each in _PLACES if each.is_dir()), _PLACES[0])
    for file in sorted(place.glob("*.toml")):
        yield Card.model_validate_json(json.dumps(tomllib.loads(file.read_text(encoding="utf-8"))))
