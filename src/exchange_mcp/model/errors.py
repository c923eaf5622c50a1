"""Every error that this product raises on purpose, and what its caller may conclude.

ExchangeMcpError
├── CallerError                 the request is wrong; nothing was sent
│   ├── InvalidArgumentError        INVALID_ARGUMENT
│   ├── UnknownToolError            UNKNOWN_TOOL
│   ├── RefusedByDesignError        REFUSED_BY_DESIGN
│   ├── ScopeMissingError           SCOPE_MISSING: the client may not call this tool
│   ├── UnknownAccountError         UNKNOWN_ACCOUNT
│   ├── UnknownSymbolError          UNKNOWN_SYMBOL
│   ├── NotCoveredError             NOT_COVERED: the account has no key, or not this market type
│   ├── OrderRefusedError           one of ORDER_CODES: what was asked is no valid order on this market
│   └── ProposalRefusedError        one of PROPOSAL_CODES: the desk does not take the proposal; names what is in its way
├── ServerError                 we could not serve it
│   ├── BusyError                   BUSY
│   ├── DeadlineError               DEADLINE_EXCEEDED
│   ├── StoppingError               STOPPING
│   ├── WritesClosedError           WRITES_CLOSED: the desk takes no write of this account for now
│   ├── EgressBlockedError          EGRESS_BLOCKED: a request that may not leave was stopped
│   ├── EgressRefusedError          EGRESS_REFUSED: nothing may leave at this venue as things are
│   ├── JournalError                JOURNAL_REFUSED: the desk cannot record it, so it does not do it
│   ├── DeskError                   one of DESK_CODES: there is a desk, and it cannot or may not do it as things are
│   └── InternalError               INTERNAL
├── NothingAnsweredError        every source of a question failed; it speaks as the first of them
└── VenueError                  the venue answered with a refusal, or not at all
    ├── VenueUnreachableError       VENUE_UNREACHABLE
    ├── VenueUnavailableError       VENUE_UNAVAILABLE: it says so itself, or is in maintenance
    ├── RateLimitedError            RATE_LIMITED
    ├── BadAnswerError              BAD_ANSWER: not what its documentation promises
    ├── AuthenticationFailedError   AUTHENTICATION_FAILED
    ├── PermissionMissingError      PERMISSION_MISSING
    ├── KeyRefusedError             KEY_REFUSED: the key can do what it must not, or its venue refuses it
    ├── KeyUnconfirmedError         KEY_UNCONFIRMED: what the key may do was not told for too long
    ├── ClockSkewError              CLOCK_SKEW
    └── VenueRefusedError           VENUE_REFUSED

`outcome` speaks of the one request that the error ended: not_sent (no byte left), rejected (the venue
proved that it refused), unknown (anything else). `retry` says whether asking again is safe.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, Literal

from exchange_mcp.model.frozen import Record

Outcome = Literal["not_sent", "rejected", "unknown"]
Retry = Literal["safe", "never", "after_reconcile"]


class ErrorCode(StrEnum):
    """The machine-readable name of an error, stable across releases."""

    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    UNKNOWN_TOOL = "UNKNOWN_TOOL"
    REFUSED_BY_DESIGN = "REFUSED_BY_DESIGN"
    SCOPE_MISSING = "SCOPE_MISSING"
    UNKNOWN_ACCOUNT = "UNKNOWN_ACCOUNT"
    UNKNOWN_SYMBOL = "UNKNOWN_SYMBOL"
    NOT_COVERED = "NOT_COVERED"
    BUSY = "BUSY"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    STOPPING = "STOPPING"
    WRITES_CLOSED = "WRITES_CLOSED"
    EGRESS_BLOCKED = "EGRESS_BLOCKED"
    EGRESS_REFUSED = "EGRESS_REFUSED"
    JOURNAL_REFUSED = "JOURNAL_REFUSED"
    INTERNAL = "INTERNAL"
    VENUE_UNREACHABLE = "VENUE_UNREACHABLE"
    VENUE_UNAVAILABLE = "VENUE_UNAVAILABLE"
    RATE_LIMITED = "RATE_LIMITED"
    BAD_ANSWER = "BAD_ANSWER"
    AUTHENTICATION_FAILED = "AUTHENTICATION_FAILED"
    PERMISSION_MISSING = "PERMISSION_MISSING"
    KEY_REFUSED = "KEY_REFUSED"
    KEY_UNCONFIRMED = "KEY_UNCONFIRMED"
    CLOCK_SKEW = "CLOCK_SKEW"
    VENUE_REFUSED = "VENUE_REFUSED"
    NUMBER_ZERO = "NUMBER_ZERO"
    NUMBER_NEGATIVE = "NUMBER_NEGATIVE"
    AMOUNT_OR_COST = "AMOUNT_OR_COST"
    AMOUNT_NOT_TAKEN = "AMOUNT_NOT_TAKEN"
    AMOUNT_OFF_STEP = "AMOUNT_OFF_STEP"
    AMOUNT_TOO_SMALL = "AMOUNT_TOO_SMALL"
    AMOUNT_TOO_LARGE = "AMOUNT_TOO_LARGE"
    COST_NOT_TAKEN = "COST_NOT_TAKEN"
    COST_OFF_STEP = "COST_OFF_STEP"
    COST_TOO_SMALL = "COST_TOO_SMALL"
    COST_TOO_LARGE = "COST_TOO_LARGE"
    PRICE_MISSING = "PRICE_MISSING"
    PRICE_NOT_TAKEN = "PRICE_NOT_TAKEN"
    PRICE_OFF_TICK = "PRICE_OFF_TICK"
    PRICE_TOO_LOW = "PRICE_TOO_LOW"
    PRICE_TOO_HIGH = "PRICE_TOO_HIGH"
    PRICE_OUTSIDE_BAND = "PRICE_OUTSIDE_BAND"
    TRIGGER_MISSING = "TRIGGER_MISSING"
    TRIGGER_NOT_TAKEN = "TRIGGER_NOT_TAKEN"
    TRIGGER_OFF_TICK = "TRIGGER_OFF_TICK"
    TRIGGER_TOO_LOW = "TRIGGER_TOO_LOW"
    TRIGGER_TOO_HIGH = "TRIGGER_TOO_HIGH"
    TRIGGER_WRONG_SIDE = "TRIGGER_WRONG_SIDE"
    NOTIONAL_TOO_SMALL = "NOTIONAL_TOO_SMALL"
    NOTIONAL_TOO_LARGE = "NOTIONAL_TOO_LARGE"
    TIME_IN_FORCE_NOT_TAKEN = "TIME_IN_FORCE_NOT_TAKEN"
    POST_ONLY_NOT_TAKEN = "POST_ONLY_NOT_TAKEN"
    REDUCE_ONLY_NOT_TAKEN = "REDUCE_ONLY_NOT_TAKEN"
    REDUCE_ONLY_MISSING = "REDUCE_ONLY_MISSING"
    REDUCE_ONLY_WOULD_OPEN = "REDUCE_ONLY_WOULD_OPEN"
    ORDER_TYPE_NOT_TAKEN = "ORDER_TYPE_NOT_TAKEN"
    ORDER_ID_INVALID = "ORDER_ID_INVALID"
    ORDER_ENDED = "ORDER_ENDED"
    ORDER_NOT_FOUND = "ORDER_NOT_FOUND"
    MARKET_NOT_TRADING = "MARKET_NOT_TRADING"
    BOOK_EMPTY = "BOOK_EMPTY"
    BOOK_TOO_THIN = "BOOK_TOO_THIN"
    TOO_MANY_ORDERS = "TOO_MANY_ORDERS"
    POSITION_TOO_LARGE = "POSITION_TOO_LARGE"
    LEVERAGE_NOT_TAKEN = "LEVERAGE_NOT_TAKEN"
    LEVERAGE_TOO_HIGH = "LEVERAGE_TOO_HIGH"
    HEDGE_MODE = "HEDGE_MODE"
    NOT_OFFERED_YET = "NOT_OFFERED_YET"
    POLICY_DENIED = "POLICY_DENIED"
    POLICY_FORBID = "POLICY_FORBID"
    POLICY_ACCOUNTS = "POLICY_ACCOUNTS"
    POLICY_SYMBOLS = "POLICY_SYMBOLS"
    POLICY_ORDER_TYPES = "POLICY_ORDER_TYPES"
    POLICY_MAX_ORDER_NOTIONAL = "POLICY_MAX_ORDER_NOTIONAL"
    POLICY_MAX_DAILY_NOTIONAL = "POLICY_MAX_DAILY_NOTIONAL"
    POLICY_MAX_LEVERAGE = "POLICY_MAX_LEVERAGE"
    POLICY_LEVERAGE_CHANGE_WITH_POSITION = "POLICY_LEVERAGE_CHANGE_WITH_POSITION"
    POLICY_MAX_PRICE_DISTANCE_PERCENT = "POLICY_MAX_PRICE_DISTANCE_PERCENT"
    POLICY_MAX_OPEN_ORDERS = "POLICY_MAX_OPEN_ORDERS"
    POLICY_MAX_ORDERS_PER_MINUTE = "POLICY_MAX_ORDERS_PER_MINUTE"
    POLICY_MAX_DAILY_LOSS = "POLICY_MAX_DAILY_LOSS"
    SIMILAR_ORDER = "SIMILAR_ORDER"
    BLOCKED_BY_UNKNOWN = "BLOCKED_BY_UNKNOWN"
    OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"
    TOO_MANY_PENDING = "TOO_MANY_PENDING"
    DECLINED_BEFORE = "DECLINED_BEFORE"
    PROPOSAL_ID_USED = "PROPOSAL_ID_USED"
    UNKNOWN_INTENT = "UNKNOWN_INTENT"
    INTENT_MOVED_ON = "INTENT_MOVED_ON"
    DESK_UNREACHABLE = "DESK_UNREACHABLE"
    DESK_VERSION = "DESK_VERSION"
    CREDENTIAL_REFUSED = "CREDENTIAL_REFUSED"
    NOT_ALLOWED_FOR_CLIENT = "NOT_ALLOWED_FOR_CLIENT"
    ACCOUNT_MISMATCH = "ACCOUNT_MISMATCH"
    HALTED = "HALTED"
    NO_APPROVER = "NO_APPROVER"
    CONFIGURATION_NOT_ACCEPTED = "CONFIGURATION_NOT_ACCEPTED"
    SIGNATURE_REFUSED = "SIGNATURE_REFUSED"


ORDER_CODES: Final = frozenset(
    {
        ErrorCode.NUMBER_ZERO,
        ErrorCode.NUMBER_NEGATIVE,
        ErrorCode.AMOUNT_OR_COST,
        ErrorCode.AMOUNT_NOT_TAKEN,
        ErrorCode.AMOUNT_OFF_STEP,
        ErrorCode.AMOUNT_TOO_SMALL,
        ErrorCode.AMOUNT_TOO_LARGE,
        ErrorCode.COST_NOT_TAKEN,
        ErrorCode.COST_OFF_STEP,
        ErrorCode.COST_TOO_SMALL,
        ErrorCode.COST_TOO_LARGE,
        ErrorCode.PRICE_MISSING,
        ErrorCode.PRICE_NOT_TAKEN,
        ErrorCode.PRICE_OFF_TICK,
        ErrorCode.PRICE_TOO_LOW,
        ErrorCode.PRICE_TOO_HIGH,
        ErrorCode.PRICE_OUTSIDE_BAND,
        ErrorCode.TRIGGER_MISSING,
        ErrorCode.TRIGGER_NOT_TAKEN,
        ErrorCode.TRIGGER_OFF_TICK,
        ErrorCode.TRIGGER_TOO_LOW,
        ErrorCode.TRIGGER_TOO_HIGH,
        ErrorCode.TRIGGER_WRONG_SIDE,
        ErrorCode.NOTIONAL_TOO_SMALL,
        ErrorCode.NOTIONAL_TOO_LARGE,
        ErrorCode.TIME_IN_FORCE_NOT_TAKEN,
        ErrorCode.POST_ONLY_NOT_TAKEN,
        ErrorCode.REDUCE_ONLY_NOT_TAKEN,
        ErrorCode.REDUCE_ONLY_MISSING,
        ErrorCode.REDUCE_ONLY_WOULD_OPEN,
        ErrorCode.ORDER_TYPE_NOT_TAKEN,
        ErrorCode.ORDER_ID_INVALID,
        ErrorCode.ORDER_ENDED,
        ErrorCode.ORDER_NOT_FOUND,
        ErrorCode.MARKET_NOT_TRADING,
        ErrorCode.BOOK_EMPTY,
        ErrorCode.BOOK_TOO_THIN,
        ErrorCode.TOO_MANY_ORDERS,
        ErrorCode.POSITION_TOO_LARGE,
        ErrorCode.LEVERAGE_NOT_TAKEN,
        ErrorCode.LEVERAGE_TOO_HIGH,
        ErrorCode.HEDGE_MODE,
        ErrorCode.NOT_OFFERED_YET,
    }
)
"""The codes of `OrderRefusedError`: what is wrong with an order, a cancel or a leverage that was asked for."""

DENIALS: Final = frozenset({code for code in ErrorCode if code.startswith("POLICY_")})
"""The operator's limits deny it: POLICY_ and the key of the limit in desk.toml; POLICY_DENIED where none is named."""

