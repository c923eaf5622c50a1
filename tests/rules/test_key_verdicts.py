"""Which keys either role runs on, and what is said of the others."""

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.scopes import Ability, KeyScope, KeyVerdict, Permission, Role
from exchange_mcp.rules.key_pages import KEY_PAGES
from exchange_mcp.rules.key_verdicts import judge
from exchange_mcp.rules.venues import VENUES

GRANTED, DENIED, UNKNOWN = Permission.GRANTED, Permission.DENIED, Permission.UNKNOWN
LIVE, SANDBOX, SIM = Environment.LIVE, Environment.SANDBOX, Environment.SIM
Fact = Any
"""What a record or a call takes by name."""
NOW: Final = 1_800_000_000_000
DAY: Final = 86_400_000


def key(**known: Fact) -> KeyScope:
    reads: dict[str, Fact] = {"read": GRANTED, "trade": DENIED, "withdraw": DENIED, "transfer": DENIED}
    named: dict[str, Fact] = {"venue": "binance"}
    return KeyScope(**(named | reads | known))


def verdict(scope: KeyScope, role: Role, environment: Environment = LIVE, **more: Fact) -> KeyVerdict:
    return judge(scope, role=role, environment=environment, now_ms=NOW, **more)


# DESIGN, section 8, by hand: what the key is known to be able to do beside reading, and who runs on it.
@pytest.mark.parametrize("environment", Environment)
@pytest.mark.parametrize(
    ("abilities", "serve", "desk"),
    [
        ((), True, True),
        (("trade",), False, True),
        (("transfer",), False, False),
        (("trade", "transfer"), False, False),
        (("withdraw",), False, False),
        (("trade", "withdraw", "transfer"), False, False),
    ],
)
def test_what_a_key_is_known_to_be_able_to_do_decides_in_every_environment(
    environment: Environment, abilities: tuple[str, ...], *, serve: bool, desk: bool
) -> None:
    scope = key(**dict.fromkeys(abilities, GRANTED))
    for role, accepted in ((Role.SERVE, serve), (Role.DESK, desk)):
        answer = verdict(scope, role, environment)
        assert answer.accepted is accepted
        assert answer.verified
        assert bool(answer.reasons) is bool(answer.remedy) is not accepted


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("environment", Environment)
def test_a_key_that_withdraws_is_accepted_by_nothing(role: Role, environment: Environment) -> None:
    scope = key(withdraw=GRANTED, trade=UNKNOWN)
    answer = verdict(scope, role, environment, accepted_unknown="I know what I do", may_transfer=True)
    assert not answer.accepted
    assert any("withdraw" in reason for reason in answer.reasons)


def test_a_desk_runs_on_a_key_that_transfers_where_that_is_allowed_by_name_and_serve_never_does() -> None:
    scope = key(trade=GRANTED, transfer=GRANTED)
    assert not verdict(scope, Role.DESK).accepted
    assert verdict(scope, Role.DESK, may_transfer=True).accepted
    assert not verdict(scope, Role.SERVE, may_transfer=True).accepted
    # What is allowed need not be known.
    assert verdict(key(transfer=UNKNOWN), Role.DESK, may_transfer=True).accepted
    assert not verdict(key(transfer=UNKNOWN), Role.SERVE, may_transfer=True).accepted


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("ability", Ability)
def test_a_live_key_of_which_anything_is_unknown_is_refused_unless_it_is_accepted_by_name(
    role: Role, ability: Ability
) -> None:
    scope = key(**{ability.value: UNKNOWN})
    refused = verdict(scope, role)
    assert not refused.accepted
    assert not refused.verified
    assert ability.value in refused.reasons[0]
    assert "by name" in refused.remedy
    for blank in ("", "  \n"):
        assert not verdict(scope, role, accepted_unknown=blank).accepted
    accepted = verdict(scope, role, accepted_unknown="the venue has no such question\u202e")
    assert accepted.accepted
    assert not accepted.verified
    assert any("the venue has no such question" in warning for warning in accepted.warnings)
    assert "\u202e" not in "".join(accepted.warnings)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("environment", [SANDBOX, SIM])
def test_without_real_money_the_unknown_needs_nobodys_acceptance_and_is_said_to_be_unknown(
    role: Role, environment: Environment
) -> None:
    answer = verdict(KeyScope.unknown("binance", "no such endpoint"), role, environment)
    assert answer.accepted
    assert not answer.verified
    assert any("not real money, not verifiable" in warning for warning in answer.warnings)


