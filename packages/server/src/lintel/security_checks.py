"""Checks of ``manage.py check --deploy``: what lets in, or shows, more than the project means to.

They read the views behind ROOT_URLCONF. What a view decides while it answers cannot be seen, so
each says what it saw, and may be silenced by its id where the project knows better.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register

from lintel.annotations import AnyView
from lintel.checks import option_of, routed_views
from lintel.inherited_scopes import scope_of_relations
from lintel.overrides import OURS, is_ours, package_of, reached
from lintel.settings import FROM_VIEW, IN_DATABASE, SETTINGS_NAME, api_settings

#: How many views a message names.
SHOWN = 5

#: Throttles of this module identify anonymous clients by address.
_THROTTLES = "lintel.throttling"

#: Permissions that refuse anonymous clients before a throttle counts them.
_FOR_USERS = frozenset(["IsAuthenticated", "IsAdminUser"])

_FOR_STAFF = frozenset(["IsAdminUser"])

#: What get_queryset() reads of a request to filter, rather than to hide rows.
_OF_THE_CLIENT = frozenset(["query_params", "GET", "method", "version", "accepted_renderer"])

#: Combined permissions that refuse them.
_OF_PARTS = {"AND": any, "OR": all}


@register(Tags.security, deploy=True)
def proxies_check(app_configs: Sequence[AppConfig] | None, **kwargs: object) -> list[CheckMessage]:
    """Warn about limits per address that clients lift by sending X-Forwarded-For."""
    if not (api_settings.NUM_PROXIES is None and api_settings.TRUSTED_PROXIES is None):
        return []
    return _about(
        lambda view: (throttle.__name__ for throttle in _counting_addresses(view)),
        "Anonymous clients can lift the limits of these views by changing X-Forwarded-For, "
        "because TRUSTED_PROXIES and NUM_PROXIES are None",
        f"Set {SETTINGS_NAME}['TRUSTED_PROXIES'] to the networks of the proxies in front of the "
        "project: [] if clients reach it directly.",
        "lintel.W004",
    )


def _counting_addresses(view: AnyView) -> Iterator[type]:
    classes = option_of(view, "permission_classes")
    if any(_has_parts(permission, _refuses_others) for permission in classes):
        return
    for throttle in option_of(view, "throttle_classes"):
        if isinstance(throttle, type) and _counts_by_address(throttle):
            scope_attr = getattr(throttle, "scope_attr", None)
            if scope_attr is None or option_of(view, scope_attr, None):
                yield throttle


def _counts_by_address(throttle: type) -> bool:
    """Whether the key of a client is the address that a header of the client may tell."""
    key, ident = (getattr(throttle, name, None) for name in ("get_cache_key", "get_ident"))
    if not getattr(ident, "__module__", "").startswith(_THROTTLES):
        return False
    code = getattr(key, "__code__", None)
    is_ours_by_address = getattr(key, "__module__", "").startswith(_THROTTLES)
    return is_ours_by_address or (code is not None and "get_ident" in code.co_names)


def _refuses_others(permission: object) -> bool:
    only_users = getattr(permission, "authenticated_users_only", False)
    return bool(only_users) or _is_one_of(permission, _FOR_USERS)


def _has_parts(permission: object, is_part: Callable[[object], bool]) -> bool:
    """Whether a permission, or what operators join in it, is of a kind."""
    parts = [getattr(permission, name, None) for name in ("op1_class", "op2_class")]
    operator = getattr(getattr(permission, "operator_class", None), "__name__", "")
    if operator in _OF_PARTS:
        return _OF_PARTS[operator](_has_parts(part, is_part) for part in parts)
    return is_part(permission)


def _is_one_of(permission: object, names: Container[str]) -> bool:
    return any(
        base.__module__ == "lintel.permissions" and base.__name__ in names
        for base in getattr(permission, "__mro__", ())
    )


# ---- rows ----


@register(Tags.security, deploy=True)
def object_permissions_check(
    app_configs: Sequence[AppConfig] | None, **kwargs: object
) -> list[CheckMessage]:
    """Warn about lists that show rows whose details a permission refuses."""
    return _about(
        _guarded_by_object_alone,
        "These views list every row, although a permission decides row by row who may see one: "
        "lists never call has_object_permission()",
        "Set scope_class, return the rows of the user from get_queryset(), or filter them in a "
        "filter backend.",
        "lintel.W009",
    )


def _guarded_by_object_alone(view: AnyView) -> Iterator[str]:
    if not _lists(view) or _is_scoped(view) or not _has_only_our_filters(view):
        return
    for permission in _parts(option_of(view, "permission_classes")):
        is_about_rows = _decides(permission, "has_object_permission")
        # One that lets everybody read does not hide what the list shows.
        code = getattr(reached(permission, "has_object_permission"), "__code__", None)
        lets_read = code is not None and "SAFE_METHODS" in code.co_names
        if is_about_rows and not lets_read and not _decides(permission, "has_permission"):
            yield permission.__name__


def _lists(view: AnyView) -> bool:
    actions = getattr(view, "actions", None)
    if actions is not None:
        return "list" in actions.values()
    return hasattr(view.cls, "list") and hasattr(view.cls, "get")


def _is_scoped(view: AnyView) -> bool:
    """Whether code of the project decides which rows a view has."""
    return _has_scope(view) or _decides(view.cls, "get_queryset")


def _has_scope(view: AnyView) -> bool:
    return option_of(view, "scope_class", None) is not None


def _has_only_our_filters(view: AnyView) -> bool:
    modules = (getattr(backend, "__module__", "") for backend in option_of(view, "filter_backends"))
    return {module.partition(".")[0] for module in modules} <= {
        "lintel",
        "rest_framework",
        "django_filters",
    }


def _parts(permissions: Iterable[Any]) -> Iterator[type]:
    """The classes of permissions, those joined by operators too."""
    for permission in permissions:
        joined = [getattr(permission, name, None) for name in ("op1_class", "op2_class")]
        if any(joined):
            yield from _parts(filter(None, joined))
        elif isinstance(permission, type):
            yield permission


def _decides(owner: object, method: str) -> bool:
    """Whether a method is the project's."""
    return not is_ours(reached(owner, method))


