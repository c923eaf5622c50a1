"""The pages: what waits, what was, what the limits are, who can do what. Looking changes nothing."""

import tomllib
from typing import Any, Final

from starlette.responses import JSONResponse, Response, StreamingResponse

from exchange_mcp.desk.console.refusals import RefusedError
from exchange_mcp.desk.console.streams import stream
from exchange_mcp.desk.console.visits import Visit
from exchange_mcp.desk.intents import RESOLUTIONS, State
from exchange_mcp.desk.operator.messages import AccountStatus, IntentView
from exchange_mcp.link.messages import MOST_NOTE
from exchange_mcp.model.venue_text import visible

_SHOWN: Final = 50
_SEARCHED: Final = 500
_LONGEST_QUERY: Final = 80
STATES: Final = ("", "open", "live", *(state.value for state in State))


def pending(visit: Visit) -> Response:
    """What waits for a person."""
    office = visit.room.office
    waiting = office.intents(state="open", account=None, limit=_SHOWN).intents
    unknown = office.intents(state=State.UNKNOWN.value, account=None, limit=_SHOWN).intents
    latest = office.intents(state=None, account=None, limit=8).intents
    recent = [each for each in latest if each.state not in {State.PROPOSED.value, State.UNKNOWN.value}]
    return visit.page("pending.html", here="pending", waiting=waiting, unknown=unknown, recent=recent)


def intents(visit: Visit) -> Response:
    """All of them, or those that are looked for."""
    asked = visit.request.query_params
    state, account = asked.get("state", ""), asked.get("account", "")
    words = asked.get("q", "")[:_LONGEST_QUERY].strip()
    accounts = [each.name for each in visit.room.office.status().accounts]
    if state not in STATES or (account and account not in accounts):
        raise RefusedError(404, "NO_SUCH_PAGE", "There is no such state or account.")
    found = visit.room.office.intents(
        state=state or None, account=account or None, limit=_SEARCHED if words else 2 * _SHOWN
    ).intents
    rows = [each for each in found if _has(each, words.casefold())]
    return visit.page(
        "intents.html",
        here="intents",
        rows=rows,
        q=words,
        state=state,
        account=account,
        states=STATES,
        accounts=accounts,
    )


def intent(visit: Visit) -> Response:
    """One of them, with its evidence."""
    detail = visit.room.office.intent(visit.parameter("intent"))
    is_unknown = detail.intent.state == State.UNKNOWN.value
    return visit.page(
        "intent.html",
        here="intents",
        detail=detail,
        note=None if not detail.note else visible(detail.note, MOST_NOTE),
        is_pending=detail.intent.state == State.PROPOSED.value,
        is_unknown=is_unknown,
        outcomes=RESOLUTIONS.get(detail.intent.action, ()) if is_unknown else (),
    )


def decision(visit: Visit) -> Response:
    """The one page on which is decided, as it was when it was opened."""
    key = visit.parameter("decision")
    opened = visit.room.decisions.find(visit.session, key)
    return visit.page(
        "decision.html",
        here="pending",
        key=key,
        opened=opened,
        d=opened.decoded,
        decision=opened.decidable.decision,
        passed=visit.room.decisions.passed(opened),
    )


def decision_state(visit: Visit) -> Response:
    """Whether the page can still be approved, for the page itself."""
    opened = visit.room.decisions.find(visit.session, visit.parameter("decision"))
    return JSONResponse({"passed": visit.room.decisions.passed(opened)})


def limits(visit: Visit) -> Response:
    """The limits in force and what is used of them."""
    configuration = visit.room.office.configuration()
    text = configuration.accepted_text if configuration.accepted_text is not None else configuration.text
    policy = _policy(text)
    accounts = visit.room.office.status().accounts
    return visit.page(
        "limits.html",
        here="limits",
        scopes=[_scope(name, table, accounts) for name, table in _scopes(policy)],
        configuration=configuration,
    )


def accounts(visit: Visit) -> Response:
    """The accounts, and what each key can do."""
    return visit.page("accounts.html", here="accounts")


def people(visit: Visit) -> Response:
    """Who can approve, and who can propose."""
    office = visit.room.office
    return visit.page(
        "people.html",
        here="people",
        approvers=office.approvers().approvers,
        clients=office.clients().clients,
    )


def events(visit: Visit) -> Response:
    """The stream by which a page learns that something happened."""
    sessions, session = visit.room.sessions, visit.session
    body = stream(visit.room.office, session.streams, is_over=lambda: sessions.is_over(session))
    return StreamingResponse(body, media_type="text/event-stream")


def _has(view: IntentView, words: str) -> bool:
    fields = (
        view.id,
        view.account,
        view.symbol,
        view.summary,
        view.client,
        view.state,
        view.action,
        view.reason,
        view.client_order_id or "",
        view.order_id or "",
    )
    text = " ".join(fields).casefold()
    return all(word in text for word in words.split())


def _policy(text: str) -> dict[str, Any]:
    try:
        found = tomllib.loads(text).get("policy")
    except tomllib.TOMLDecodeError:
        return {}
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType] - TOML of any shape


def _scopes(policy: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    desk = {name: value for name, value in policy.items() if name not in {"account", "symbol", "forbid"}}
    scopes = [("The whole desk", desk)]
    for kind in ("account", "symbol"):
        scopes += [(f"{kind.capitalize()} {name}", table) for name, table in policy.get(kind, {}).items()]
    scopes += [(f"Forbidden, {number}", table) for number, table in enumerate(policy.get("forbid", ()), 1)]
    return scopes


def _scope(
    name: str, table: dict[str, Any], accounts: tuple[AccountStatus, ...]
) -> tuple[str, list[tuple[str, str, str]]]:
    """Its limits by name, each with its value and what is used of it, where that is counted by account."""
    own = [each for each in accounts if name in {"The whole desk", f"Account {each.name}"}]
    return name, [(limit, _told(value), _used(limit, own)) for limit, value in table.items()]


def _used(limit: str, accounts: list[AccountStatus]) -> str:
    if not accounts:
        return ""
    match limit:
        case "max_daily_notional":
            used = [
                f"{amount} {unit} ({each.name})"
                for each in accounts
                for unit, amount in each.notional_24h.items()
            ]
            return ", ".join(used) or "nothing in 24 hours"
        case "max_orders_per_minute":
            return f"{sum(each.orders_last_minute for each in accounts)} in the last minute"
        case _:
            return ""


def _told(value: object) -> str:
    match value:
        case list():
            return ", ".join(str(each) for each in value) or "none"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - TOML of any shape
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)
