"""Files of a save that fails: those that it wrote, even in part, are removed again.

A model writes its files before its row, so a full disk or a rejected row would leave them behind
with no row that knows them. While a serializer saves, the storage of each upload notes which names
were free and what was written there. A file that existed before, or that a row holds, stays.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from django.apps import apps
from django.core.files.base import File
from django.core.files.storage import Storage
from django.db import Error, connections, models, router
from django.db.models.fields.files import FieldFile
from django.db.models.signals import pre_save
from django.utils.functional import LazyObject

from lintel.cycle.steps import complete
from lintel.fields.files import takes_files
from lintel.serializers.usual_values import unusual

logger: logging.Logger = logging.getLogger(__name__)


class _Upload:
    """An upload that is being saved: its storage, and the names that it may have there."""

    def __init__(self, file: FieldFile) -> None:
        self.file = file
        self.storage = file.storage
        self.sent_name = file.name
        self.free: list[str] = []
        self.written: str | None = None

    def note(self, name: str) -> None:
        self.written = name if name in self.free else None


_saving: ContextVar[list[_Upload] | None] = ContextVar("lintel_new_files", default=None)


def write_with_files(
    serializer: object, write: Callable[..., Any], arguments: tuple[Any, ...]
) -> Any:
    """If ``write`` raises, its files are removed. The last argument holds the values to save."""
    if not _has_files(serializer, arguments[-1]):
        return write(*arguments)
    with _removing_new_files(serializer):
        return complete(write(*arguments))


@contextmanager
def _removing_new_files(serializer: object) -> Iterator[None]:
    _watch(serializer)
    uploads: list[_Upload] = []
    outer = _saving.get()
    token = _saving.set(uploads)
    try:
        yield
    except BaseException:
        for upload in uploads:
            _remove(upload)
        raise
    else:
        if outer is not None:
            outer += uploads
    finally:
        _saving.reset(token)
        for upload in uploads:
            upload.file.storage = upload.storage


def _has_files(serializer: object, values: Any) -> bool:
    if takes_files(serializer):
        return True
    for item in values if isinstance(values, list) else (values,):
        if any(isinstance(value, File) for value in unusual(item.values())):
            return True
    return False


def _watch(serializer: object) -> None:
    """Let models with files, but no others, tell before they are saved."""
    _watch_installed_models()
    for part in (serializer, getattr(serializer, "child", None)):
        model = getattr(getattr(part, "Meta", None), "model", None)
        if model is not None:
            _watch_model(model)


@lru_cache(maxsize=1)
def _watch_installed_models() -> None:
    for model in apps.get_models():
        _watch_model(model)


@lru_cache(maxsize=256)
def _watch_model(model: type[models.Model]) -> None:
    if _file_fields(model):
        pre_save.connect(_watch_uploads, sender=model, dispatch_uid=__name__)


def _file_fields(model: type[models.Model]) -> list[models.FileField]:
    return [field for field in model._meta.concrete_fields if isinstance(field, models.FileField)]


def _watch_uploads(sender: type[models.Model], instance: models.Model, **kwargs: object) -> None:
    uploads = _saving.get()
    if uploads is None:
        return
    for field in _file_fields(sender):
        file = getattr(instance, field.attname) if field.attname in instance.__dict__ else None
        if isinstance(file, FieldFile) and file and not getattr(file, "_committed", True):
            upload = _Upload(file)
            file.storage = _watched(upload)
            uploads.append(upload)


def _watched(upload: _Upload) -> Storage:
    """Return a storage that shares the state of the upload's own, and notes what it writes."""
    storage = _unwrapped(upload.storage)
    cls = type(storage)

    class Watched(cls):  # type: ignore[misc, valid-type]
        def exists(self, name: str) -> bool:
            result: bool = super().exists(name)
            if not result:
                upload.free.append(name)
            return result

        def _save(self, name: str, content: File) -> str:
            try:
                written: str = super()._save(name, content)
            except BaseException as error:
                # A file that cannot be opened is named; one that cannot be filled is not.
                if upload.free and getattr(error, "filename", None) is None:
                    upload.note(upload.free[-1])
                raise
            upload.note(written)
            return written

    # Packages name a storage by its class, and import it by that name elsewhere.
    for name in ("__module__", "__name__", "__qualname__"):
        setattr(Watched, name, getattr(cls, name))
    try:
        watched: Any = object.__new__(Watched)
        watched.__dict__ = storage.__dict__
    except (TypeError, AttributeError):
        return storage  # of a class with a layout of its own
    return watched


def _unwrapped(storage: Storage) -> Storage:
    if not isinstance(storage, LazyObject):
        return storage
    bool(storage)  # makes the storage behind it
    return storage._wrapped


def _remove(upload: _Upload) -> None:
    if upload.written is None or _is_in_a_row(upload.file, upload.written):
        return
    try:
        upload.storage.delete(upload.written)
    except Exception:
        logger.exception("The file '%s' of a failed save could not be removed.", upload.written)
        return
    # Whoever saves the object once more writes the file again.
    file: Any = upload.file
    file.name, file._committed = upload.sent_name, False
    file.instance.__dict__[file.field.attname] = file


def _is_in_a_row(file: Any, name: str) -> bool:
    """Return whether a row holds a file: without a transaction, rows stay after an error."""
    model = type(file.instance)
    # A row that has been saved knows where; a router may send others elsewhere.
    alias = file.instance._state.db or router.db_for_write(model, instance=file.instance)
    connection = connections[alias]
    if connection.in_atomic_block and connection.needs_rollback:
        return False
    try:
        rows: models.QuerySet[Any] = models.QuerySet(model, using=alias)
        return rows.filter(**{file.field.attname: name}).exists()
    except Error:
        return True
