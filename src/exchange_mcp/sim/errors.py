"""What the simulated venue refuses, in the venue's own codes, words and HTTP statuses.

VenueError
  the sender's fault, or the key's; always answered as {"code": ..., "msg": ...}

Sources: https://github.com/binance/binance-spot-api-docs/blob/master/errors.md and
https://developers.binance.com/docs/derivatives/usds-margined-futures/error-code
"""

from http import HTTPStatus


class VenueError(Exception):
    """One refusal: what the venue says (code and words), and under which HTTP status."""

    def __init__(self, code: int, msg: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(f"{code} {msg}")
        self.code = code
        self.msg = msg
        self.status = status


def unknown_failure() -> VenueError:
    """Say that the simulator itself failed."""
    return VenueError(
        -1000, "An unknown error occurred while processing the request.", HTTPStatus.INTERNAL_SERVER_ERROR
    )


def bad_symbol() -> VenueError:
    """Say that no such symbol is listed."""
    return VenueError(-1121, "Invalid symbol.")


def missing(name: str) -> VenueError:
    """Say that a mandatory parameter is not there."""
    return VenueError(-1102, f"Mandatory parameter '{name}' was not sent, was empty/null, or malformed.")


def empty(name: str) -> VenueError:
    """Say that a parameter was sent without a value."""
    return VenueError(-1105, f"Parameter '{name}' was empty.")


def illegal(name: str, legal: str) -> VenueError:
    """Say that a parameter does not match the pattern it has to match."""
    return VenueError(-1100, f"Illegal characters found in parameter '{name}'; legal range is '{legal}'.")


def invalid(name: str) -> VenueError:
    """Say that a parameter's value means nothing."""
    return VenueError(-1130, f"Data sent for parameter '{name}' is not valid.")


def unread(read: int, sent: int) -> VenueError:
    """Say that parameters were sent which the endpoint does not know."""
    return VenueError(
        -1104,
        f"Not all sent parameters were read; read '{read}' parameter(s) but was sent '{sent}'.",
    )


def duplicated() -> VenueError:
    """Say that one parameter was sent more than once."""
    return VenueError(-1101, "Duplicate values for a parameter detected.")


def bad_combination() -> VenueError:
    """Say that two optional parameters exclude one another."""
    return VenueError(-1128, "Combination of optional parameters invalid.")


def too_long_a_span(hours: int) -> VenueError:
    """Say that a list is not told for so long a time at once."""
    return VenueError(-1127, f"More than {hours} hours between startTime and endTime.")


def window_too_wide() -> VenueError:
    """Say that the receive window is above its maximum."""
    return VenueError(-1131, "recvWindow must be less than 60000")


def outside_window() -> VenueError:
    """Say that the request is older than its receive window."""
    return VenueError(-1021, "Timestamp for this request is outside of the recvWindow.")


def ahead_of_time() -> VenueError:
    """Say that the request was stamped more than a second ahead."""
    return VenueError(-1021, "Timestamp for this request was 1000ms ahead of the server's time.")


def bad_signature() -> VenueError:
    """Say that the signature does not fit key and parameters."""
    return VenueError(-1022, "Signature for this request is not valid.")


def bad_key_format() -> VenueError:
    """Say that the API key is not there or cannot be one."""
    return VenueError(-2014, "API-key format invalid.", HTTPStatus.UNAUTHORIZED)


def rejected_key() -> VenueError:
    """Say that the API key is not known, or may not do this."""
    return VenueError(-2015, "Invalid API-key, IP, or permissions for action.", HTTPStatus.UNAUTHORIZED)


def bad_depth_limit(limit: int) -> VenueError:
    """Say that a USD-M book is not served at this depth."""
    return VenueError(-4021, f"{limit} is not valid depth limit.")
