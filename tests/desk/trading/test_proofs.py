"""When a cancel or a change of leverage that shows no effect may be said to have had none."""

from dataclasses import replace

import pytest

from desk.proposals import buy, plan
from exchange_mcp.desk.trading.proofs import effect_terms
from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.writes import CancelOrder

LATEST = 1_000_000
CANCEL: WirePlan = plan(CancelOrder(symbol="BTC/USDT", order_id="42"))


def test_at_the_simulated_venue_it_is_soon_and_certain() -> None:
    terms = effect_terms(CANCEL, LATEST)
    # 2 s for clocks that differ, no lag where one store answers, 2 s between looks.
    assert (terms.first_look_ms, terms.spacing_ms, terms.refuses_late) == (LATEST + 2_000, 2_000, True)


def test_on_a_live_venue_a_person_decides_until_a_test_card_has_shown_it() -> None:
    live = replace(CANCEL, environment=Environment.LIVE)
    assert not effect_terms(live, LATEST).refuses_late
    shown = effect_terms(live, LATEST, has_card=True)
    assert shown.refuses_late
    assert shown.first_look_ms > LATEST + 2_000
    assert shown.spacing_ms == 30_000


def test_a_request_without_a_window_can_come_at_any_time() -> None:
    assert not effect_terms(replace(CANCEL, window_ms=0), LATEST).refuses_late


def test_an_order_is_proved_absent_in_another_way() -> None:
    with pytest.raises(ValueError, match="absence"):
        effect_terms(plan(buy(1)), LATEST)
