"""What of the policy's own text a page needs."""

import json
from typing import Any


def reference_of(policy_text: str) -> str:
    """The asset that the policy's amounts are in; empty where the text names none, so that nothing compares with it."""
    policy: Any = json.loads(policy_text)
    try:
        named = policy["desk"]["reference"]
    except (KeyError, TypeError):
        return ""
    return named if isinstance(named, str) else ""
