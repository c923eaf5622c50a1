"""Another ccxt than the one that was read: what it may still send, and what an operator has to accept first."""

from dataclasses import replace
from typing import Final

import pytest

from exchange_mcp.rules.endpoints import WRITES, Endpoint, EndpointClass
from exchange_mcp.venue.endpoints import accepted, decide, difference
from exchange_mcp.venue.snapshot import Snapshot, shipped

READ_BEFORE: Final = shipped("binance")
NEWER: Final = replace(READ_BEFORE, ccxt="4.5.999")
NEW: Final = Endpoint("GET", "sapi", "made/up")
READS: Final = tuple(cls for cls in EndpointClass if cls not in WRITES)


def reaching(cls: EndpointClass, *added: Endpoint) -> Snapshot:
    return replace(NEWER, reached={**READ_BEFORE.reached, cls: READ_BEFORE.reached[cls] | set(added)})


def without(cls: EndpointClass, removed: Endpoint) -> Snapshot:
    return replace(NEWER, reached={**READ_BEFORE.reached, cls: READ_BEFORE.reached[cls] - {removed}})


def unresolved(cls: EndpointClass) -> Snapshot:
    methods = {"fetch_ticker": "fetch_ticker makes its request itself, by fetch"}
    return replace(NEWER, unresolved={**READ_BEFORE.unresolved, cls: methods})


def at_a_new_host() -> Snapshot:
    return replace(NEWER, hosts={**READ_BEFORE.hosts, "private": frozenset({"api.example.com"})})


WIDER_READS: Final = {
    "a read reaches more": reaching(EndpointClass.READ, NEW),
    "the catalogue reaches more": reaching(EndpointClass.MARKETS, NEW),
    "a read is no longer told by the source": unresolved(EndpointClass.READ),
    "a section is asked at a new host": at_a_new_host(),
}


def test_a_version_that_reaches_the_same_may_read_and_not_write() -> None:
    pinned = decide(READ_BEFORE, READ_BEFORE)
    newer = decide(READ_BEFORE, NEWER)
    assert all(newer.allowed[cls] == pinned.allowed[cls] for cls in READS)
    assert not any(newer.allowed[cls] for cls in WRITES)
    assert set(newer.refused) == WRITES
    assert newer.change is not None
    assert newer.change.is_empty


def test_a_version_that_reaches_more_when_it_writes_may_still_read() -> None:
    newer = decide(READ_BEFORE, reaching(EndpointClass.ORDER, NEW))
    assert set(newer.refused) == WRITES
    assert newer.allowed[EndpointClass.READ]


@pytest.mark.parametrize("after", WIDER_READS.values(), ids=WIDER_READS)
def test_nothing_may_leave_where_reads_widened(after: Snapshot) -> None:
    newer = decide(READ_BEFORE, after)
    assert not any(newer.allowed.values())
    assert not newer.hosts
    assert set(newer.refused) == set(EndpointClass)
    assert newer.change is not None
    assert newer.change.digest in newer.refused[EndpointClass.READ]


@pytest.mark.parametrize("after", WIDER_READS.values(), ids=WIDER_READS)
def test_what_an_operator_accepted_may_leave_and_is_still_cut_by_the_reviewed_list(after: Snapshot) -> None:
    digest = difference(READ_BEFORE, after).digest
    newer = decide(READ_BEFORE, after, [digest])
    assert newer.allowed == decide(READ_BEFORE, READ_BEFORE).allowed
    assert not newer.refused
    assert NEW not in frozenset[Endpoint]().union(*newer.allowed.values())


def test_a_digest_accepts_one_difference_between_two_versions_at_one_venue() -> None:
    change = difference(READ_BEFORE, NEWER)
    others = [
        difference(READ_BEFORE, reaching(EndpointClass.READ, NEW)),
        difference(READ_BEFORE, replace(NEWER, ccxt="4.5.1000")),
        difference(replace(READ_BEFORE, ccxt="4.5.1"), NEWER),
        difference(READ_BEFORE, replace(NEWER, venue="binanceus")),
        difference(READ_BEFORE, at_a_new_host()),
        difference(READ_BEFORE, unresolved(EndpointClass.ORDER)),
    ]
    assert accepted(change, change.digest)
    assert not any(accepted(other, change.digest) for other in others)
    assert len({change.digest, *(other.digest for other in others)}) == 1 + len(others)


def test_a_reviewed_endpoint_that_a_version_no_longer_reaches_may_not_leave() -> None:
    gone = Endpoint("GET", "private", "openOrders")
    newer = decide(READ_BEFORE, without(EndpointClass.READ, gone))
    assert gone not in newer.allowed[EndpointClass.READ]
    assert newer.change is not None
    assert newer.change.removed[EndpointClass.READ] == {gone}
    assert not newer.change.widens_reads


def test_a_difference_is_printed_line_by_line() -> None:
    after = reaching(EndpointClass.READ, NEW)
    assert str(difference(READ_BEFORE, after)).splitlines() == [
        f"binance: ccxt {READ_BEFORE.ccxt} was read, 4.5.999 is installed",
        "+ read GET sapi made/up",
    ]


def test_a_snapshot_is_read_back_as_it_was_written() -> None:
    for snapshot in (READ_BEFORE, unresolved(EndpointClass.READ)):
        assert Snapshot.parse(str(snapshot)) == snapshot
