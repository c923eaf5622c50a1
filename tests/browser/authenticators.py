"""Passkeys of a browser under test: the DevTools protocol's virtual authenticator.

https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/
"""

from typing import TYPE_CHECKING, Any

from desk.console.served import Served
from exchange_mcp.desk.operator.messages import PasskeyInvitation

if TYPE_CHECKING:
    from playwright.sync_api import Page


class Authenticator:
    """One that verifies its user, in the browser of this page, for as long as the page is open."""

    def __init__(self, page: "Page") -> None:
        self._session: Any = page.context.new_cdp_session(page)  # Playwright types what it sends loosely
        self._session.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": False,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        made = self._session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        self._id: str = made["authenticatorId"]

    def forget_user(self) -> None:
        """From now on nobody's finger is the right one."""
        said = {"authenticatorId": self._id, "isUserVerified": False}
        self._session.send("WebAuthn.setUserVerified", said)

    def credentials(self) -> list[dict[str, Any]]:
        """What it holds, private keys included."""
        answer = self._session.send("WebAuthn.getCredentials", {"authenticatorId": self._id})
        found: list[dict[str, Any]] = answer["credentials"]
        return found

    def take(self, credential: dict[str, Any]) -> None:
        """Hold a copy of another one's credential."""
        said = {"authenticatorId": self._id, "credential": credential}
        self._session.send("WebAuthn.addCredential", said)


def enrol(served: Served, page: "Page", name: str) -> str:
    """Make a passkey as a person does, and sign it in; answers the words that the page shows."""
    invited = served.call(served.console.invite, PasskeyInvitation(name=name))
    page.goto(invited.url)
    page.get_by_label("code that the terminal shows").fill(invited.code)
    page.get_by_role("button", name="Make the passkey").click()
    page.locator("#check").wait_for(state="visible")
    answer = served.call(served.console.answer, invited.id)
    assert answer.public is not None
    served.call(served.office.enrol, name, answer.public)
    shown = page.locator("#check").inner_text()
    assert shown == answer.check
    return shown
