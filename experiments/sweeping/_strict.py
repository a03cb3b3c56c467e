"""What everything is made of that a user writes of a sweep."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import BaseModel, ByteSize, ConfigDict, ValidationInfo, field_validator

from experiments._yaml import refuse_truth

_NUMBERS = {int, float, ByteSize}


class Strict(BaseModel):
    """Base of what a sweep is made of: immutable, unknown keys refused, and no ``true`` for a number."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth(cls, value: Any, info: ValidationInfo) -> Any:
        kind = cls.model_fields[info.field_name or ""].annotation
        return refuse_truth(value) if _NUMBERS & {kind, *get_args(kind)} else value
