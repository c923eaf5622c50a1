"""From questions to an account whose key was checked: nothing is written before the check says yes."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol

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
from exchange_mcp.config.serve_file import NewAccount
from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.model.scopes import Ability, Role
from exchange_mcp.rules.key_pages import KEY_PAGES, boxes_at
from exchange_mcp.rules.key_verdicts import judge
from exchange_mcp.rules.venues import VENUES, VenueRules, check_account, venue_rules
from exchange_mcp.rules.writing import ROUTES
from exchange_mcp.server.assembly import keyed_account
from exchange_mcp.server.key_checks import Answer, Checked, check_key

_SHORTEST_REASON: Final = 8
_LONGEST_REASON: Final = 200
_ASKED_FOR: Final = "asked for below"
# Where an order can be written down as it has to leave.
_TRADED: Final = tuple(venue for venue in VENUES if venue in ROUTES)


@dataclass(frozen=True, slots=True)
class Told:
    """What the command line says beforehand; None is asked for. `wants_key` is False for market data only."""

    venue: str | None = None
    environment: str | None = None
    name: str | None = None
    market_types: str | None = None
    kind: str | None = None
    sim_key: str | None = None
    accept_unverified: str | None = None
    may_transfer: str | None = None
    wants_key: bool | None = None
    reads_secrets: bool = False
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


class AccountFile(Protocol):
    """The file that an account is added to: where it stands, and the names that are taken in it."""

    @property
    def path(self) -> Path:
        """Where it stands."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Of the accounts in it."""
        ...

    def added(self, account: NewAccount, home: Path) -> tuple[str, AccountConfig]:
        """The file's text with this account, and the account as it will be read.

        Raises:
            ConfigError: the file would not be one, with every fault.
        """
        ...