@register(Tags.security, deploy=True)
def relations_check(
    app_configs: Sequence[AppConfig] | None, **kwargs: object
) -> list[CheckMessage]:
    """Warn about input that may refer to rows which another view hides."""
    hidden = {
        model for view in routed_views() if _reads_request(view) and (model := _model_of(view))
    }
    return _about(
        partial(_relations_to, hidden),
        "Input to these views may name any row of a model whose own view shows each user only "
        "some, so users may refer to rows of others, and find out about them",
        "Set scope_class of the view or of the field, or give the field a queryset that depends "
        "on the user: override get_queryset() of a PrimaryKeyRelatedField, or __init__() of the "
        "serializer.",
        "lintel.W010",
    )


def _reads_request(view: AnyView) -> bool:
    """Whether the rows of a view depend on the request, and not on what the client asks for."""
    if _has_scope(view):
        return _lookup_in_scope(view, _model_of(view)) is not None
    code = getattr(reached(view.cls, "get_queryset"), "__code__", None)
    if code is None or not _is_scoped(view):
        return False
    names = set(code.co_names)
    return "request" in names and ("user" in names or names.isdisjoint(_OF_THE_CLIENT))


def _model_of(view: AnyView) -> Any:
    model = getattr(option_of(view, "queryset", None), "model", None)
    serializer = option_of(view, "serializer_class", None)
    return model or getattr(getattr(serializer, "Meta", None), "model", None)


def _relations_to(hidden: set[Any], view: AnyView) -> Iterator[str]:
    serializer_class = option_of(view, "serializer_class", None)
    if not hidden or serializer_class is None or not _writes(view) or _is_for_staff(view):
        return
    if scope_of_relations(view.cls) is not None or _has_scope(view):
        return
    for name, relation in _relations_that_follow(serializer_class):
        if _decides(relation, "get_queryset"):
            continue
        if relation.queryset.model in hidden and not relation.queryset.all().query.where:
            yield name


