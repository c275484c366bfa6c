"""Models that are created for one case and removed without a trace."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from django.apps import apps
from django.db import connection, models

from contract_replay import support

LABEL = "contract_project"

# Representations in the facts show these classes as members of `__main__`.
OwnEncoder = type("OwnEncoder", (json.JSONEncoder,), {"__module__": "__main__"})
OwnDecoder = type("OwnDecoder", (json.JSONDecoder,), {"__module__": "__main__"})
UnknownField = type("UnknownField", (models.Field,), {"__module__": "__main__"})
SubclassedCharField = type("SubclassedCharField", (models.CharField,), {"__module__": "__main__"})


def fixed() -> Any:
    """A callable default."""
    from contract_project.clock import fixed_datetime

    return fixed_datetime()


def names() -> dict[str, Any]:
    """Return names for model expressions, overriding those of the support module."""
    from django.contrib.contenttypes.fields import GenericForeignKey
    from django.contrib.contenttypes.models import ContentType
    from django.contrib.postgres import fields, search

    own = {
        "OwnEncoder": OwnEncoder,
        "OwnDecoder": OwnDecoder,
        "UnknownField": UnknownField,
        "SubclassedCharField": SubclassedCharField,
        "fixed": fixed,
        "postgres": SimpleNamespace(**{**vars(fields), **vars(search)}),
        "ContentType": ContentType,
        "GenericForeignKey": GenericForeignKey,
    }
    return {**support.namespace(), **own}


def evaluate(expression: str) -> Any:
    """Return the value of a model expression, creating intermediate models that it names."""
    scope = names()
    if "Through" in expression:
        scope["Through"] = through(scope)
    return eval(support.compiled(expression), scope)


def through(scope: dict[str, Any]) -> type[models.Model]:
    """An intermediate model between `Sample` and `Tag`."""
    keys = {
        "sample": models.ForeignKey(f"{LABEL}.Sample", on_delete=models.CASCADE),
        "tag": models.ForeignKey(scope["Tag"], on_delete=models.CASCADE),
    }
    return make("Through", keys)


def make(
    name: str,
    members: dict[str, Any],
    options: dict[str, Any] | None = None,
    base: type[models.Model] = models.Model,
) -> type[models.Model]:
    """A model class of the sample project."""
    meta = type("Meta", (), {"app_label": LABEL, **(options or {})})
    return type(name, (base,), {"__module__": "contract_project.models", "Meta": meta, **members})


def create_table(model: type[models.Model]) -> None:
    """Create an empty table for a model, because some representations show rows."""
    options = model._meta
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in options.local_concrete_fields)
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {quote(options.db_table)} ({columns})")


@contextmanager
def forgotten_afterwards() -> Iterator[None]:
    """Unregister the models made in the block, and their traces on related models."""
    registered = apps.all_models[LABEL]
    before = dict(registered)
    attributes = {model: set(vars(model)) for model in apps.get_models(include_auto_created=True)}
    waiting = dict(apps._pending_operations)
    try:
        yield
    finally:
        for name in set(registered) - set(before):
            del registered[name]
        for model, known in attributes.items():
            for name in set(vars(model)) - known:
                delattr(model, name)
        apps._pending_operations.clear()
        apps._pending_operations.update(waiting)
        apps.clear_cache()
