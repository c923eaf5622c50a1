"""Which kind of account a key belongs to, at the venues that have more than one: asked by us, once.

ccxt asks this itself inside a read, takes a failure for an answer, and then reads the wrong account for as long as the
client lives (ccxt/async_support/bitget.py, `handle_uta_and_params`, and gate.py, `load_unified_status`, 4.5.90).
Here an answer that does not clearly say is an error, and nothing of the account that depends on it is read.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from exchange_mcp.config.redaction import Redactor
from exchange_mcp.model.errors import BadAnswerError, ExchangeMcpError, NotCoveredError
from exchange_mcp.venue.failures import code_of, meaning
from exchange_mcp.venue.listing import at
from exchange_mcp.venue.repeating import Sleep, repeated


@dataclass(frozen=True, slots=True)
class Question:
    """The request that tells the kind, what its answers mean, and which refusals are an answer too.

    `kind_of` gives None for what is not clear. `follow_up` is asked where the first answer gave its key.
    """

    call: str
    kind_of: Callable[[object], str | None]
    by_code: Mapping[str, str] = field(default_factory=dict[str, str])
    follow_up: Mapping[str, "Question"] = field(default_factory=dict[str, "Question"])


def _one_of(path: str, kinds: Mapping[str, str]) -> Callable[[object], str | None]:
    def kind_of(answer: object) -> str | None:
        value = at(answer, path)
        # True is 1 to Python, and no venue's status.
        return None if isinstance(value, bool) else kinds.get(str(value))

    return kind_of


def _gate(answer: object) -> str | None:
    """Gate's kind: in multi-currency mode, USDT perpetuals are part of the wallet only where that is switched on."""
    mode = at(answer, "mode")
    if mode == "classic":
        return "classic"
    if mode in {"single_currency", "portfolio"}:
        return "unified"
    with_futures = at(answer, "settings.usdt_futures")
    if mode == "multi_currency" and isinstance(with_futures, bool):
        return "unified" if with_futures else "unified spot"
    return None


def _high_frequency(answer: object) -> str | None:
    """KuCoin's spot system: whether the list of high-frequency orders holds all of the account's."""
    opened = at(answer, "data")
    if not isinstance(opened, bool):
        return None
    return "classic" if opened else "classic low"


CLASSIC_BYBIT: Final = "classic"

# bybit: https://bybit-exchange.github.io/docs/v5/acct-mode
# kucoin: https://github.com/Kucoin/kucoin-universal-sdk/blob/main/sdk/golang/pkg/generate/uta/account/types.go
#   and https://www.kucoin.com/docs-new/rest/account-info/account-funding/get-account-type-spot
# bitget: https://www.bitget.com/api-doc/uta/account/Get-Account-Setting; its refusal 40084 says
#   "You are in Classic Account mode, and the Unified Account API is not supported at this time"
# gate: https://github.com/gate/gateapi-csharp/blob/master/docs/UnifiedApi.md
QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        "bybit": Question(
            "privateGetV5AccountInfo",
            _one_of(
                "result.unifiedMarginStatus",
                {"1": CLASSIC_BYBIT, "3": "unified 1", "4": "unified 1", "5": "unified", "6": "unified"},
            ),
        ),
        "kucoin": Question(
            "utaPrivateGetAccountMode",
            _one_of("data.selfAccountMode", {"UNIFIED": "unified", "CLASSIC": "classic"}),
            follow_up={
                "classic": Question(
                    "privateGetHfAccountsOpened",
                    _high_frequency,
                )
            },
        ),
        "bitget": Question(
            "privateUtaGetV3AccountSettings",
            _one_of("data.accountMode", {"unified": "unified"}),
            by_code={"40084": "classic"},
        ),
        "gate": Question("privateUnifiedGetUnifiedMode", _gate),
    }
)
"""By ccxt id; at the other venues there is one kind of account."""


class AccountType:
    """The kind of one account, once it is known. Inside `asking`, and nowhere else, the venue may be asked."""

    def __init__(
        self,
        name: str,
        client: Any,  # noqa: ANN401 - ccxt is untyped
        *,
        asking: Callable[[], AbstractContextManager[object]],
        redactor: Redactor,
        sleep: Sleep,
    ) -> None:
        self._name = name
        self._client = client
        self._asking_allowed = asking
        self._redactor = redactor
        self._sleep = sleep
        self._asking: asyncio.Task[str] | None = None
        self.known: str | None = None

    async def ready(self) -> str:
        """The kind; asks the venue where it is not known, in a task that no caller's end reaches.

        Raises:
            ExchangeMcpError: the venue did not clearly say, or the account is of a kind that is not read.
        """
        if self.known is not None:
            return self.known
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
            self._asking.add_done_callback(_seen)
        kind = await asyncio.shield(self._asking)
        self.known = kind
        return kind

    async def _ask(self) -> str:
        question: Question | None = QUESTIONS[self._client.id]
        kind = ""
        while question is not None:
            asked = question
            kind = await repeated(lambda asked=asked: self._one(asked), sleep=self._sleep)
            question = asked.follow_up.get(kind)
        if self._client.id == "bybit" and kind == CLASSIC_BYBIT:
            raise NotCoveredError(
                f"account {self._name} is a classic account, which Bybit no longer has and this version does not read",
                hint="Upgrade the account to a unified one at Bybit.",
            )
        return kind

    async def _one(self, question: Question) -> str:
        try:
            with self._asking_allowed():
                answer = await getattr(self._client, question.call)()
        except Exception as error:
            kind = question.by_code.get(code_of(error))
            if kind is not None:
                return kind
            raise self._unclear(meaning(error, self._client.id, self._redactor)) from error
        kind = question.kind_of(answer)
        if kind is None:
            raise BadAnswerError(
                f"{self._client.id} did not clearly say which kind of account {self._name} is, so it is not read"
            )
        return kind

    def _unclear(self, error: ExchangeMcpError) -> ExchangeMcpError:
        return type(error)(
            f"which kind of account {self._name} is could not be asked: {error.message}", hint=error.next_step
        )


def _seen(task: asyncio.Task[str]) -> None:
    """Take note of a failure that nobody waited for."""
    with suppress(asyncio.CancelledError):
        task.exception()
