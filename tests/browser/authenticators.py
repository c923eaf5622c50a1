"""Passkeys of a browser under test: the DevTools protocol's virtual authenticator.

https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page


def authenticator(page: "Page", **more: Any) -> "CDPSession":  # noqa: ANN401 - options of the protocol
    """A virtual authenticator that verifies its user, for every page of this context."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": False,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
        **more,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return session
