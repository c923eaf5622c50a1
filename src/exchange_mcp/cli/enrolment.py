"""From questions to an account whose key was checked: nothing is written before the check says yes."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import anyio
import click

from exchange_mcp.cli.asking import Asker, Script, one_of, say
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.key_places import KINDS, KeyPlaces, usual_place
from exchange_mcp.cli.key_words import checked_text
from exchange_mcp.config.accounts import AccountConfig
from exchange_mcp.config.credentials import NOTHING_HELD
from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.rendezvous import load_rendezvous
from exchange_mcp.config.schema import ACCOUNT_NAME, KeyTable, SecretReference
from exchange_mcp.config.serve_file import NewAccount, ServeFile
from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.model.scopes import Ability, Role
from exchange_mcp.rules.key_pages import KEY_PAGES, boxes_at
from exchange_mcp.rules.key_verdicts import judge
from exchange_mcp.rules.venues import VENUES, VenueRules, check_account, venue_rules
from exchange_mcp.server.assembly import keyed_account
from exchange_mcp.server.key_checks import Answer, Checked, check_key

_SHORTEST_REASON: Final = 8
_LONGEST_REASON: Final = 200


@dataclass(frozen=True, slots=True)
class Told:
    """What the command line says beforehand; None is asked for. `wants_key` is False for market data only."""

    venue: str | None
    environment: str | None
    name: str | None
    market_types: str | None
    kind: str | None
    sim_key: str | None
    accept_unverified: str | None
    wants_key: bool | None
    reads_secrets: bool
    references: Mapping[str, SecretReference] = field(default_factory=dict[str, SecretReference])


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where everything is: the home, where secret files go, the simulated exchange, what was accepted of ccxt.

    `named_rendezvous` is written into the configuration, where the server would not look there by itself.
    """

    home: Path
    secrets: Path
    rendezvous: Path
    named_rendezvous: Path | None
    accepted: Collection[str]


@dataclass(frozen=True, slots=True)
class Enrolled:
    """An account that may be written: the new text of the file, and the secrets that go elsewhere first."""

    account: NewAccount
    text: str
    places: KeyPlaces | None


