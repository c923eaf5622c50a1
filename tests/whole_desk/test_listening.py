"""What the desk says of its sockets is so by the time it says it, also over those that a killed one left behind."""

from .desk import WholeDesk
from .nursery import nursery


def test_whoever_reads_the_first_line_of_a_desk_can_knock_at_once(desk: WholeDesk) -> None:
    with nursery() as births:
        births.run(desk.environ, desk.log, "knocks_before_it_speaks")
        first = births.told
        births.kill()
        births.gone()
        births.run(desk.environ, desk.log, "knocks_before_it_speaks")
        assert births.told == first
        assert str(desk.places.proposal_socket) in first[0]
        assert not any("nobody listens" in line for line in first)