PROPOSAL_CODES: Final[Mapping[ErrorCode, Retry]] = {
    **dict.fromkeys(sorted(DENIALS), "never"),
    ErrorCode.SIMILAR_ORDER: "never",
    ErrorCode.BLOCKED_BY_UNKNOWN: "after_reconcile",
    ErrorCode.OUTCOME_UNKNOWN: "after_reconcile",
    ErrorCode.TOO_MANY_PENDING: "never",
    ErrorCode.DECLINED_BEFORE: "never",
    ErrorCode.PROPOSAL_ID_USED: "never",
    ErrorCode.UNKNOWN_INTENT: "never",
    ErrorCode.INTENT_MOVED_ON: "never",
}
"""The codes of `ProposalRefusedError`, and whether asking again makes sense."""

DESK_CODES: Final[Mapping[ErrorCode, Retry]] = {
    ErrorCode.DESK_UNREACHABLE: "safe",
    ErrorCode.DESK_VERSION: "never",
    ErrorCode.CREDENTIAL_REFUSED: "never",
    ErrorCode.NOT_ALLOWED_FOR_CLIENT: "never",
    ErrorCode.ACCOUNT_MISMATCH: "never",
    ErrorCode.HALTED: "never",
    ErrorCode.NO_APPROVER: "never",
    ErrorCode.CONFIGURATION_NOT_ACCEPTED: "never",
    ErrorCode.SIGNATURE_REFUSED: "never",
}
"""The codes of `DeskError`, and whether asking again is safe."""