class Enrolment:
    """Asks for one account."""

    def __init__(
        self, asker: Asker, told: Told, file: ServeFile, around: Surroundings, redactor: Redactor
    ) -> None:
        self._asker = asker
        self._told = told
        self._file = file
        self._around = around
        self._redactor = redactor

    def run(self) -> Enrolled:
        """The account, once nothing speaks against it.

        Raises:
            ConfigError: the file would not be one with it.
            SecretError: under a script, a secret or the simulated exchange is missing.
            ClickException: the key is refused, and that is the end.
        """
        rules = self._venue()
        environment = self._environment(rules)
        has_key = self._has_key(rules, environment)
        name = self._name(rules.id)
        account = NewAccount(name, rules.id, environment, self._market_types(rules, environment, has_key))
        if environment is Environment.SIM:
            account = replace(account, rendezvous=self._around.named_rendezvous)
        if not has_key:
            return self._enrolled(account, None)[0]
        if environment is Environment.SIM:
            return self._until_accepted(account, None)
        if not isinstance(self._asker, Script):
            _say_boxes(rules)
        return self._until_accepted(account, self._places(account, rules))

    def _venue(self) -> VenueRules:
        def judge_venue(answer: str) -> str | None:
            rules = venue_rules(answer)
            types = rules.default_market_types if rules else (MarketType.SPOT,)
            return check_account(answer, Environment.LIVE, types, has_key=False)

        question = f"Venue ({', '.join(VENUES)}, or another for market data)"
        answer = self._asker.ask("--venue", question, default=None, given=self._told.venue, judge=judge_venue)
        rules = venue_rules(answer)
        assert rules is not None  # noqa: S101 - judged above
        return rules

    def _environment(self, rules: VenueRules) -> Environment:
        offered = [environment.value for environment in Environment if _market_types_in(rules, environment)]
        if len(offered) == 1 and self._told.environment is None:
            return Environment(offered[0])
        question = f"Environment, where live is real money ({', '.join(offered)})"
        return Environment(
            self._asker.ask(
                "--environment",
                question,
                default=Environment.LIVE.value,
                given=self._told.environment,
                judge=one_of(offered),
            )
        )

    def _has_key(self, rules: VenueRules, environment: Environment) -> bool:
        types = _market_types_in(rules, environment)
        refusal = check_account(rules.id, environment, types, has_key=True)
        if self._told.wants_key is not None:
            if self._told.wants_key and refusal is not None:
                raise click.UsageError(refusal)
            return self._told.wants_key
        if refusal is not None:
            say(f"{rules.title} is read without a key: {refusal}.")
            return False
        answer = self._asker.ask(
            "--no-key",
            "Read your account with a key, or market data only (key, none)",
            default="key",
            given=None,
            judge=one_of(["key", "none"]),
        )
        return answer == "key"

    def _name(self, venue: str) -> str:
        taken = self._file.names
        candidates = ("main", venue, *(f"{venue}-{number}" for number in range(2, len(taken) + 3)))
        free = next(name for name in candidates if name not in taken)

        def judge_name(answer: str) -> str | None:
            if answer in taken:
                return f'there is an account "{answer}" in {self._file.path} already'
            if not ACCOUNT_NAME.fullmatch(answer):
                return "a name has 1 to 32 of a-z, 0-9, _ and -, a letter or digit first"
            return None

        return self._asker.ask(
            "--name", "Name of the account", default=free, given=self._told.name, judge=judge_name
        )

    def _market_types(
        self,
        rules: VenueRules,
        environment: Environment,
        has_key: bool,  # noqa: FBT001 - three facts
    ) -> tuple[MarketType, ...]:
        offered = _market_types_in(rules, environment)
        usual = [t for t in offered if t in rules.default_market_types] or list(offered)

        def judge_types(answer: str) -> str | None:
            words = _words(answer)
            if not words or not set(words) <= {t.value for t in MarketType}:
                return f"name some of {', '.join(offered)}, with commas between"
            return check_account(rules.id, environment, [MarketType(w) for w in words], has_key=has_key)

        if len(offered) == 1 and self._told.market_types is None:
            return offered
        answer = self._asker.ask(
            "--market-types",
            f"Market types ({', '.join(offered)})",
            default=",".join(usual),
            given=self._told.market_types,
            judge=judge_types,
        )
        return tuple(t for t in MarketType if t in _words(answer))

    def _places(self, account: NewAccount, rules: VenueRules) -> KeyPlaces:
        parts = ["api_key", "secret", *(["passphrase"] if rules.needs_passphrase else [])]
        kind = "file"
        if not set(parts) <= self._told.references.keys():
            kind = self._asker.ask(
                "--secret-in",
                "Where the key is kept: a file that only you can read, an environment variable, or the system's keyring"
                f" ({', '.join(KINDS)})",
                default="file",
                given=self._told.kind,
                judge=one_of(KINDS),
            )
        usual = {
            part: usual_place(
                kind, part, account=account.name, venue=account.venue, directory=self._around.secrets
            )
            for part in parts
        }
        return KeyPlaces(KeyTable(**{part: self._told.references.get(part, usual[part]) for part in parts}))

    def _until_accepted(self, account: NewAccount, places: KeyPlaces | None) -> Enrolled:
        afresh = self._told.reads_secrets
        account = replace(account, key=places and places.key, accept_unverified=self._told.accept_unverified)
        label = self._told.sim_key
        while True:
            try:
                if places is None:
                    account = replace(account, sim_key=self._sim_key(label))
                else:
                    places.fill(self._asker, afresh=afresh)
                checked, enrolled = self._checked(account, places)
            except SecretError as error:
                if isinstance(self._asker, Script):
                    raise
                say(f"  {error}")
            else:
                if checked.is_in_order:
                    return enrolled
                accepted = self._accepted_by_name(enrolled, checked)
                if accepted is not None:
                    return accepted
                say(f"The account was not written: {_why_not(checked)}")
            if not self._asker.agrees("Try again, with this key once it is changed, or with another?"):
                raise click.ClickException("nothing was written")
            afresh, label = True, None

    def _sim_key(self, label: str | None) -> str:
        labels = list(load_rendezvous(self._around.rendezvous).keys)
        question = f"Which key of the simulated exchange ({', '.join(labels)})"
        default = labels[0] if labels else None
        return self._asker.ask("--sim-key", question, default=default, given=label, judge=one_of(labels))

    def _checked(self, account: NewAccount, places: KeyPlaces | None) -> tuple[Checked, Enrolled]:
        enrolled, config = self._enrolled(account, places)
        held = NOTHING_HELD if places is None else places.held
        keyed = keyed_account(config, environ=os.environ, redactor=self._redactor, held=held)
        say(f"\nAsking {account.venue} what the key may do ...")

        async def ask() -> Checked:
            return await check_key(
                keyed, role=Role.SERVE, clock=SystemClock(), accepted=self._around.accepted
            )

        checked = anyio.run(ask)
        say(checked_text(checked))
        return checked, enrolled

    def _enrolled(self, account: NewAccount, places: KeyPlaces | None) -> tuple[Enrolled, AccountConfig]:
        text, config = self._file.added(account, self._around.home)
        return Enrolled(account, text, places), config

    def _accepted_by_name(self, enrolled: Enrolled, checked: Checked) -> Enrolled | None:
        """The account with the operator's reason, where only what the venue does not tell speaks against it."""
        if isinstance(self._asker, Script) or checked.answer is not Answer.TOLD or checked.scope is None:
            return None
        account = enrolled.account
        would_do = judge(
            checked.scope,
            role=Role.SERVE,
            environment=account.environment,
            now_ms=SystemClock().now_ms(),
            accepted_unknown="asked for below",
        )
        if not would_do.accepted or account.environment is not Environment.LIVE:
            return None

        def judge_reason(answer: str) -> str | None:
            fits = not answer or _SHORTEST_REASON <= len(answer) <= _LONGEST_REASON
            return None if fits else f"give {_SHORTEST_REASON} to {_LONGEST_REASON} characters, or nothing"

        reason = self._asker.ask(
            "--accept-unverified",
            "To use it all the same, write the reason, which is shown with the account; to refuse it, press Enter",
            default=None,
            given=None,
            judge=judge_reason,
        )
        return (
            self._enrolled(replace(account, accept_unverified=reason), enrolled.places)[0] if reason else None
        )


def _market_types_in(rules: VenueRules, environment: Environment) -> tuple[MarketType, ...]:
    return {
        Environment.LIVE: rules.market_types,
        Environment.SANDBOX: rules.sandbox_market_types,
        Environment.SIM: rules.sim_market_types,
    }[environment]


def _words(answer: str) -> list[str]:
    return [word for word in answer.replace(",", " ").split() if word]


def _say_boxes(rules: VenueRules) -> None:
    boxes = boxes_at(rules.id, (Ability.READ,))
    if boxes is None:
        return
    ticked, unticked = boxes
    say(f"\nMake a key for this purpose alone, at {rules.title}: {KEY_PAGES[rules.id].way}.")
    for box in ticked:
        say(f"  [x] {box}")
    for box in unticked:
        say(f"  [ ] {box}")
    say("Bind it to the IP address of this machine, if that is fixed.\n")


def _why_not(checked: Checked) -> str:
    if checked.answer is Answer.SILENT:
        return "the venue did not say what the key may do; try again once it answers"
    return "the key is refused, for the reasons above"
