"""What refuses to store an object: rules of the database, permissions, rows that refer to it."""

from collections.abc import Callable

from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, IntegrityError, ProgrammingError, router, transaction
from django.db.models import ProtectedError, RestrictedError
from django.http import Http404
from django.utils.translation import gettext

from lintel import status
from lintel.exceptions import APIException, NotFound, ValidationError
from lintel.exceptions import PermissionDenied as APIPermissionDenied
from lintel.fields.types import Native
from lintel.outages import takes_for_refusal
from lintel.serializers.storing import ModelClass
from lintel.serializers.types import Options
from lintel.serializers.uniqueness import broken_rules, missing_rows
from lintel.settings import api_settings

#: How databases say that rows still refer to one: SQLSTATE, SQLite, MySQL.
_REFERRED_TO = frozenset(["23503", "23001", "SQLITE_CONSTRAINT_FOREIGNKEY", 1451])


def refusal(
    serializer: Native,
    act: Callable[..., object],
    *args: object,
    model: ModelClass = None,
    values: Options | None = None,
) -> APIException | None:
    """Call ``act(*args)`` in a savepoint; return the error of the input, if there is one.

    What the database refuses because of the values is one: by default, the values are those of the
    serializer. ``model``: that of the rows, by default the model of the serializer. Raises what is
    no error of the input: IntegrityError.
    """
    own_model = getattr(getattr(serializer, "Meta", None), "model", None)
    instance = getattr(serializer, "instance", None)
    model = own_model if model is None else model
    try:
        with transaction.atomic(using=None if model is None else router.db_for_write(model)):
            act(*args)
    except APIException as error:
        return error
    except Http404 as error:
        return NotFound(*error.args)
    except PermissionDenied as error:
        return APIPermissionDenied(*error.args)
    except (ProtectedError, RestrictedError) as error:
        return _in_use(error)
    except (IntegrityError, ProgrammingError) as error:
        return _told(serializer, own_model, instance, values, error)
    return None


def _told(
    serializer: Native,
    model: ModelClass,
    instance: Native,
    values: Options | None,
    error: DatabaseError,
) -> APIException:
    """Return what the database has against the values. Raises an error about anything else."""
    if takes_for_refusal(error):
        return APIPermissionDenied()
    if serializer is None and is_referred_to(error):
        return _in_use(error)
    if model is not None and isinstance(error, IntegrityError):
        broken = _broken(serializer, instance, values, error)
        if broken is not None:
            return broken
    raise error


def _broken(
    serializer: Native, instance: Native, values: Options | None, cause: IntegrityError
) -> ValidationError | None:
    """Return the error of the rules that values break, or of relations whose rows are gone."""
    details = broken_rules(serializer, instance, values, cause)
    if details:
        return ValidationError(details)
    race_status = api_settings.UNIQUE_RACE_STATUS
    given = getattr(serializer, "validated_data", {}) if values is None else values
    details = missing_rows(serializer, given) if race_status else {}
    if not details:
        return None
    error = ValidationError(details)
    error.status_code = race_status
    return error


def is_referred_to(error: DatabaseError) -> bool:
    """Return whether a row cannot be deleted because another has begun to refer to it."""
    cause = error.__cause__
    code = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None)
    return (code or next(iter(error.args), None)) in _REFERRED_TO


def refer_to_this() -> str:
    return gettext("Other objects refer to this one.")


def _in_use(error: Exception) -> APIException:
    conflict = ValidationError(refer_to_this(), code="protected")
    conflict.status_code = status.HTTP_409_CONFLICT
    return conflict