class ErrorBody(Record):
    """An error as a client sees it."""

    code: ErrorCode
    message: str
    hint: str
    retry: Retry


class ExchangeMcpError(Exception):
    """The root of the tree. `message` names what and why, `hint` the next step; neither holds a secret."""

    code: ErrorCode
    outcome: Outcome
    retry: Retry
    hint: str = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = self.hint if hint is None else hint

    def body(self) -> ErrorBody:
        """The error as a client sees it."""
        return ErrorBody(code=self.code, message=self.message, hint=self.next_step, retry=self.retry)


class CallerError(ExchangeMcpError):
    """The request is wrong; nothing was sent."""

    outcome = "not_sent"
    retry = "never"


class InvalidArgumentError(CallerError):
    """An argument is missing, unknown, or not of the form that the tool declares."""

    code = ErrorCode.INVALID_ARGUMENT
    hint = "Correct the named argument and call again."


class UnknownToolError(CallerError):
    """No tool has this name."""

    code = ErrorCode.UNKNOWN_TOOL
    hint = "Use a name from tools/list."


class RefusedByDesignError(CallerError):
    """The call names something that this product never does."""

    code = ErrorCode.REFUSED_BY_DESIGN
    hint = "This server has no such ability and no setting that adds it. Use the venue's own site."


