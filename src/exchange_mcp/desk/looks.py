"""What was seen, as a record's plain values and back: findings at a venue, and the evidence of a send."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from exchange_mcp.model.decimals import from_wire
from exchange_mcp.model.findings import Findings, FoundOrder, Says, Source, SourceFinding
from exchange_mcp.model.outcomes import Evidence

# A maintenance page is not evidence of anything after its first lines; its length and hash are kept.
_MOST_BODY: Final = 16_384


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a venue, and when it was recorded."""

    at_ms: int
    findings: Findings


def evidence_values(evidence: Evidence) -> dict[str, object]:
    """The evidence for the record, its body masked; of a long body its beginning, its length and its SHA-256."""
    values: dict[str, object] = asdict(evidence)
    masked = values.pop("masked")
    body = evidence.body if masked is None else evidence.masked
    values["body"] = body
    if body is not None and len(body) > _MOST_BODY:
        digest = hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
        values |= {"body": body[:_MOST_BODY], "body_length": len(body), "body_digest": digest}
    return values


def findings_from(values: Mapping[str, Any]) -> Findings:
    """The findings that were recorded as these values."""
    return Findings(
        client_order_id=values["client_order_id"],
        venue_ms=values["venue_ms"],
        sources=tuple(
            SourceFinding(
                source=Source(source["source"]),
                says=Says(source["says"]),
                order=None if source["order"] is None else _order(source["order"]),
                unattributable=tuple(map(_order, source["unattributable"])),
                detail=source["detail"],
            )
            for source in values["sources"]
        ),
        control=Says(values["control"]),
    )


def _order(values: Mapping[str, Any]) -> FoundOrder:
    read: dict[str, Any] = dict(values)
    read |= {name: from_wire(values[name]) for name in ("amount", "filled", "average_price")}
    return FoundOrder(**read)
