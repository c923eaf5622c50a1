from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from exchange_mcp.config.faults import ConfigError
from exchange_mcp.config.serve import ServeConfig, load_serve
from exchange_mcp.rules.venues import check_account

HOME = "/home/operator"

settings.register_profile("without a deadline", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("without a deadline")


@pytest.fixture
def load(tmp_path: Path) -> Callable[[str], ServeConfig]:
    """Loads a serve.toml of this text, for a user whose home is /home/operator."""

    def load_text(text: str) -> ServeConfig:
        path = tmp_path / "serve.toml"
        path.write_text(text)
        return load_serve(path, check=check_account, environ={"HOME": HOME})

    return load_text


@pytest.fixture
def complain(load: Callable[[str], ServeConfig], tmp_path: Path) -> Callable[[str], list[str]]:
    """What is said of a serve.toml of this text, a line a fault, with the directory left out."""

    def complain_about(text: str) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load(text)
        return str(caught.value).replace(f"{tmp_path}/", "").split("\n")

    return complain_about