class Enrolment:
    """Asks for one account: one that `serve` reads, or one that the desk trades."""

    def __init__(  # noqa: PLR0913 - what is asked, of whom, for what
        self,
        asker: Asker,
        told: Told,
        file: AccountFile,
        around: Surroundings,
        redactor: Redactor,
        *,
        role: Role = Role.SERVE,
    ) -> None:
        self._asker = asker
        self._told = told
        self._file = file
        self._around = around
        self._redactor = redactor
        self._role = role

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
            self._say_boxes(rules)
        return self._until_accepted(account, self._places(account, rules))

    def _venue(self) -> VenueRules:
        def judge_venue(answer: str) -> str | None:
            rules = venue_rules(answer)
            if self._role is Role.DESK and rules is not None and rules.id not in _TRADED:
                return f"the desk trades at {', '.join(_TRADED)} only in this version"
            types = rules.default_market_types if rules else (MarketType.SPOT,)
            return check_account(answer, Environment.LIVE, types, has_key=False)

        reads = self._role is Role.SERVE
        question = (
            f"Venue ({', '.join(VENUES if reads else _TRADED)}{', or another for market data' * reads})"
        )
        default = None if reads else _TRADED[0]
        answer = self._asker.ask(
            "--venue", question, default=default, given=self._told.venue, judge=judge_venue
        )
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
                # Where orders are sent is said, not assumed.
                default=Environment.LIVE.value if self._role is Role.SERVE else None,
                given=self._told.environment,
                judge=one_of(offered),
            )
        )

    def _has_key(self, rules: VenueRules, environment: Environment) -> bool:
        types = _market_types_in(rules, environment)
        refusal = check_account(rules.id, environment, types, has_key=True)
        if self._role is Role.DESK:
            if refusal is not None:
                raise click.UsageError(refusal)
            return True
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
        # The desk's key of an account is another one than serve's, and the account has one name.
        trades = self._role is Role.DESK
        named = f"{account.name}.desk" if trades else account.name
        variable = f"desk_{account.name.replace('-', '_')}" if trades else account.venue
        usual = {
            part: usual_place(kind, part, account=named, variable=variable, directory=self._around.secrets)
            for part in parts
        }
        return KeyPlaces(KeyTable(**{part: self._told.references.get(part, usual[part]) for part in parts}))

    def _until_accepted(self, account: NewAccount, places: KeyPlaces | None) -> Enrolled:
        afresh = self._told.reads_secrets
        account = replace(
            account,
            key=places and places.key,
            accept_unverified=self._told.accept_unverified,
            may_transfer=self._told.may_transfer,
        )
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
                keyed,
                role=self._role,
                clock=SystemClock(),
                accepted=self._around.accepted,
                may_transfer=account.may_transfer is not None,
                asks_whose=self._role is Role.DESK,
            )

        checked = anyio.run(ask)
        say(checked_text(checked))
        return checked, enrolled

    def _enrolled(self, account: NewAccount, places: KeyPlaces | None) -> tuple[Enrolled, AccountConfig]:
        text, config = self._file.added(account, self._around.home)
        return Enrolled(account, text, places), config

    def _accepted_by_name(self, enrolled: Enrolled, checked: Checked) -> Enrolled | None:
        """The account with the operator's reasons, where only what can be accepted by name speaks against it."""
        if isinstance(self._asker, Script) or checked.answer is not Answer.TOLD:
            return None
        account = enrolled.account

        def does(*, unverified: str | None, transfer: bool) -> bool:
            return (
                checked.scope is not None
                and judge(
                    checked.scope,
                    role=self._role,
                    environment=account.environment,
                    now_ms=SystemClock().now_ms(),
                    accepted_unknown=unverified,
                    may_transfer=transfer,
                ).accepted
            )

        if not does(unverified=_ASKED_FOR, transfer=True):
            return None
        if not does(unverified=_ASKED_FOR, transfer=account.may_transfer is not None):
            reason = self._reason(
                "--may-transfer", "To use it although it moves money between your own wallets"
            )
            if not reason:
                return None
            account = replace(account, may_transfer=reason)
        if not does(unverified=account.accept_unverified, transfer=True):
            reason = self._reason("--accept-unverified", "To use it all the same")
            if not reason:
                return None
            account = replace(account, accept_unverified=reason)
        return self._enrolled(account, enrolled.places)[0]

    def _reason(self, option: str, purpose: str) -> str:
        def judge_reason(answer: str) -> str | None:
            fits = not answer or _SHORTEST_REASON <= len(answer) <= _LONGEST_REASON
            return None if fits else f"give {_SHORTEST_REASON} to {_LONGEST_REASON} characters, or nothing"

        return self._asker.ask(
            option,
            f"{purpose}, write the reason, which is shown with the account; to refuse it, press Enter",
            default=None,
            given=None,
            judge=judge_reason,
        )

    def _say_boxes(self, rules: VenueRules) -> None:
        keep = (Ability.READ,) if self._role is Role.SERVE else (Ability.READ, Ability.TRADE)
        boxes = boxes_at(rules.id, keep)
        if boxes is None:
            return
        ticked, unticked = boxes
        say(f"\nMake a key for this purpose alone, at {rules.title}: {KEY_PAGES[rules.id].way}.")
        for box in ticked:
            say(f"  [x] {box}")
        for box in unticked:
            say(f"  [ ] {box}")
        say("Bind it to the IP address of this machine, if that is fixed.\n")


def _market_types_in(rules: VenueRules, environment: Environment) -> tuple[MarketType, ...]:
    return {
        Environment.LIVE: rules.market_types,
        Environment.SANDBOX: rules.sandbox_market_types,
        Environment.SIM: rules.sim_market_types,
    }[environment]


def _words(answer: str) -> list[str]:
    return [word for word in answer.replace(",", " ").split() if word]


def _why_not(checked: Checked) -> str:
    if checked.answer is Answer.SILENT:
        return "the venue did not say what the key may do; try again once it answers"
    return "the key is refused, for the reasons above"