def _relations_that_follow(serializer_class: Any) -> list[tuple[str, Any]]:
    """The relations of input without a scope of their own, which is that of the view."""
    relations = []
    with suppress(Exception):  # the code of a project may need a request
        for name, field in serializer_class().fields.items():
            relation = getattr(field, "child_relation", field)
            follows = getattr(relation, "scope_class", FROM_VIEW) == FROM_VIEW
            if follows and not field.read_only and getattr(relation, "queryset", None) is not None:
                relations.append((name, relation))
    return relations


@register(Tags.security, deploy=True)
def scopes_check(app_configs: Sequence[AppConfig] | None, **kwargs: object) -> list[CheckMessage]:
    """Warn about rows of which a scope does not say whose they are: asking for them fails."""
    return _about(
        _unknown_in_scope,
        "The scope of these views does not say whom the rows of a model belong to, so requests "
        "for them fail",
        "Add the model to `lookups` of the scope: with the lookup that leads to the owner, or None "
        "if everybody may see and refer to its rows.",
        "lintel.W014",
    )


#: What a scope says of a model that it does not know.
_UNKNOWN = "unknown"


def _lookup_in_scope(view: AnyView, model: Any) -> str | None:
    """The lookup that a scope has for a model, or _UNKNOWN; any text if its own code decides."""
    scope_class = option_of(view, "scope_class", None) or scope_of_relations(view.cls)
    if model is None or _decides(scope_class, "scope_queryset"):
        return ""
    names = [name for cls in model.__mro__ for name in (cls, _label(cls)) if name is not None]
    return next(
        (scope_class.lookups[name] for name in names if name in scope_class.lookups), _UNKNOWN
    )


def _label(cls: type) -> str | None:
    return getattr(getattr(cls, "_meta", None), "label", None)


def _unknown_in_scope(view: AnyView) -> Iterator[str]:
    if not _has_scope(view) and scope_of_relations(view.cls) is None:
        return
    models = [_model_of(view)] if _has_scope(view) else []
    serializer_class = option_of(view, "serializer_class", None)
    if serializer_class is not None and _writes(view):
        models += [field.queryset.model for _, field in _relations_that_follow(serializer_class)]
    for model in models:
        if _lookup_in_scope(view, model) == _UNKNOWN:
            yield model._meta.label


def _is_for_staff(view: AnyView) -> bool:
    """Whether only staff, who may name any row, send input to a view."""
    is_staff = partial(_is_one_of, names=_FOR_STAFF)
    permissions = option_of(view, "permission_classes")
    return not _decides(view.cls, "get_permissions") and any(
        _has_parts(permission, is_staff) for permission in permissions
    )


def _writes(view: AnyView) -> bool:
    methods = getattr(view, "actions", None) or dir(view.cls)
    return not {"post", "put", "patch"}.isdisjoint(methods)


# ---- permissions ----


@register(Tags.security, deploy=True)
def skipped_permissions_check(
    app_configs: Sequence[AppConfig] | None, **kwargs: object
) -> list[CheckMessage]:
    """Warn about permissions of views and actions that an overridden get_permissions() skips."""
    return _about(
        _skipped,
        "get_permissions() of these views leaves out permissions that the view or an action "
        "declares",
        "Begin with super().get_permissions(), which has those of the view and of the action.",
        "lintel.W011",
    )


def _skipped(view: AnyView) -> Iterator[str]:
    if not _decides(view.cls, "get_permissions"):
        return
    declared = getattr(view, "initkwargs", {}).get("permission_classes") or _never_read(view.cls)
    if not declared:
        return
    with suppress(Exception):  # the code of a project may need a request
        for method, action in (getattr(view, "actions", None) or {"": ""}).items():
            made = view.cls(**view.initkwargs)
            made.action, made.action_map = action, {method: action}
            given = tuple({type(permission) for permission in made.get_permissions()})
            missing = [
                part for part in _parts(declared) if not any(issubclass(has, part) for has in given)
            ]
            if missing and not any(hasattr(item, "op1") for item in made.get_permissions()):
                yield f"{action}: {missing[0].__name__}"