@pytest.mark.parametrize("role", Role)
def test_a_key_that_cannot_read_is_refused_by_name(role: Role) -> None:
    answer = verdict(key(read=DENIED, trade=GRANTED), role)
    assert not answer.accepted
    assert any("cannot read" in reason for reason in answer.reasons)
    assert "Enable Reading" in answer.remedy


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize(
    ("expires", "accepted", "warned"),
    [
        (NOW - 1, False, False),
        (NOW, False, False),
        (NOW + 1, True, True),
        (NOW + 7 * DAY, True, True),
        (NOW + 7 * DAY + 1, True, False),
        (None, True, False),
    ],
)
def test_a_key_is_refused_when_it_has_ended_and_warned_about_seven_days_before(
    role: Role, expires: int | None, *, accepted: bool, warned: bool
) -> None:
    answer = verdict(key(expires=expires), role)
    assert answer.accepted is accepted
    assert any("expires" in warning for warning in answer.warnings) is warned
    assert any("expired at 20" in reason for reason in answer.reasons) is not accepted


@pytest.mark.parametrize(("restricted", "warned"), [(False, True), (True, False), (None, False)])
def test_a_key_that_works_from_anywhere_is_warned_about(*, restricted: bool | None, warned: bool) -> None:
    answer = verdict(key(ip_restricted=restricted), Role.SERVE)
    assert answer.accepted
    assert any("any IP address" in warning for warning in answer.warnings) is warned


def test_a_desk_is_told_that_a_key_cannot_trade() -> None:
    assert verdict(key(), Role.DESK).warnings == ("the key cannot trade: a desk can send nothing with it",)
    assert verdict(key(), Role.SERVE).warnings == ()


@pytest.mark.parametrize("venue", VENUES)
def test_a_remedy_names_the_venue_its_page_and_the_boxes(venue: str) -> None:
    page = KEY_PAGES[venue]
    scope = key(venue=venue, trade=GRANTED, withdraw=GRANTED, transfer=GRANTED)
    remedy = verdict(scope, Role.SERVE).remedy
    assert VENUES[venue].title in remedy
    assert page.way in remedy
    for ability in (Ability.TRADE, Ability.WITHDRAW, Ability.TRANSFER):
        assert all(box in remedy for box in page.boxes[ability])
    # A desk keeps the boxes that trade.
    kept = verdict(scope, Role.DESK).remedy.partition("untick ")[2].partition(".")[0]
    assert page.boxes[Ability.WITHDRAW][0] in kept
    assert f'"{page.boxes[Ability.TRADE][0]}"' not in kept


def test_where_transfers_come_with_trading_a_desk_is_told_to_allow_them() -> None:
    remedy = verdict(key(venue="okx", trade=GRANTED, transfer=GRANTED), Role.DESK).remedy
    assert "untick" not in remedy
    assert "allow it for this account" in remedy


def test_a_venue_that_nobody_knows_has_a_remedy_too() -> None:
    assert (
        verdict(key(venue="elsewhere", trade=GRANTED), Role.SERVE).remedy
        == "Make a key that can read and nothing else."
    )


permissions = st.sampled_from(Permission)


@given(
    read=permissions,
    trade=permissions,
    withdraw=permissions,
    transfer=permissions,
    role=st.sampled_from(Role),
    environment=st.sampled_from(Environment),
    accepted_unknown=st.none() | st.text(max_size=10),
    may_transfer=st.booleans(),
)
def test_nothing_makes_serve_run_on_a_key_that_trades_or_anybody_on_one_that_withdraws(
    *,
    read: Permission,
    trade: Permission,
    withdraw: Permission,
    transfer: Permission,
    role: Role,
    environment: Environment,
    accepted_unknown: str | None,
    may_transfer: bool,
) -> None:
    scope = key(read=read, trade=trade, withdraw=withdraw, transfer=transfer)
    answer = verdict(scope, role, environment, accepted_unknown=accepted_unknown, may_transfer=may_transfer)
    if answer.accepted:
        assert withdraw is not GRANTED
        assert read is not DENIED
        assert not (role is Role.SERVE and GRANTED in {trade, transfer})
        assert (
            UNKNOWN not in {read, trade, withdraw}
            or environment is not LIVE
            or (accepted_unknown or "").strip()
        )
