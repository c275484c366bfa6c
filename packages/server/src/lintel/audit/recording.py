"""What an entry says: who, by which credential, from where, for which request."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model

from lintel.addresses import client_address
from lintel.annotations import AnyRequest, Instance
from lintel.problems.bodies import REQUEST_ID

_APP = "lintel.audit"


def entries() -> type[Model]:
    """The model of entries. Raises ImproperlyConfigured without its app."""
    if not apps.is_installed(_APP):
        raise ImproperlyConfigured(
            f'What requests change is stored in the table of {_APP}: add "{_APP}" to '
            "INSTALLED_APPS and run migrate."
        )
    return apps.get_model("lintel_audit", "AuditEntry")


def record(request: AnyRequest, action: str, obj: Model, fields: Iterable[str] = ()) -> None:
    """Store that a request has done something to an object, in the transaction that is open.

    Entries are written to the database of the object. Call it in ``transaction.atomic()`` together
    with what it records, so that both are there afterwards, or neither.
    """
    using = obj._state.db
    entry_of(request, action, obj, str(obj.pk), fields).save(using=using)


def entry_of(
    request: AnyRequest, action: str, obj: Model, key: str, fields: Iterable[str]
) -> Instance:
    token, client = credential_of(getattr(request, "auth", None))
    user = getattr(request, "user", None)
    user_key = getattr(user, "pk", None)
    values: dict[str, Any] = {
        "user": "" if user_key is None else str(user_key),
        "token": token,
        "client": client,
        "address": client_address(request) or None,
        "request_id": str(request.META.get(REQUEST_ID, "")),
        "action": action,
        "model": obj._meta.label,
        "object_key": key,
        "fields": sorted(fields),
    }
    return _cut(values)


def _cut(values: dict[str, Any]) -> Instance:
    """An entry with texts of at most the lengths of their columns."""
    model = entries()
    for field in model._meta.concrete_fields:
        if field.max_length and isinstance(values.get(field.name), str):
            values[field.name] = values[field.name][: field.max_length]
    return model(**values)


def credential_of(auth: Any) -> tuple[str, str]:
    """The kind and the id of what ``request.auth`` is, and the client that it was issued to.

    Nothing that could be used as a credential: of a model, its key unless that is the token
    itself; of a JWT, its claims ``jti`` and ``client_id`` (or ``azp``).
    """
    if auth is None:
        return "", ""
    kind = type(auth).__name__
    claims = auth if isinstance(auth, Mapping) else getattr(auth, "claims", None)
    if isinstance(claims, Mapping):
        identifier, client = claims.get("jti"), claims.get("client_id") or claims.get("azp")
        return f"{kind}:{identifier or ''}", str(client or "")
    if isinstance(auth, Model):
        is_secret = auth._meta.pk.name in ("key", "token")
        return (kind if is_secret else f"{kind}:{auth.pk}"), ""
    return kind, ""
