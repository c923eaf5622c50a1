"""What is refused by design: printed in the matrix, and answered when a call names it."""

import re
from dataclasses import dataclass
from typing import Final

from exchange_mcp.tools.spec import Hint, Hints


@dataclass(frozen=True, slots=True)
class Refused:
    """One family of abilities that no tool of this product has."""

    name: str
    reason: str
    named_by: re.Pattern[str]


def _family(name: str, reason: str, pattern: str) -> Refused:
    return Refused(name, reason, re.compile(pattern))


# The patterns only choose the sentence that an unknown name is answered with; nothing is allowed by them.
REFUSED: Final = (
    _family("withdraw", "Taking money off the exchange.", r"withdraw|payout|send_(coin|crypto|fund)"),
    _family(
        "transfer",
        "Moving money between wallets, accounts or people.",
        r"transfer|deposit_address|convert|dust",
    ),
    _family(
        "manage_api_keys",
        "Creating, changing or deleting API keys.",
        r"api_?key|credential|ip_?(restrict|whitelist)",
    ),
    _family("manage_sub_accounts", "Creating, changing or emptying sub-accounts.", r"sub_?account"),
    _family(
        "raw_call",
        "Calling a venue's endpoint by name or path, or passing free-form parameters.",
        r"(^|_)(raw|implicit|endpoint)(_|$)|^(call|request|fetch2?|sign|eval|exec)$"
        r"|(^|_)(api|private|public)_(call|request)|^(call|exec|request)_(api|method|private|public)(_|$)",
    ),
)

HINTS: Final = Hints(
    read_only=Hint(value=False, reason="It would change the account."),
    destructive=Hint(value=True, reason="It could not be undone."),
    idempotent=Hint(value=False, reason="A repeat would act again."),
    open_world=Hint(value=True, reason="It would act at an exchange."),
)


def refused(tool_name: str) -> Refused | None:
    """The refused family that a tool name speaks of, if it does."""
    spelled = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", tool_name).lower().replace("-", "_")
    return next((family for family in REFUSED if family.named_by.search(spelled)), None)
