"""Every exchange class of the installed ccxt: what its reads reach, and whether it may be read from at all."""

from pathlib import Path
from typing import Final

import ccxt.async_support as ccxt
import pytest

from exchange_mcp.rules.endpoints import REVIEWED, WRITES, EndpointClass
from exchange_mcp.rules.endpoints.known_reads import KNOWN_READS
from exchange_mcp.venue.derivation import derive, implicit
from exchange_mcp.venue.endpoint_pages import page
from exchange_mcp.venue.endpoints import table
from exchange_mcp.venue.snapshot import shipped
from exchange_mcp.venue.sweep import Examined, exchange_class

PAGE: Final = Path(__file__).parents[2] / "docs" / "egress.md"

# By class, a request that its reads reach and that signs in, approves, or sends a transaction.
EXCLUDED: Final = {
    "aster": "POST fapiPrivate v3/approveBuilder",
    "bullish": "GET private v1/users/hmac/login",
    "coinbaseinternational": "POST public auth",
    "grvt": "POST privateEdge auth/wallet/login",
    "hyperliquid": "POST private exchange",
    "lighter": "POST public sendTx",
    "paradex": "POST private auth",
    "polymarket": "POST trade account/proxy",
}


def test_the_classes_whose_reads_write_or_sign_in_are_excluded_and_no_others(
    swept: dict[str, Examined],
) -> None:
    offences = {
        name: {str(offence.endpoint) for offence in each.offences}
        for name, each in swept.items()
        if each.offences
    }
    assert set(offences) == set(EXCLUDED)
    for name, request in EXCLUDED.items():
        assert request in offences[name]
        reason = swept[name].reason
        assert reason is not None
        assert reason.startswith(f"{name} is excluded: ")
        assert table(name).refused[EndpointClass.READ] == reason
        assert not any(table(name).allowed.values())


def test_every_class_is_swept_and_the_supported_ones_pass(swept: dict[str, Examined]) -> None:
    assert set(swept) == set(ccxt.exchanges)
    assert all(swept[venue].reason is None for venue in REVIEWED)


def test_a_class_without_a_reviewed_list_may_read_what_is_sent_without_a_key_and_write_nothing() -> None:
    rows = table("deribit")
    # docs.deribit.com: /private/buy and /private/sell place orders by GET.
    placed = {each for each in rows.derived_only[EndpointClass.ORDER] if each.path in {"buy", "sell"}}
    assert {each.verb for each in placed} == {"GET"}
    assert not placed & rows.allowed[EndpointClass.READ]
    # Without a key: docs.deribit.com, every method under /private/ needs one.
    reached = frozenset(derive(ccxt.deribit).reached[EndpointClass.READ])
    assert rows.allowed[EndpointClass.READ] == {each for each in reached if each.api == "public"}
    assert rows.needs_key.keys() == {each for each in reached if each.api == "private"}
    assert not any(rows.allowed[cls] for cls in WRITES)
    assert set(rows.refused) == WRITES
    assert rows.hosts == {"www.deribit.com"}


def test_an_exchange_that_ccxt_has_not_is_named() -> None:
    with pytest.raises(LookupError, match=f'ccxt {ccxt.__version__} has no exchange "nowhere"'):
        table("nowhere")


def test_every_known_read_exists_and_would_count_as_a_write_without_the_list(
    swept: dict[str, Examined],
) -> None:
    for name, endpoints in KNOWN_READS.items():
        assert endpoints <= frozenset(implicit(exchange_class(name)).values())
        reached = derive(exchange_class(name)).reached
        assert endpoints <= {*reached[EndpointClass.READ], *reached[EndpointClass.MARKETS]}
    assert sum(map(len, KNOWN_READS.values())) < sum(each.reads for each in swept.values()) // 5


def test_the_page_about_what_may_leave_is_the_one_that_would_be_generated(swept: dict[str, Examined]) -> None:
    assert PAGE.read_text(encoding="utf-8") == page([shipped(venue) for venue in REVIEWED], swept.values())


def test_the_figures_of_a_sweep(swept: dict[str, Examined]) -> None:
    tables = [table(venue) for venue in REVIEWED]
    named = [frozenset(implicit(exchange_class(name)).values()) for name in ccxt.exchanges]
    supported = [frozenset(implicit(exchange_class(venue)).values()) for venue in REVIEWED]
    allowed = sum(len(each) for rows in tables for each in rows.allowed.values())
    derived_only = sum(len(each) for rows in tables for each in rows.derived_only.values())
    print(  # noqa: T201 - these figures are what the test is asked to show
        f"\n{len(named)} exchange classes name {sum(map(len, named))} endpoints by implicit methods; "
        f"reads reach {sum(each.reads for each in swept.values())}; {len(EXCLUDED)} classes are excluded"
        f"\n{len(tables)} supported venues name {sum(map(len, supported))}; "
        f"{allowed} may leave, {derived_only} are only derived"
    )
    assert allowed == sum(map(len, REVIEWED.values()))
    assert allowed < derived_only < sum(map(len, supported)) // 5
