import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from exchange_mcp.config.credentials import Credentials, resolve_credentials
from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.serve import ServeConfig

Load = Callable[[str], ServeConfig]

API_KEY = "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zv"
SECRET = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP"
PEM = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIHKsHkZ8k7xvmQ2\n-----END PRIVATE KEY-----\n"
PASSED_ON = "an MCP client passes on only what its own configuration names"
ENVIRON = {"API_KEY": API_KEY, "API_SECRET": SECRET}


@pytest.fixture
def resolve(load: Load) -> Callable[..., Credentials | None]:
    """Resolves a Binance account with this key table, in this environment."""

    def resolve_key(
        key: str, environ: dict[str, str], redactor: Redactor | None = None
    ) -> Credentials | None:
        config = load(f'[accounts.main]\nvenue = "binance"\nenvironment = "live"\n{key}\n')
        return resolve_credentials(config.accounts[0], environ=environ, redactor=redactor or Redactor())

    return resolve_key


Resolve = Callable[..., Credentials | None]


def key_table(secret: str) -> str:
    return f'key = {{ api_key.env = "API_KEY", secret = {secret} }}'


def owner_only(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    path.chmod(0o600)
    return f'{{ file = "{path}" }}'


def test_an_account_without_a_key_has_no_credentials(resolve: Resolve) -> None:
    assert resolve("", {}) is None


def test_credentials_come_from_the_environment(resolve: Resolve) -> None:
    credentials = resolve(key_table('{ env = "API_SECRET" }'), ENVIRON)

    assert credentials is not None
    assert (credentials.api_key.reveal(), credentials.secret.reveal()) == (API_KEY, SECRET)
    assert credentials.passphrase is None


def test_a_passphrase_is_the_third_part_of_a_key(resolve: Resolve) -> None:
    credentials = resolve(
        'key = { api_key.env = "API_KEY", secret.env = "API_SECRET", passphrase.env = "PHRASE" }',
        {**ENVIRON, "PHRASE": "three words long"},
    )

    assert credentials is not None
    assert credentials.passphrase is not None
    assert credentials.passphrase.reveal() == "three words long"


def test_the_key_id_is_the_start_of_the_keys_hash(resolve: Resolve) -> None:
    credentials = resolve(key_table('{ env = "API_SECRET" }'), {**ENVIRON, "API_KEY": "abcdef"})

    # sha256("abcdef") = bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721
    assert credentials is not None
    assert credentials.key_id == "bef57ec7f53a"


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (f"{SECRET}".encode(), SECRET),
        (f"{SECRET}\n".encode(), SECRET),
        (f"{SECRET}\r\n".encode(), SECRET),
        (f"{SECRET}\n\n".encode(), f"{SECRET}\n"),
        (PEM.encode(), PEM[:-1]),
    ],
)
def test_a_secret_file_loses_one_line_break_at_its_end_and_no_more(
    resolve: Resolve, tmp_path: Path, content: bytes, value: str
) -> None:
    credentials = resolve(key_table(owner_only(tmp_path / "key", content)), ENVIRON)

    assert credentials is not None
    assert credentials.secret.reveal() == value


def test_a_pem_key_in_the_environment_keeps_its_line_breaks(resolve: Resolve) -> None:
    credentials = resolve(key_table('{ env = "API_SECRET" }'), {**ENVIRON, "API_SECRET": PEM})

    assert credentials is not None
    assert credentials.secret.reveal() == PEM


def test_whatever_is_resolved_is_known_to_the_redactor(resolve: Resolve) -> None:
    redactor = Redactor()
    resolve(
        'key = { api_key.env = "API_KEY", secret.env = "API_SECRET", passphrase.env = "PHRASE" }',
        {**ENVIRON, "PHRASE": "three words"},
        redactor,
    )

    assert redactor.scrub(f"<{API_KEY}|{SECRET}|three words>") == "<[redacted]|[redacted]|[redacted]>"


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        (
            {"API_KEY": API_KEY},
            f"secret: environment variable API_SECRET is not set; {PASSED_ON}",
        ),
        ({"API_KEY": API_KEY, "API_SECRET": ""}, "secret: environment variable API_SECRET is empty"),
        (
            {"API_KEY": API_KEY, "API_SECRET": "12345"},
            "secret: environment variable API_SECRET has fewer than 6 characters, too few for a secret",
        ),
        (
            {"API_KEY": f"{API_KEY} ", "API_SECRET": SECRET},
            "api_key: environment variable API_KEY holds no API key: it has spaces, line breaks or other signs in it",
        ),
    ],
)
def test_a_variable_that_holds_no_secret_is_named(
    resolve: Resolve, environ: dict[str, str], said: str
) -> None:
    with pytest.raises(SecretError) as caught:
        resolve(key_table('{ env = "API_SECRET" }'), environ)

    assert str(caught.value) == f"account main: key.{said}"


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        (b"\n", 0o600, "is empty"),
        (b"\xff\xfe" + SECRET.encode(), 0o600, "is not UTF-8 text"),
        (SECRET.encode(), 0o644, "is open to others (mode 0644); close it: chmod 600 {}"),
        (b"x" * 16_385, 0o600, "is larger than 16384 bytes, too large for what is read from it"),
    ],
)
def test_a_file_that_holds_no_secret_is_named(
    resolve: Resolve, tmp_path: Path, content: bytes, mode: int, said: str
) -> None:
    path = tmp_path / "key"
    table = key_table(owner_only(path, content))
    path.chmod(mode)

    with pytest.raises(SecretError) as caught:
        resolve(table, ENVIRON)

    assert str(caught.value) == f"account main: key.secret: file {path} {said.format(path)}"


def test_no_secret_is_in_an_error_or_in_the_frames_that_raised_it(resolve: Resolve, tmp_path: Path) -> None:
    unusable = [
        (key_table(owner_only(tmp_path / "latin", SECRET.encode() + b"\xff")), ENVIRON),
        (key_table('{ env = "API_SECRET" }'), {**ENVIRON, "API_KEY": f"{API_KEY}\n"}),
        (key_table('{ env = "OTHER" }'), ENVIRON),
    ]

    for table, environ in unusable:
        with pytest.raises(SecretError) as caught:
            resolve(table, environ)
        error: BaseException | None = caught.value
        while error is not None:
            shown = traceback.TracebackException.from_exception(error, capture_locals=True)
            ours = [
                {name: value for name, value in (frame.locals or {}).items() if name != "environ"}
                for frame in shown.stack
                if "exchange_mcp" in frame.filename
            ]
            assert ours
            for value in (API_KEY, SECRET):
                assert value not in f"{error} {error.args} {ours}"
            error = error.__context__
