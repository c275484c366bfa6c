"""Fields and serializers as the Python text that would create them."""

import re
from typing import Any

from django.db import models
from django.utils.encoding import force_str
from django.utils.functional import Promise

from lintel.utils.field_mapping import is_default_label

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]{4,16}(?=>)")


def manager_repr(value: models.Manager) -> str:
    """Return a manager by its name on the model: ``User.objects.all()``."""
    model = value.model
    managers = [(manager.name, manager) for manager in model._meta.managers]
    names = [name for name, manager in managers if manager == value]
    name = names[0] if names else "_default_manager"
    return f"{model._meta.object_name}.{name}.all()"


def smart_repr(value: object) -> str:
    """Return the repr of an argument, equal in every process: no addresses, no lazy wrappers."""
    if isinstance(value, models.Manager):
        return manager_repr(value)
    if isinstance(value, Promise):
        value = force_str(value, strings_only=True)
    return _ADDRESS.sub("", repr(value))


def field_repr(field: Any, force_many: object = False) -> str:
    """Return ``CharField(max_length=5)``; ``force_many`` is the child of a list."""
    kwargs = dict(field._kwargs)
    named = field
    if force_many:
        named = force_many
        kwargs["many"] = True
        kwargs.pop("child", None)
    if is_default_label(kwargs.get("label")):
        del kwargs["label"]
    arguments = [smart_repr(value) for value in field._args]
    arguments += [f"{key}={smart_repr(value)}" for key, value in sorted(kwargs.items())]
    return f"{type(named).__name__}({', '.join(arguments)})"


def serializer_repr(serializer: Any, indent: int, force_many: Any = None) -> str:
    """Return a serializer with one line per field, indented by ``indent`` steps of four spaces."""
    margin = "    " * indent
    fields = force_many.fields if force_many else serializer.fields
    lines = [f"{field_repr(serializer, force_many)}:"]
    lines += [f"{margin}{name} = {_member_repr(fields[name], indent + 1)}" for name in fields]
    # What every serializer of the model has need not be declared.
    shown = [item for item in serializer.validators if not hasattr(item, "comes_with_model")]
    if shown:
        validators = ", ".join(smart_repr(validator) for validator in shown)
        lines += [f"{margin}class Meta:", f"{margin}    validators = [{validators}]"]
    return "\n".join(lines)


def _member_repr(field: object, indent: int) -> str:
    if hasattr(field, "fields"):
        return serializer_repr(field, indent)
    if hasattr(field, "child"):
        return list_repr(field, indent)
    if hasattr(field, "child_relation"):
        return field_repr(field.child_relation, force_many=field.child_relation)
    return field_repr(field)


def list_repr(serializer: Any, indent: int) -> str:
    child = serializer.child
    if hasattr(child, "fields"):
        return serializer_repr(serializer, indent, force_many=child)
    return field_repr(serializer)
