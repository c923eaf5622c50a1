"""What the desk says of its sockets is so by the time it says it, also over those that a killed one left behind."""

from cli.launching import asked

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


def test_whoever_asks_while_a_desk_starts_is_told_so_and_not_that_there_is_none(
    desk: WholeDesk,
) -> None:
    def told() -> str:
        done = asked("status", environ=desk.environ)
        return done.stdout if done.exit_code == 0 else done.stderr

    process = desk.spawn()
    # Importing takes a moment in which no desk is there yet.
    while "is not running" in (said := told()):
        assert process.poll() is None
    heard = [said]
    while "takes proposals" not in (said := told()):
        assert process.poll() is None
        heard.append(said)
    assert "is starting: it opens its accounts" in "".join(heard)
    assert "is not running" not in "".join(heard)
