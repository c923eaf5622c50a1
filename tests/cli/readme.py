"""What README shows."""

import re
from pathlib import Path
from typing import Final

README: Final = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks of README in this language, or in none, without the indentation of a list."""
    found = re.findall(r"^( *)```(\w*)\n(.*?)^\1```$", README, re.MULTILINE | re.DOTALL)
    return [
        re.sub(f"^{indentation}", "", text, flags=re.MULTILINE)
        for indentation, named, text in found
        if named == language
    ]
