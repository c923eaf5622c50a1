"""A text that is used and never shown.

What a `Secret` keeps out of sight is accidents: logs, tracebacks, dumps, serialisers. It does not hide the
value from code that means to read it.
"""

import hmac
from typing import Any, NoReturn, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

MASK = "[redacted]"
"""What stands where a secret stood."""


class Secret:
    """One secret text; `reveal()` is the only way to its value.

    `repr`, `str`, formatting and pydantic serialisation give the mask. Pickling and JSON raise TypeError.
    """

    __slots__ = ("__value",)

    def __init__(self, value: str) -> None:
        self.__value = value

    def reveal(self) -> str:
        """The value itself, for the one place that signs or sends it."""
        return self.__value

    def __len__(self) -> int:
        return len(self.__value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(_bytes(self.__value), _bytes(other.__value))

    def __hash__(self) -> int:
        return hash((Secret, self.__value))

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK

    def __format__(self, format_spec: str) -> str:
        return MASK

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a secret is not pickled")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(
            cls,
            core_schema.str_schema(strict=True, min_length=1),
            serialization=core_schema.plain_serializer_function_ser_schema(str),
        )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
