"""What settings say of the document: texts, servers, tags, further parts, and hooks.

``REST_FRAMEWORK["OPENAPI_DOCUMENT"]`` says it in terms of OpenAPI; the settings of drf-spectacular
say the same in theirs, and the former takes precedence.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import reduce
from importlib import import_module
from traceback import walk_tb
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import Http404
from django.utils.encoding import force_str
from django.utils.functional import Promise
from django.utils.module_loading import import_string

from lintel.exceptions import APIException
from lintel.schemas.inspection import Inspection
from lintel.schemas.tree import Schema
from lintel.settings import api_settings

Document = dict[str, Any]

#: The settings of drf-spectacular about ``info``, and those about the root of the document.
OF_INFO = {
    "TITLE": "title",
    "VERSION": "version",
    "DESCRIPTION": "description",
    "TOS": "termsOfService",
    "CONTACT": "contact",
    "LICENSE": "license",
}
OF_ROOT = {
    "SERVERS": "servers",
    "TAGS": "tags",
    "SECURITY": "security",
    "EXTERNAL_DOCS": "externalDocs",
    "APPEND_PATHS": "paths",
    "APPEND_COMPONENTS": "components",
}

#: Settings that are read elsewhere, and those that a description need not heed.
READ = frozenset(
    ["EXTENSIONS_INFO", "EXTENSIONS_ROOT", "WEBHOOKS", "ENUM_NAME_OVERRIDES", "ENUM_SUFFIX"]
) | {"PREPROCESSING_HOOKS", "POSTPROCESSING_HOOKS", "COMPONENT_SPLIT_REQUEST", "OAS_VERSION"}
READ |= {"SCHEMA_PATH_PREFIX", "SCHEMA_PATH_PREFIX_TRIM", "SCHEMA_PATH_PREFIX_INSERT"}
READ |= {"AUTHENTICATION_WHITELIST"}
HEEDLESS = re.compile(
    r"SERVE_|SWAGGER_|REDOC_|SORT_|ENUM_|COMPONENT_(SPLIT_PATCH|NO_READ)|DISABLE_|ENABLE_"
    r"|DEFAULT_(?!GENERATOR_CLASS)|GET_|ENFORCE_|GENERIC_|PATH_CONVERTER|SCHEMA_COERCE|OPERATION_ID|OAUTH2_"
)


class SpectacularSettings:
    """The settings in ``SPECTACULAR_SETTINGS`` as attributes; None for those not given."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not name.isupper():
            raise AttributeError(name)
        return self.given().get(name)

    def given(self) -> Schema:
        """The settings as they are now; a hook may be a dotted name."""
        result = getattr(settings, "SPECTACULAR_SETTINGS", None)
        return result if isinstance(result, Mapping) else {}


spectacular_settings = SpectacularSettings()


def document_parts() -> Document:
    """The parts of documents that settings name, by the keys of OpenAPI."""
    given = spectacular_settings.given()
    parts = {word: given[name] for name, word in OF_ROOT.items() if given.get(name)}
    info = {"title": api_settings.API_TITLE} if api_settings.API_TITLE else {}
    info |= {word: given[name] for name, word in OF_INFO.items() if given.get(name)}
    parts["info"] = {**info, **(given.get("EXTENSIONS_INFO") or {})}
    parts.update(given.get("EXTENSIONS_ROOT") or {})
    document = api_settings.OPENAPI_DOCUMENT or {}
    return _plain({**parts, **document, "info": {**parts["info"], **document.get("info", {})}})


def _plain(value: object) -> Any:
    """A value with lazy texts translated."""
    if isinstance(value, Promise):
        return force_str(value)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def info_with_settings(
    title: str | None,
    version: str | None,
    description: str | None,
    find: Callable[[], Schema] = dict,
) -> Document:
    """The info section; arguments of a generator take precedence over the settings.

    ``find`` is asked for more if neither says the title.
    """
    info = dict(document_parts()["info"])
    if not (title or info.get("title")):
        info = {**_plain(find()), **info}
    given = {"title": title, "version": version}
    for word, said in given.items():
        info[word] = said or info.get(word) or ""
    if description is not None:
        info["description"] = description
    return {word: info.pop(word) for word in ("title", "version")} | info


def with_settings(document: Document) -> Document:
    """The document with the parts that settings name."""
    parts = document_parts()
    parts.pop("info", None)
    for word, said in parts.items():
        before = document.get(word)
        if isinstance(before, Mapping) and isinstance(said, Mapping):
            document[word] = _merged(before, said, 1 if word == "components" else 0)
        elif word == "tags" and before:
            named = {part["name"] for part in said}
            document[word] = [*said, *(part for part in before if part["name"] not in named)]
        else:
            document[word] = said
    return document


def _merged(base: Schema, other: Schema, depth: int) -> Document:
    result = dict(base)
    for name, value in other.items():
        inner = result.get(name)
        deep = depth and isinstance(inner, Mapping)
        result[name] = _merged(inner or {}, value, depth - 1) if deep else value
    return result


def hooks(name: str) -> Iterator[Callable[..., Any]]:
    """Yield the hooks of a setting, except those about what is never wrong here."""
    for given in spectacular_settings.given().get(name) or ():
        if not str(given).startswith("drf_spectacular.hooks.postprocess_schema_enum"):
            yield import_string(given) if isinstance(given, str) else given


