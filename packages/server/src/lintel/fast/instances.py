"""Several instances of one row."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db import models

from lintel.fast.vocabulary import is_plain_model

ModelT = TypeVar("ModelT", bound=models.Model)


def can_be_doubled(model: type[models.Model]) -> bool:
    """Return whether two instances of a row differ only in identity."""
    getstate: Any = model.__getstate__
    return is_plain_model(model) and getstate is models.Model.__getstate__


def double(instance: ModelT) -> ModelT:
    """Return another instance of the same row, as a second query would make it."""
    copy = object.__new__(type(instance))
    copy.__dict__.update(models.Model.__getstate__(instance))
    return copy