class ScopeMissingError(CallerError):
    """The client's token lacks the scope that the tool needs; the message names it."""

    code = ErrorCode.SCOPE_MISSING
    hint = "The operator decides this when a token is made: exchange-mcp tokens add CLIENT --scope SCOPE."


class UnknownAccountError(CallerError):
    """No account has this name."""

    code = ErrorCode.UNKNOWN_ACCOUNT
    hint = "Call list_accounts for the names."


class UnknownSymbolError(CallerError):
    """The venue lists no market by this symbol."""

    code = ErrorCode.UNKNOWN_SYMBOL
    hint = "Use a unified symbol such as BTC/USDT (spot) or BTC/USDT:USDT (linear perpetual)."


class NotCoveredError(CallerError):
    """The account is not set up for what was asked."""

    code = ErrorCode.NOT_COVERED
    hint = "The operator decides this in serve.toml."


class OrderRefusedError(CallerError):
    """What was asked is no valid order on this market; the message names the rule and the valid values.

    Raises:
        ValueError: the code is not one of ORDER_CODES.
    """

    hint = (
        "Correct the order as the message says, or preview another one. Nothing was rounded and nothing sent."
    )

    def __init__(self, code: ErrorCode, message: str, *, hint: str | None = None) -> None:
        if code not in ORDER_CODES:
            raise ValueError(f"{code} does not speak of an order")
        super().__init__(message, hint=hint)
        self.code = code


