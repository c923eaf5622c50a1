"""What a page of somebody else's can do to a console that is open in the same browser: nothing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from desk.console.proposals import spot
from desk.console.served import Served

from .authenticators import Authenticator
from .elsewhere import Elsewhere

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Every way in which a page can send a POST: with and without a preflight, and by submitting a form.
SEND = """async ([url, body]) => {
  const ways = [
    {mode: "no-cors", headers: {"Content-Type": "text/plain"}},
    {mode: "cors", headers: {"Content-Type": "application/json"}},
    {mode: "no-cors"},
  ];
  const answers = [];
  for (const way of ways) {
    try {
      const answer = await fetch(url, {method: "POST", credentials: "include", body, ...way});
      answers.push(answer.type === "opaque" ? "opaque" : String(answer.status));
    } catch (error) { answers.push("refused"); }
  }
  const form = document.createElement("form");
  Object.assign(form, {method: "post", action: url, enctype: "text/plain", target: "_blank"});
  const input = document.createElement("input");
  input.name = body.slice(0, -1) + ', "x": "';
  input.value = '"}';
  form.append(input);
  document.body.append(form);
  form.submit();
  return answers;
}"""

# With everything that the true page would have to ask for.
ASSERT = """async ([challenge, id]) => {
  const bytes = (text) => Uint8Array.from(
    atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const {rawId, response} = await navigator.credentials.get({publicKey: {
    challenge: bytes(challenge), rpId: "localhost", userVerification: "required",
    allowCredentials: [{type: "public-key", id: bytes(id)}]}});
  return {credential_id: text(rawId), authenticator_data: text(response.authenticatorData),
    client_data_json: text(response.clientDataJSON), signature: text(response.signature)};
}"""

POST = """async ([url, said]) => {
  const answer = await fetch(url, {method: "POST", body: JSON.stringify(said),
    headers: {"Content-Type": "application/json"}});
  return {status: answer.status, ...await answer.json()};
}"""


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    with Elsewhere() as made:
        yield made


def nonces(page: "Page") -> dict[str, str]:
    """Every form of the page, by where it goes: the most that an attacker could know."""
    forms = page.locator("form[data-act]").all()
    return {str(each.get_attribute("data-act")): str(each.get_attribute("data-nonce")) for each in forms}


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_page_of_another_program_can_send_whatever_it_wants_and_nothing_is_done(
    served: Served, page: "Page", elsewhere: Elsewhere, host: str
) -> None:
    intent = served.call(served.office.propose, spot())
    page.locator(f"#decline-{intent}").wait_for()
    forms = nonces(page)
    assert len(forms) >= 4
    before = len(served.office.events)
    attacker = page.context.new_page()
    attacker.goto(f"http://{host}:{elsewhere.port}/")
    for path, nonce in forms.items():
        answers = attacker.evaluate(SEND, [served.origin + path, f'{{"nonce": "{nonce}"}}'])
        # What was answered cannot even be read.
        assert set(answers) <= {"opaque", "refused"}
    assert len(served.office.events) == before
    assert served.office.status().halted is None
    assert served.office.status().pending == 1
    # And the same from the console's own page is done: the nonces were good.
    assert page.evaluate(POST, [f"{page.url}halt", {"nonce": forms[_path(page) + "halt"]}])["status"] == 200


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_page_of_another_program_reads_nothing_and_is_sent_no_cookie(
    page: "Page", elsewhere: Elsewhere, host: str
) -> None:
    attacker = page.context.new_page()
    attacker.goto(f"http://{host}:{elsewhere.port}/")
    for mode in ("cors", "no-cors"):
        read = """async ([url, mode]) => {
          try { return await (await fetch(url, {mode, credentials: "include"})).text() || "nothing"; }
          catch (error) { return "nothing"; }
        }"""
        for path in ("", "events", "intents"):
            assert attacker.evaluate(read, [page.url + path, mode]) == "nothing"
    assert elsewhere.cookies
    assert not any(elsewhere.cookies)
    assert page.context.cookies(page.url)


def test_a_name_that_is_pointed_at_this_machine_is_not_answered(served: Served, page: "Page") -> None:
    attacker = page.context.new_page()
    rebound = f"http://rebound.example:{served.port}"
    for path in ("/", "/enter", _path(page)):
        answer = attacker.goto(rebound + path)
        assert answer is not None
        assert (answer.status, "localhost" in answer.text()) == (421, True)
    answer = attacker.goto(f"http://127.0.0.1:{served.port}/")
    assert answer is not None
    assert answer.status == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_no_page_of_the_console_shows_inside_another(
    served: Served, page: "Page", elsewhere: Elsewhere, host: str
) -> None:
    attacker = page.context.new_page()
    attacker.goto(f"http://{host}:{elsewhere.port}/")
    frame = """(url) => new Promise((done) => {
      const frame = document.createElement("iframe");
      frame.onload = () => done();
      frame.src = url;
      document.body.append(frame);
    })"""
    for address in (served.origin + "/", served.origin + "/enter", page.url):
        attacker.evaluate(frame, address)
    framed = attacker.frames[1:]
    assert len(framed) == 3
    for each in framed:
        each.wait_for_url("chrome-error://chromewebdata/", wait_until="commit")


def test_a_signature_that_another_page_got_for_the_right_challenge_is_refused(
    served: Served, page: "Page", key: Authenticator, elsewhere: Elsewhere
) -> None:
    intent = served.call(served.office.propose, spot())
    page.locator(f"#open-{intent}").click()
    page.wait_for_url("**/decisions/*")
    form = page.locator("#approve")
    path, nonce = form.get_attribute("data-passkey"), form.get_attribute("data-nonce")
    asked: dict[str, Any] = page.evaluate(POST, [path, {"nonce": nonce}])
    challenge: str = page.evaluate(
        """async (statement) => {
          const hash = await crypto.subtle.digest("SHA-256",
            new TextEncoder().encode("exchange-mcp desk statement v1\\n" + statement));
          return btoa(String.fromCharCode(...new Uint8Array(hash)));
        }""",
        asked["statement"],
    )
    attacker = page.context.new_page()
    foreign = Authenticator(attacker)
    for each in key.credentials():
        foreign.take(each)
    attacker.goto(f"http://localhost:{elsewhere.port}/")
    signed = attacker.evaluate(ASSERT, [challenge, asked["options"]["allowCredentials"][0]["id"]])
    sign = _path(page).partition("decisions")[0] + "sign"
    answer = page.evaluate(POST, [sign, {"ceremony": asked["ceremony"], **signed}])
    assert (answer["status"], answer["code"]) == (409, "SIGNATURE_REFUSED")
    assert "origin" in answer["error"]
    assert not served.office.granted


def _path(page: "Page") -> str:
    return "/" + page.url.split("/", 3)[3]
