"""Which approvers' keys count: a scripted one only where accepted and standing configuration both ask for it."""

from pathlib import Path

import pytest

from exchange_mcp.config.locations import locations
from exchange_mcp.desk.approvers import ED25519, SCRIPTED, verifiers
from exchange_mcp.desk.configuration import ConfigurationFile, TakenKinds
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.register import AcceptedConfiguration, Approver
from exchange_mcp.desk.settings import DeskSettings, digest_of, judge_settings
from exchange_mcp.rules.venues import check_account
from whole_desk.desk import TOML

SIMULATED = TOML.format(port=8767, key="trader", rendezvous="/nowhere/rendezvous.json")
PERSONAL = SIMULATED.replace("scripted_approver = true", "scripted_approver = false")
FAULTY = SIMULATED.replace("[policy]", "[unheard_of]\n[policy]")


@pytest.mark.parametrize(
    ("accepted", "standing", "is_taken"),
    [
        (SIMULATED, SIMULATED, True),
        (SIMULATED, PERSONAL, False),  # it does not sign the way to a desk that a person has to approve for
        (PERSONAL, SIMULATED, False),  # nor the way back from one
        (SIMULATED, FAULTY, False),
        (None, SIMULATED, True),
        (None, PERSONAL, False),
    ],
)
def test_a_scripted_key_counts_only_where_both_configurations_ask_for_it(
    tmp_path: Path, journal: Journal, accepted: str | None, standing: str, *, is_taken: bool
) -> None:
    path = locations({}, tmp_path).desk_file
    path.parent.mkdir(parents=True)
    path.write_text(standing, encoding="utf-8")
    if accepted is not None:
        configuration = AcceptedConfiguration(digest=digest_of(accepted), text=accepted)
        journal.enrol_first(
            Approver(name="script", kind=SCRIPTED, public="A" * 43), configuration=configuration
        )

    def judge(text: str) -> DeskSettings:
        return judge_settings(text, path, check=check_account, environ={"HOME": "/home/somebody"})

    kinds = TakenKinds(verifiers(is_all_simulated=True), journal, ConfigurationFile(path, judge))
    assert (SCRIPTED in kinds, set(kinds)) == (is_taken, {ED25519} | ({SCRIPTED} if is_taken else set()))
    assert kinds.get(ED25519) is not None