class ProposalRefusedError(CallerError):
    """The desk does not take what was proposed, or what was asked about it.

    Attributes:
        intent_id: of the intent that is in its way or that it is about, where there is one and the asker may know it.

    Raises:
        ValueError: the code is not one of PROPOSAL_CODES.
    """

    hint = "Nothing was sent. get_intent says how the intent that is named stands."

    def __init__(
        self, code: ErrorCode, message: str, *, hint: str | None = None, intent_id: str | None = None
    ) -> None:
        if code not in PROPOSAL_CODES:
            raise ValueError(f"{code} does not speak of a proposal")
        super().__init__(message, hint=hint)
        self.code, self.retry, self.intent_id = code, PROPOSAL_CODES[code], intent_id


class ServerError(ExchangeMcpError):
    """This server could not serve the call; for a read, asking again is safe."""

    outcome = "not_sent"
    retry = "safe"


class BusyError(ServerError):
    """Too many calls are under way."""

    code = ErrorCode.BUSY
    hint = "Wait for a running call to end, then call again."


class DeadlineError(ServerError):
    """The call's time was up before an answer came."""

    code = ErrorCode.DEADLINE_EXCEEDED
    outcome = "unknown"
    hint = "Call again, or name one account to ask less at once."


class StoppingError(ServerError):
    """The server is shutting down."""

    code = ErrorCode.STOPPING
    hint = "Call again once the server is back."


class WritesClosedError(ServerError):
    """The desk takes no write of this account for now: it is taking up its past, or cannot vouch for itself."""

    code = ErrorCode.WRITES_CLOSED
    hint = "Call again in a minute; if it stays, the operator sees why in the desk's log."


class EgressBlockedError(ServerError):
    """A request was stopped before its first byte: what it was for does not allow it. Names no query and no key."""

    code = ErrorCode.EGRESS_BLOCKED
    retry = "never"
    hint = "No setting allows this; the server's log names the request. Please report it."


class EgressRefusedError(ServerError):
    """Nothing may leave at this venue with the library that is installed, until the operator does something."""

    code = ErrorCode.EGRESS_REFUSED
    retry = "never"
    hint = "The operator sees why with exchange-mcp egress explain VENUE."


class JournalError(ServerError):
    """The desk's journal did not take a record, and without its record nothing is done.

    Nothing was sent because of the call that raised it. A send that came before it stays what it was: whoever
    fails to record an outcome has an unknown one.
    """

    code = ErrorCode.JOURNAL_REFUSED
    retry = "never"
    hint = "The operator sees why in the desk's log; reading goes on."


