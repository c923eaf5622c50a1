"""Pages from templates: everything that is printed is escaped, and nothing in it stays hidden or reorders the rest."""

from importlib.resources import files
from typing import Any, Final

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from exchange_mcp.desk.operator.page import age
from exchange_mcp.model.instants import iso
from exchange_mcp.model.venue_text import visible

_LONGEST: Final = 20_000
_FOLDER: Final = "exchange_mcp.desk.console"
ASSETS: Final = {
    "console.css": "text/css; charset=utf-8",
    "console.js": "text/javascript; charset=utf-8",
    "passkey.js": "text/javascript; charset=utf-8",
    "enter.js": "text/javascript; charset=utf-8",
    "enrol.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""Every file that is served as it is, and its type."""


def asset(name: str) -> bytes:
    """The bytes of one of `ASSETS`."""
    return (files(_FOLDER) / "assets" / name).read_bytes()


class Pages:
    """The templates, read once."""

    def __init__(self) -> None:
        folder = files(_FOLDER) / "templates"
        texts = {
            each.name: each.read_text("utf-8") for each in folder.iterdir() if each.name.endswith(".html")
        }
        self._environment = Environment(
            loader=DictLoader(texts),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_printed,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        filters: dict[str, Any] = self._environment.filters
        filters |= {"when": _when, "age": age, "words": _words}

    def render(self, name: str, **given: Any) -> str:  # noqa: ANN401 - whatever the template names
        """The page of this template."""
        return self._environment.get_template(name).render(**given)


def _printed(value: object) -> object:
    """What an expression prints: the template's own markup as it is, every other text with nothing hidden in it."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return "\n".join(visible(line, _LONGEST) for line in value.split("\n"))


def _when(ms: int) -> str:
    return iso(ms).replace("T", " ")[:19] + " UTC"


def _words(state: str) -> str:
    return state.replace("_", " ")
