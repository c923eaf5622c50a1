"""What may be listened with: loopback, or TLS, or a proxy that is named."""

from typing import Any

import pytest

from exchange_mcp.config.listening import listening_faults, own_hosts
from exchange_mcp.config.schema import HttpTable

TLS = {"certificate": "/c.pem", "certificate_key": "/k.pem"}


def faults(**table: Any) -> list[str]:  # noqa: ANN401 - as TOML has them
    return [str(fault) for fault in listening_faults(HttpTable.model_validate(table))]


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "127.8.8.8"])
def test_loopback_needs_nothing(address: str) -> None:
    assert faults(address=address) == []


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0", "::", "192.168.1.5", "10.0.0.1", "::ffff:127.0.0.1", "fe80::1"],  # noqa: S104 - refused
)
def test_any_other_address_needs_tls_or_a_named_proxy(address: str) -> None:
    hosts = {"hosts": ["mcp.example.org"]}
    (fault,) = faults(address=address, **hosts)
    assert "certificate" in fault
    assert "trusted_proxies" in fault
    assert faults(address=address, **hosts, **TLS) == []
    assert faults(address=address, **hosts, trusted_proxies=["10.0.0.7"]) == []


def test_a_certificate_without_its_key_is_half_a_setting() -> None:
    assert "belong together" in faults(certificate="/c.pem")[0]
    assert "belong together" in faults(certificate_key="/k.pem")[0]


def test_every_address_at_once_goes_by_the_hosts_that_are_listed() -> None:
    (fault,) = faults(address="0.0.0.0", **TLS)  # noqa: S104 - refused
    assert "hosts" in fault


@pytest.mark.parametrize("proxy", ["0.0.0.0/0", "::/0", "anywhere", "10.0.0.1/8"])
def test_a_proxy_is_an_address_or_a_network_and_never_everybody(proxy: str) -> None:
    with pytest.raises(ValueError, match="IP addresses or networks"):
        HttpTable.model_validate({"trusted_proxies": [proxy]})


@pytest.mark.parametrize("host", ["Mcp.example.org", "http://a", "a/b", "a b", "*", "", "a,b", "a@b"])
def test_a_host_is_written_as_a_url_has_it(host: str) -> None:
    with pytest.raises(ValueError, match="hosts"):
        HttpTable.model_validate({"hosts": [host]})


@pytest.mark.parametrize(
    "origin", ["example.org", "null", "*", "http://a/", "http://A", "http://a b", "://a"]
)
def test_an_origin_is_written_as_a_browser_sends_it(origin: str) -> None:
    with pytest.raises(ValueError, match="origins"):
        HttpTable.model_validate({"origins": [origin]})


@pytest.mark.parametrize(
    ("table", "port", "hosts"),
    [
        ({}, 8765, {"127.0.0.1:8765", "localhost:8765"}),
        ({"address": "::1"}, 8765, {"[::1]:8765", "localhost:8765"}),
        ({}, 80, {"127.0.0.1:80", "localhost:80", "127.0.0.1", "localhost"}),
        ({"address": "192.168.1.5", **TLS}, 443, {"192.168.1.5:443", "192.168.1.5"}),
        ({"hosts": ["a.example"]}, 8765, {"127.0.0.1:8765", "localhost:8765", "a.example"}),
    ],
)
def test_the_hosts_that_are_ours_are_the_address_with_its_port(
    table: dict[str, object], port: int, hosts: set[str]
) -> None:
    assert own_hosts(HttpTable.model_validate(table, context={"home": None}), port) == hosts
