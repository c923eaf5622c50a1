"""One policy has one digest, whatever its file looks like; two that decide differently have two."""

import pytest

from exchange_mcp.policy.document import judge_policy_text
from exchange_mcp.policy.policy import Policy
from exchange_mcp.rules.venues import check_account

TEXT = """\
[policy]
reference = "USDT"
accounts = ["a", "b"]
symbols = ["BTC/USDT", "ETH/USDT"]
order_types = ["limit", "market"]
max_order_notional = 500
[policy.account.a]
max_open_orders = 3
[[policy.forbid]]
reason = "one"
sides = ["buy"]
accounts = ["a"]
[[policy.forbid]]
reason = "two"
sides = ["sell"]
accounts = ["b"]
"""
TURNED = """\
[[policy.forbid]]
accounts = ["b"]
reason = "two"
sides = ["sell"]

[[policy.forbid]] # a comment
reason = 'one'
accounts = ["a"]
sides = ["buy"]

[policy.account]
a = { max_open_orders = 0x3 }

[policy]
max_order_notional = "500.00"
order_types = ["market", "limit"]
symbols = ["ETH/USDT", "BTC/USDT"]
accounts = ["b", "a"]
reference = "USDT"
max_price_age_seconds = 30
"""


def loaded(text: str) -> Policy:
    policy, _ = judge_policy_text(text, "p", check=check_account, environ={"HOME": "/home/operator"})
    return policy


def test_the_same_policy_written_otherwise_has_the_same_digest() -> None:
    assert loaded(TEXT).canonical() == loaded(TURNED).canonical()
    assert loaded(TEXT).digest() == loaded(TURNED).digest()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("= 500", "= 500.01"),
        ("max_open_orders = 3", "max_open_orders = 4"),
        ('sides = ["buy"]', 'sides = ["sell"]'),
        ('symbols = ["BTC/USDT", "ETH/USDT"]', 'symbols = ["BTC/USDT"]'),
        ('symbols = ["BTC/USDT", "ETH/USDT"]', "symbols = []"),
        ('symbols = ["BTC/USDT", "ETH/USDT"]\n', ""),
        ('reference = "USDT"', 'reference = "USDC"'),
        ("[policy.account.a]", '[policy.symbol."BTC/USDT"]'),
        ('reason = "one"', 'reason = "another"'),
    ],
)
def test_any_change_of_a_policy_changes_its_digest(old: str, new: str) -> None:
    assert old in TEXT
    assert loaded(TEXT.replace(old, new)).digest() != loaded(TEXT).digest()
