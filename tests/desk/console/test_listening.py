"""The console is there on both addresses that `localhost` may mean, and on no other."""

import socket

import pytest

from exchange_mcp.desk.console.listening import console_sockets

HAS_IPV6 = socket.has_dualstack_ipv6()


def test_both_loopback_addresses_are_bound_to_one_port_and_nothing_else_is() -> None:
    bound = console_sockets(0)
    try:
        addresses = [each.getsockname()[0] for each in bound]
        assert addresses in (["127.0.0.1", "::1"], ["127.0.0.1"])
        assert len({each.getsockname()[1] for each in bound}) == 1
    finally:
        for each in bound:
            each.close()


@pytest.mark.parametrize(
    ("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")], ids=["v4", "v6"]
)
def test_a_port_that_another_program_has_on_either_address_is_an_error(
    family: socket.AddressFamily, address: str
) -> None:
    with socket.socket(family) as other:
        try:
            other.bind((address, 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
        other.listen()
        port: int = other.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            console_sockets(port)
        # Nothing of ours is left on the other address.
        with socket.socket(socket.AF_INET if family is socket.AF_INET6 else socket.AF_INET6) as free:
            free.bind(("127.0.0.1" if family is socket.AF_INET6 else "::1", port))
