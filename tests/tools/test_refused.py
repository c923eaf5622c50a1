import pytest

from exchange_mcp.tools.refused import REFUSED, refused
from exchange_mcp.tools.registry import builtin


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("withdraw", "withdraw"),
        ("create_withdrawal", "withdraw"),
        ("sapiPostCapitalWithdrawApply", "withdraw"),
        ("send-crypto", "withdraw"),
        ("transfer", "transfer"),
        ("universalTransfer", "transfer"),
        ("get_deposit_address", "transfer"),
        ("convert_dust", "transfer"),
        ("create_api_key", "manage_api_keys"),
        ("deleteApiKey", "manage_api_keys"),
        ("set_ip_whitelist", "manage_api_keys"),
        ("create_sub_account", "manage_sub_accounts"),
        ("subaccount_list", "manage_sub_accounts"),
        ("raw_request", "raw_call"),
        ("call_endpoint", "raw_call"),
        ("fetch2", "raw_call"),
        ("implicit_api", "raw_call"),
        ("privateRequest", "raw_call"),
        ("call_method", "raw_call"),
        ("eval", "raw_call"),
    ],
)
def test_a_refused_ability_is_known_by_its_usual_names(name: str, family: str) -> None:
    found = refused(name)
    assert found is not None
    assert found.name == family


@pytest.mark.parametrize(
    "name",
    ["get_drawdown", "fetch_ticker", "signal_strength", "evaluate_risk", "call_option_greeks", "adjust_stop"],
)
def test_a_merely_unknown_name_is_not_called_refused(name: str) -> None:
    assert refused(name) is None


def test_no_tool_that_is_served_is_refused_by_name() -> None:
    assert [spec.name for spec in builtin() if refused(spec.name)] == []


def test_each_family_is_known_by_the_name_that_the_matrix_prints() -> None:
    assert [found.name for family in REFUSED if (found := refused(family.name))] == [f.name for f in REFUSED]
