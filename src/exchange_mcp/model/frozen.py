"""The shape that every record of the model shares. Nothing else may live here."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """An immutable record that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