class HookFailed(ImproperlyConfigured):
    """A hook failed. Without what it would have left out, nothing may be published."""


def _called(setting: str, hook: Callable[..., Any], **arguments: object) -> Any:
    try:
        return hook(**arguments)
    except (APIException, Http404, PermissionDenied):
        raise  # to the client of a view that serves the document
    except Exception as error:
        *_, (frame, line) = walk_tb(error.__traceback__)
        raise HookFailed(
            f"{setting}: {getattr(hook, '__name__', hook)} failed: {error!r} "
            f"({frame.f_code.co_filename}:{line}). The request is None in generateschema, and "
            "DEFAULT_GENERATOR_CLASS is not called: test it in the hook, or leave the hook out."
        ) from error


def processed(document: Document, generator: object, request: object, public: bool) -> Document:
    """The document as the POSTPROCESSING_HOOKS change it."""
    given = list(hooks("POSTPROCESSING_HOOKS"))
    for hook in given:
        arguments = {"generator": generator, "request": request, "public": public}
        document = _called("POSTPROCESSING_HOOKS", hook, result=document, **arguments)
    return _without_empty_demands(document) if given else document


def _without_empty_demands(document: Document) -> Document:
    """Return a document without lists of no required properties, which OpenAPI 3.0 forbids.

    Hooks leave them that make required properties optional.
    """
    components = document.get("components", {}) if isinstance(document, dict) else {}
    for schema in components.get("schemas", {}).values():
        if isinstance(schema, dict) and schema.get("required") == []:
            del schema["required"]
    return document


def chosen(items: list[tuple[str, str, Any]]) -> list[tuple[str, str, Any]]:
    """The endpoints that the PREPROCESSING_HOOKS leave, by the paths they give."""
    for hook in hooks("PREPROCESSING_HOOKS"):
        views = {(method, id(view._lintel_callback), path): view for path, method, view in items}
        listed = [(path, path, method, view._lintel_callback) for path, method, view in items]
        items = [
            (path, method, views[method, id(callback), pattern])
            for path, pattern, method, callback in _called(
                "PREPROCESSING_HOOKS", hook, endpoints=listed
            )
        ]
    return items


def placing() -> Callable[[str], str]:
    """A function from paths to those without the prefix that settings cut off, or with theirs."""
    given = spectacular_settings.given()
    prefix, before = given.get("SCHEMA_PATH_PREFIX"), given.get("SCHEMA_PATH_PREFIX_INSERT") or ""
    if not prefix or not given.get("SCHEMA_PATH_PREFIX_TRIM"):
        return before.__add__ if before else str
    return lambda path: f"{before}/{re.sub(prefix, '', path, count=1).lstrip('/')}"


def heed_settings(inspection: Inspection) -> None:
    """Note what settings of drf-spectacular say about all operations."""
    inspection.enum_names = enum_names(inspection)
    inspection.path_prefix = spectacular_settings.SCHEMA_PATH_PREFIX
    names = spectacular_settings.AUTHENTICATION_WHITELIST
    if names is None:
        return
    try:
        classes = [import_string(name) if isinstance(name, str) else name for name in names]
    except ImportError as error:
        inspection.warn(f"AUTHENTICATION_WHITELIST cannot be read: {error}")
    else:
        inspection.authentication = classes


def enum_names(inspection: Inspection) -> dict[frozenset[object], str]:
    """The names in ENUM_NAME_OVERRIDES by the values of their choices."""
    result: dict[frozenset[object], str] = {}
    for name, given in (spectacular_settings.given().get("ENUM_NAME_OVERRIDES") or {}).items():
        try:
            result[_values_of(located(given) if isinstance(given, str) else given)] = str(name)
        except (ImportError, AttributeError, TypeError) as error:
            inspection.warn(f"ENUM_NAME_OVERRIDES: {name} cannot be read: {error!r}")
    return result


def _values_of(choices: Any) -> frozenset[object]:
    choices = getattr(choices, "choices", choices)
    values = [choice[0] if isinstance(choice, list | tuple) else choice for choice in choices]
    return frozenset(getattr(value, "value", value) for value in values) - {"", None}


def located(name: str) -> object:
    """What a dotted name leads to, also inside of classes. Raises ImportError or AttributeError."""
    parts = name.split(".")
    for number in range(len(parts) - 1, 0, -1):
        with suppress(ModuleNotFoundError):
            module = import_module(".".join(parts[:number]))
            return reduce(getattr, parts[number:], module)
    raise ImportError(f"There is no module {parts[0]}.")


def warn_of_unread(inspection: Inspection) -> None:
    """Warn of settings of drf-spectacular that change a document there, and nothing here."""
    given = {name for name, value in spectacular_settings.given().items() if value}
    unread = sorted(
        name for name in given - READ - OF_INFO.keys() - OF_ROOT.keys() if not HEEDLESS.match(name)
    )
    if unread:
        inspection.warn(
            f"SPECTACULAR_SETTINGS: {', '.join(unread)} have no effect on this document. Use the "
            "settings of lintel, or a hook in POSTPROCESSING_HOOKS"
        )