class DeskError(ServerError):
    """There is a desk, and it cannot be asked, or does not do this as things are; nothing was sent because of it.

    Raises:
        ValueError: the code is not one of DESK_CODES.
    """

    hint = "The operator sees why with exchange-mcp status."

    def __init__(self, code: ErrorCode, message: str, *, hint: str | None = None) -> None:
        if code not in DESK_CODES:
            raise ValueError(f"{code} does not speak of the desk")
        super().__init__(message, hint=hint)
        self.code, self.retry = code, DESK_CODES[code]


class InternalError(ServerError):
    """A fault of ours. The text of the exception stays in the log."""

    code = ErrorCode.INTERNAL
    outcome = "unknown"
    retry = "never"
    hint = "The server's log has the details; please report it."


class VenueError(ExchangeMcpError):
    """The venue did not answer, or answered with a refusal."""

    outcome = "unknown"
    retry = "safe"


class VenueUnreachableError(VenueError):
    """No answer came: connection refused, reset or timed out."""

    code = ErrorCode.VENUE_UNREACHABLE
    hint = "Call again in a moment; check the network if it persists."


class VenueUnavailableError(VenueError):
    """The venue says that it cannot serve at the moment."""

    code = ErrorCode.VENUE_UNAVAILABLE
    hint = "Call again in a few minutes."


class RateLimitedError(VenueError):
    """The venue asks for fewer requests."""

    code = ErrorCode.RATE_LIMITED
    outcome = "rejected"
    hint = "Wait a minute before asking this venue again."


class BadAnswerError(VenueError):
    """The answer is not what the venue's documentation promises, so nothing is concluded from it."""

    code = ErrorCode.BAD_ANSWER
    hint = "Call again in a moment; a proxy or maintenance page is the usual cause."


class AuthenticationFailedError(VenueError):
    """The venue does not accept the key."""

    code = ErrorCode.AUTHENTICATION_FAILED
    outcome = "rejected"
    retry = "never"
    hint = "The operator must check the API key: right venue and environment, not expired, IP allowed."


class PermissionMissingError(VenueError):
    """The key may not do this."""

    code = ErrorCode.PERMISSION_MISSING
    outcome = "rejected"
    retry = "never"
    hint = "The operator must tick the missing read permission at the venue's key page."


class KeyRefusedError(VenueError):
    """The account is stopped: its key can do what it must not, or its venue refuses the key. Nothing was sent."""

    code = ErrorCode.KEY_REFUSED
    outcome = "not_sent"
    retry = "never"
    hint = "The operator must replace the key or change its permissions at the venue's key page."


class KeyUnconfirmedError(VenueError):
    """The account is stopped until its venue tells again what the key may do. Nothing was sent."""

    code = ErrorCode.KEY_UNCONFIRMED
    outcome = "not_sent"
    hint = "Reading goes on by itself once the venue answers again."


class ClockSkewError(VenueError):
    """The venue refuses the request's timestamp."""

    code = ErrorCode.CLOCK_SKEW
    outcome = "rejected"
    retry = "never"
    hint = "The operator must synchronise this machine's clock (NTP)."


class VenueRefusedError(VenueError):
    """The venue refused the request for a reason of its own."""

    code = ErrorCode.VENUE_REFUSED
    outcome = "rejected"
    retry = "never"
    hint = "Read the venue's reason in the message."


class NothingAnsweredError(ExchangeMcpError):
    """Every source of a question failed. Its code is the first failure's; retry is safe if any one's is."""

    def __init__(self, failures: Sequence[tuple[str, ExchangeMcpError]]) -> None:
        first = failures[0][1]
        reasons = dict.fromkeys(f"{source}: {error.message}" for source, error in failures)
        super().__init__("; ".join(reasons), hint=first.next_step)
        self.code, self.outcome = first.code, first.outcome
        self.retry = "safe" if any(error.retry == "safe" for _, error in failures) else first.retry
