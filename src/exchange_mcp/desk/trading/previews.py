"""A preview, read back from what the journal holds of it."""

from collections.abc import Mapping
from typing import Any, Final

from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.orders.preview import CancelPreview, LeveragePreview, OrderPreview, Preview

_KINDS: Final[dict[str, type[Preview]]] = {
    "place": OrderPreview,
    "cancel": CancelPreview,
    "leverage": LeveragePreview,
}


def read_preview(shown: Mapping[str, Any]) -> Preview:
    """The preview that `Planned.preview` was, from its JSON: what stands under `shown` in an intent's preview text.

    Raises:
        ValueError: it is none.
    """
    kind = _KINDS.get(str(shown.get("action")))
    if kind is None:
        raise ValueError("what was recorded is no preview of a write")
    return kind.model_validate_json(canonical_json(shown))
