import copy
import json
import pickle
from dataclasses import asdict, dataclass

import pytest
from pydantic import BaseModel

from exchange_mcp.config.secret import Secret

VALUE = "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zv"


class Model(BaseModel):
    secret: Secret


@dataclass(frozen=True)
class Holder:
    secret: Secret


def test_a_secret_shows_its_value_only_when_it_is_revealed() -> None:
    secret = Secret(VALUE)

    shown = f"{secret!r} {secret} {secret:>40} {[secret]} {Holder(secret)} {asdict(Holder(secret))}"
    shown += "%s %r" % (secret, secret)  # noqa: UP031 - logging formats this way

    assert VALUE not in shown
    assert secret.reveal() == VALUE


def test_a_secret_is_neither_pickled_nor_written_as_json() -> None:
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(Secret(VALUE))
    with pytest.raises(TypeError, match="not JSON serializable"):
        json.dumps({"secret": Secret(VALUE)})


def test_a_model_takes_a_secret_in_and_does_not_give_it_out() -> None:
    model = Model.model_validate({"secret": VALUE})

    assert model.secret == Secret(VALUE)
    assert VALUE not in f"{model!r} {model.model_dump()} {model.model_dump_json()}"


def test_secrets_are_equal_by_value_and_to_nothing_else() -> None:
    assert Secret(VALUE) == Secret(VALUE)
    assert len({Secret(VALUE), Secret(VALUE), Secret("another")}) == 2
    assert Secret(VALUE) != VALUE
    assert Secret("a\ud800") == Secret("a\ud800")


def test_a_copy_of_a_secret_is_the_secret() -> None:
    secret = Secret(VALUE)

    assert copy.copy(secret) is secret
    assert copy.deepcopy([secret])[0] is secret
