"""Several instances of the same row."""

from __future__ import annotations

from typing import Any

from django.db import models

from lintel.orm.vocabulary import is_plain_model


def can_be_doubled(model: Any) -> bool:
    """Return whether two instances of a row differ only in identity."""
    return is_plain_model(model) and model.__getstate__ is models.Model.__getstate__


def double(instance: Any) -> Any:
    """Return another instance of the same row, as a second query would make it."""
    made = object.__new__(type(instance))
    made.__dict__.update(models.Model.__getstate__(instance))
    return made
