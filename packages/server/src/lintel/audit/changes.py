"""What a request writes, noticed by the signals of Django's models."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from django.db.models import Model
from django.db.models.signals import m2m_changed, post_delete, post_save, pre_delete, pre_save

from lintel.annotations import AnyRequest, Instance
from lintel.audit.recording import entries, entry_of

CREATE, UPDATE, DELETE = "create", "update", "delete"


class Place(NamedTuple):
    """An object: its database, its model and its key, as text."""

    using: str
    model: type[Model]
    key: str


class Change:
    """What has become of one object, and which of its fields have other values."""

    def __init__(self, obj: Model) -> None:
        self.obj, self.action = obj, UPDATE
        self.fields: set[str] = set()
        #: Whether it was new and is gone again.
        self.is_void = False


class Changes:
    """The changes of one request, one for each object, in the order in which they began."""

    def __init__(self) -> None:
        self.of: dict[Place, Change] = {}
        self.before: dict[int, dict[str, Any]] = {}

    def at(self, using: str, obj: Model, key: object) -> Change:
        place = Place(using, obj._meta.concrete_model or type(obj), str(key))
        return self.of.setdefault(place, Change(obj))

    def store(self, request: AnyRequest) -> None:
        """Write an entry for each object that differs from before."""
        made: dict[str, list[Instance]] = {}
        for place, change in self.of.items():
            if not change.is_void and (change.fields or change.action == DELETE):
                entry = entry_of(request, change.action, change.obj, place.key, change.fields)
                made.setdefault(place.using, []).append(entry)
        for using, rows in made.items():
            entries()._default_manager.using(using).bulk_create(rows)


_current: ContextVar[Changes | None] = ContextVar("lintel_changes", default=None)


@contextmanager
def noticing(changes: Changes) -> Iterator[None]:
    token = _current.set(changes)
    try:
        yield
    finally:
        _current.reset(token)


class Watching:
    """Whether the signals are heard: from the first audited write of a process on."""

    def __init__(self) -> None:
        self.is_on = False

    def begin(self) -> None:
        if not self.is_on:
            pre_save.connect(_saving, dispatch_uid=__name__)
            post_save.connect(_saved, dispatch_uid=__name__)
            pre_delete.connect(_deleting, dispatch_uid=__name__)
            post_delete.connect(_deleted, dispatch_uid=__name__)
            m2m_changed.connect(_linked, dispatch_uid=__name__)
            self.is_on = True

    def end(self) -> None:
        for signal in (pre_save, post_save, pre_delete, post_delete, m2m_changed):
            signal.disconnect(dispatch_uid=__name__)
        self.is_on = False


watching = Watching()


def _is_of_this_app(sender: type[Model]) -> bool:
    return sender._meta.app_label == "lintel_audit"


def _values_of(obj: Model) -> dict[str, Any]:
    """The values that an object holds, as its fields would read them from the database."""
    given = vars(obj)
    fields = [field for field in obj._meta.concrete_fields if field.attname in given]
    return {field.name: _read(field, given[field.attname]) for field in fields}


def _read(field: Any, value: Any) -> Any:
    try:
        return field.to_python(value)
    except Exception:  # an expression, or whatever else differs from what was stored
        return value


def _saving(sender: type[Model], instance: Model, using: str, raw: bool, **kwargs: Any) -> None:
    changes = _current.get()
    if changes is None or raw or instance._state.adding or _is_of_this_app(sender):
        return
    stored = sender._base_manager.using(using).filter(pk=instance.pk).values().first()
    if stored is not None:
        attributes = {field.attname: field.name for field in sender._meta.concrete_fields}
        changes.before[id(instance)] = {
            attributes[name]: value for name, value in stored.items() if name in attributes
        }


def _saved(
    sender: type[Model],
    instance: Model,
    using: str,
    created: bool,
    raw: bool,
    update_fields: Any,
    **kwargs: Any,
) -> None:
    changes = _current.get()
    if changes is None or raw or _is_of_this_app(sender):
        return
    before, after = changes.before.pop(id(instance), {}), _values_of(instance)
    written = set(after) if update_fields is None else set(update_fields) & set(after)
    change = changes.at(using, instance, instance.pk)
    change.action = CREATE if created else change.action
    change.fields |= written if created else {it for it in written if _differs(it, before, after)}


def _differs(name: str, before: dict[str, Any], after: dict[str, Any]) -> bool:
    return name not in before or bool(before[name] != after[name])


def _deleting(sender: type[Model], instance: Model, using: str, **kwargs: Any) -> None:
    changes = _current.get()
    if changes is not None:
        changes.before[id(instance)] = {"key": instance.pk}


def _deleted(sender: type[Model], instance: Model, using: str, **kwargs: Any) -> None:
    changes = _current.get()
    if changes is not None:
        key = changes.before.pop(id(instance), {"key": instance.pk})["key"]
        change = changes.at(using, instance, key)
        change.is_void = change.action == CREATE
        change.action, change.fields = DELETE, set()


def _linked(
    sender: type[Model], instance: Any, action: str, using: str, reverse: bool, **kwargs: Any
) -> None:
    changes = _current.get()
    if changes is None or action not in ("post_add", "post_remove", "post_clear"):
        return
    if action != "post_clear" and not kwargs.get("pk_set"):
        return
    change = changes.at(using, instance, instance.pk)
    change.fields.add(_name_of(sender, instance, reverse))


def _name_of(through: type[Model], instance: Model, reverse: bool) -> str:
    """The name of the relation on the side of an instance."""
    for field in instance._meta.get_fields():
        link = getattr(field, "through", None) if reverse else None
        forward = getattr(getattr(field, "remote_field", None), "through", None)
        if through in (link, forward):
            return str(field.name)
    return through._meta.model_name or ""
