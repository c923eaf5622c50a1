"""The HTTP status of every error that a socket answers; the error's own code says more."""

from collections.abc import Mapping
from typing import Final

from exchange_mcp.model.errors import CallerError, ErrorCode, ExchangeMcpError, VenueError

BY_CODE: Final[Mapping[ErrorCode, int]] = {
    ErrorCode.INVALID_ARGUMENT: 400,
    ErrorCode.DESK_VERSION: 400,
    ErrorCode.CREDENTIAL_REFUSED: 401,
    ErrorCode.NOT_ALLOWED_FOR_CLIENT: 403,
    ErrorCode.SIGNATURE_REFUSED: 403,
    ErrorCode.UNKNOWN_INTENT: 404,
    ErrorCode.UNKNOWN_ACCOUNT: 404,
    ErrorCode.UNKNOWN_SYMBOL: 404,
    ErrorCode.SIMILAR_ORDER: 409,
    ErrorCode.BLOCKED_BY_UNKNOWN: 409,
    ErrorCode.OUTCOME_UNKNOWN: 409,
    ErrorCode.DECLINED_BEFORE: 409,
    ErrorCode.PROPOSAL_ID_USED: 409,
    ErrorCode.INTENT_MOVED_ON: 409,
    ErrorCode.ACCOUNT_MISMATCH: 409,
    ErrorCode.HALTED: 409,
    ErrorCode.NO_APPROVER: 409,
    ErrorCode.CONFIGURATION_NOT_ACCEPTED: 409,
    ErrorCode.TOO_MANY_PENDING: 429,
    ErrorCode.BUSY: 503,
    ErrorCode.STOPPING: 503,
    ErrorCode.WRITES_CLOSED: 503,
    ErrorCode.DESK_UNREACHABLE: 503,
    ErrorCode.DEADLINE_EXCEEDED: 504,
    ErrorCode.JOURNAL_REFUSED: 500,
    ErrorCode.INTERNAL: 500,
}


def status_of(error: ExchangeMcpError) -> int:
    """What is wrong with the request is 4xx, with the venue 502, with the desk 5xx."""
    if error.code in BY_CODE:
        return BY_CODE[error.code]
    if isinstance(error, CallerError):
        return 422
    return 502 if isinstance(error, VenueError) else 500
