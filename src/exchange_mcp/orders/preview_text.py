"""From the recorded JSON of a preview back to the preview: what an approver reads is made from these bytes alone."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter, ValidationError

from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.orders.preview import Preview

_PREVIEW: Final[TypeAdapter[Preview]] = TypeAdapter(Annotated[Preview, Field(discriminator="action")])


def read_preview(recorded: Mapping[str, Any]) -> Preview:
    """The preview that this is the JSON of, as `json.loads` of its canonical text gives it.

    Raises:
        ValueError: it is no preview's JSON; a field more, less or other, or a figure written in another way.
    """
    try:
        preview = _PREVIEW.validate_json(json.dumps(recorded))
        is_own = preview.canonical() == canonical_json(recorded)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"not a preview: {where[:80]}: {first['msg'][:120]}") from None
    except (TypeError, ValueError) as error:
        raise ValueError(f"not a preview: {type(error).__name__}") from None
    if not is_own:
        raise ValueError("not a preview: a figure of it is written in another way")
    return preview
