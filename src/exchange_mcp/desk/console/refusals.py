"""How the console refuses a request: a status, a stable code, and a sentence that says what to do next."""

from dataclasses import dataclass


@dataclass(eq=False)
class RefusedError(Exception):
    """The request goes no further, and nothing was done because of it.

    Attributes:
        message: what is wrong and the next step; repeats nothing that the request said.
        retry_after: seconds after which the same may be tried again; None where that is of no use.
    """

    status: int
    code: str
    message: str
    retry_after: int | None = None


def no_session() -> RefusedError:
    """Nobody is signed in here."""
    return RefusedError(
        401, "NO_SESSION", "This session is over. Run exchange-mcp console in a terminal and open its link."
    )


def used_form() -> RefusedError:
    """A form that was sent before, or that belongs to another page."""
    return RefusedError(409, "FORM_USED", "This form was used already, or is too old. Reload the page.")


def changed() -> RefusedError:
    """What is on the page is not what stands in the journal any more."""
    return RefusedError(
        409, "CHANGED", "The order or its preview changed since this page was opened. Open it again."
    )
