"""One answer of a venue, and what it proves by the venue's own page."""

import json
from dataclasses import dataclass, replace

from exchange_mcp.model.outcomes import Action, Evidence, Outcome
from exchange_mcp.rules.outcomes.shapes import Route

OURS = "x-7f3kq2m9d4"
"""Our client order id in every answer here."""

ACCEPTED, REJECTED, UNKNOWN = Outcome.ACCEPTED, Outcome.REJECTED, Outcome.UNKNOWN


@dataclass(frozen=True, kw_only=True)
class Answer:
    """`says` is the page's sentence in short; `is_error` where the venue means no success."""

    venue: str
    action: Action
    url: str
    status: int
    body: str
    proves: Outcome
    says: str
    is_error: bool = True

    def __str__(self) -> str:
        return f"{self.venue} {self.action}: {self.says} ({self.status})"

    def evidence(self, **changes: object) -> Evidence:
        seen = Evidence(
            venue=self.venue,
            action=self.action,
            url=self.url,
            is_sent=True,
            status=self.status,
            body=self.body,
            client_order_id=None if self.action == "leverage" else OURS,
        )
        return replace(seen, **changes)  # pyright: ignore[reportArgumentType] - the caller names fields


def as_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def url_of(route: Route) -> str:
    """One URL that the route's answers come from."""
    path = route.path.pattern.replace("(?:hf/)?", "").replace(
        "[A-Za-z0-9_-]{1,80}", "5bd6e9286d99522a52e458de"
    )
    assert route.path.fullmatch(path)
    return f"https://{min(route.hosts)}{path}"