def _never_read(cls: type) -> Sequence[type]:
    """The permissions that a class declares, and its own get_permissions() does not look at."""
    code = getattr(reached(cls, "get_permissions"), "__code__", None)
    if code is None or not {"permission_classes", "get_permissions"}.isdisjoint(code.co_names):
        return ()
    for base in cls.__mro__:
        if "permission_classes" in vars(base):
            declared = vars(base)["permission_classes"]
            return declared if isinstance(declared, list | tuple) else ()
        if "get_permissions" in vars(base):
            return ()  # it takes the place of what classes below declare
    return ()


# ---- keys of repeated writes ----


@register(Tags.security, deploy=True)
def databases_check(
    app_configs: Sequence[AppConfig] | None, **kwargs: object
) -> list[CheckMessage]:
    """Warn about keys that may be stored in another database than what their request writes."""
    if len(settings.DATABASES) < 2:
        return []
    return _about(
        _names_no_database,
        "With several databases, an Idempotency-Key belongs in the one that its request writes to, "
        "which these views do not tell",
        "Set idempotency_database on the views, or give them a queryset.",
        "lintel.W031",
    )


def _names_no_database(view: AnyView) -> Iterator[str]:
    is_kept = option_of(view, "idempotency_store", None) == IN_DATABASE
    told = [option_of(view, name, None) for name in ("idempotency_database", "queryset")]
    has_rows = hasattr(view.cls, "get_queryset") and _decides(view.cls, "get_queryset")
    if is_kept and not has_rows and told == [None, None]:
        yield "Idempotency-Key"


# ---- what is open to all ----


@register(Tags.security, deploy=True)
def basic_check(app_configs: Sequence[AppConfig] | None, **kwargs: object) -> list[CheckMessage]:
    """Warn about passwords that may travel unencrypted."""
    if settings.SECURE_SSL_REDIRECT or settings.SECURE_HSTS_SECONDS:
        return []
    return _about(
        lambda view: _of_ours(view, "authentication_classes", "BasicAuthentication"),
        "These views take passwords with each request (BasicAuthentication), and nothing makes "
        "clients use HTTPS",
        "Set SECURE_SSL_REDIRECT and SECURE_HSTS_SECONDS, or choose other authentication_classes.",
        "lintel.W012",
    )


@register(Tags.security, deploy=True)
def pages_check(app_configs: Sequence[AppConfig] | None, **kwargs: object) -> list[CheckMessage]:
    """Warn about pages with forms for developers."""
    if settings.DEBUG:
        return []
    return _about(
        lambda view: _of_ours(view, "renderer_classes", "BrowsableAPIRenderer"),
        "These views answer browsers with pages made for developers: forms, and choices of "
        "related rows",
        f"Set {SETTINGS_NAME}['DEFAULT_RENDERER_CLASSES'] to those that clients need, or silence "
        "this check if the pages are meant for users.",
        "lintel.W013",
    )


def _of_ours(view: AnyView, option: str, name: str) -> Iterator[str]:
    for cls in option_of(view, option):
        if any(
            base.__name__ == name and package_of(base) == OURS
            for base in getattr(cls, "__mro__", ())
        ):
            yield cls.__name__


def _about(
    find: Callable[[AnyView], Iterable[str]], text: str, hint: str, number: str
) -> list[CheckMessage]:
    """One warning about all views in which something was found, or none."""
    places = {f"{view.cls.__name__} ({name})" for view in routed_views() for name in find(view)}
    if not places:
        return []
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    views = f"{', '.join(sorted(places)[:SHOWN])}{more}"
    return [Warning(f"{text}: {views}.", hint=hint, id=number)]
