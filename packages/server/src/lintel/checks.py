"""Django's system checks: ``manage.py check`` names mistakes in settings and their remedies."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property, partial
from os import PathLike

import django
from django.apps import AppConfig, apps
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.urls import NoReverseMatch, get_resolver, reverse

from lintel.addresses import Networks
from lintel.annotations import AnyView, Setting
from lintel.other_framework import CALL_ENABLE, OTHER_DISTRIBUTION, OTHER_NAME
from lintel.periods import parse_rate
from lintel.protected_resources import CHALLENGE, SCOPE
from lintel.reports import REPORT
from lintel.settings import (
    ABSENT_CHECKBOXES,
    CHALLENGES,
    COMPATIBLE_VERSIONS,
    DEFAULTS,
    ERROR_FORMATS,
    FAILURE_POLICIES,
    FETCH_MODES,
    IDEMPOTENCY_STORES,
    IN_DATABASE,
    NON_FINITE,
    OFF,
    ON,
    OPENAPI_VERSIONS,
    OPERATION_IDS,
    RATE_LIMIT_FORMS,
    REMOVED_SETTINGS,
    SETTINGS_NAME,
    SHOWN,
    api_settings,
    perform_import,
)
from lintel.trust.originals import TESTED, is_known

#: Settings whose value is a list; a single name would be read letter by letter.
LIST_SETTINGS = [name for name, value in DEFAULTS.items() if isinstance(value, list)]

#: The apps of tokens stored only as digests, and of answers to an Idempotency-Key.
HASHED_TOKENS = "lintel.hashedtokens"
IDEMPOTENCY = "lintel.idempotency"

#: Seconds. No orchestrator waits longer, and Python's locks take no number without an end.
MAX_HEALTH_TIMEOUT = 3600

Rule = Callable[[Mapping[str, Setting]], Iterator[CheckMessage]]


@register(Tags.compatibility)
def pagination_system_check(
    app_configs: Sequence[AppConfig] | None, **kwargs: object
) -> list[CheckMessage]:
    given = _own_settings()
    if not given.get("PAGE_SIZE") or given.get("DEFAULT_PAGINATION_CLASS"):
        return []
    return [
        Warning(
            "You have specified a default PAGE_SIZE pagination rest_framework setting, without "
            "specifying also a DEFAULT_PAGINATION_CLASS.",
            hint=(
                "Views without a pagination class of their own are not paginated. Set "
                "DEFAULT_PAGINATION_CLASS; or silence this check if each view that needs it "
                "sets pagination_class."
            ),
            id="rest_framework.W001",
        )
    ]


@register(Tags.compatibility)
def settings_check(app_configs: Sequence[AppConfig] | None, **kwargs: object) -> list[CheckMessage]:
    """Report mistakes in ``REST_FRAMEWORK`` that would otherwise appear on a first request."""
    given = getattr(settings, SETTINGS_NAME, None)
    if given is not None and not isinstance(given, Mapping):
        return [
            Error(
                f"The setting {SETTINGS_NAME} is of type {type(given).__name__}.",
                hint=f"Make {SETTINGS_NAME} a dictionary from setting names to values.",
                id="lintel.E001",
            )
        ]
    chosen = _own_settings()
    return [message for rule in _RULES for message in rule(chosen)]


@register(Tags.compatibility)
def orm_check(app_configs: Sequence[AppConfig] | None, **kwargs: object) -> list[CheckMessage]:
    """Warn if nothing is assumed about Django's ORM, so that every row becomes an instance."""
    if is_known():
        return []
    if django.VERSION[:2] not in TESTED:
        names = ", ".join(f"{first}.{second}" for first, second in TESTED)
        reason = (
            f"Django {django.get_version()} is not one of the versions {names}, whose ORM is known."
        )
        hint = "Update this package, or silence this check."
    else:
        name = "ORM_SHORTCUTS" if api_settings.SHORTCUTS else "SHORTCUTS"
        reason = f"{SETTINGS_NAME}['{name}'] is off."
        hint = "Remove the setting, unless you are tracing an error."
    slow = "Lists are read from instances, and their relations one object at a time."
    return [Warning(f"{reason} {slow}", hint=hint, id="lintel.W002")]


@register(Tags.compatibility)
def idempotency_check(
    app_configs: Sequence[AppConfig] | None, **kwargs: object
) -> list[CheckMessage]:
    if apps.is_installed(IDEMPOTENCY):
        return []
    mistakes = {
        f"{view.cls.__module__}.{view.cls.__qualname__}"
        for view in routed_views()
        if option_of(view, "idempotency_store", None) == IN_DATABASE
    }
    if not mistakes:
        return []
    names = ", ".join(sorted(mistakes))
    return [
        Error(
            f"Answers to an Idempotency-Key are kept in the database, and {IDEMPOTENCY} is not "
            f"installed: {names}.",
            hint=f'Add "{IDEMPOTENCY}" to INSTALLED_APPS and run migrate; or set '
            f"{SETTINGS_NAME}['IDEMPOTENCY_STORE'] = \"cache\", which repeats a write if its "
            "process dies before its answer is kept.",
            id="lintel.E012",
        )
    ]


@register(Tags.compatibility)
def description_check(
    app_configs: Sequence[AppConfig] | None, **kwargs: object
) -> list[CheckMessage]:
    """Report names in SERVICE_DESCRIPTION that no URL pattern has."""
    if not getattr(settings, "ROOT_URLCONF", None):
        return []
    return [
        Error(
            f"SERVICE_DESCRIPTION names the URL pattern {name!r}, which cannot be found.",
            hint=f"Set {SETTINGS_NAME}['SERVICE_DESCRIPTION'] to the name of the pattern of a "
            'schema view without arguments, such as "schema" or "api:schema". Until then, clients '
            "do not find that description.",
            id="lintel.E020",
        )
        for name in names_in(api_settings.SERVICE_DESCRIPTION)
        if not _has_url(name)
    ]


def names_in(setting: Setting) -> list[str]:
    """The names of URL patterns that a setting holds: none, one or several."""
    return [setting] if isinstance(setting, str) else list(setting or ())


def _has_url(name: str) -> bool:
    try:
        return bool(reverse(name))
    except NoReverseMatch:
        return False


@register(Tags.compatibility)
def filters_check(app_configs: Sequence[AppConfig] | None, **kwargs: object) -> list[CheckMessage]:
    """Report names in ``filter_fields`` that are no fields, and lists of them that nobody reads."""
    views = {view.cls: view for view in routed_views()}
    return [message for view in views.values() for message in _filter_mistakes(view)]


def _filter_mistakes(view: AnyView) -> Iterator[CheckMessage]:
    backends = option_of(view, "filter_backends")
    checked = [cls for cls in backends if hasattr(cls, "check_filter_fields")]
    for backend in checked:
        yield from backend.check_filter_fields(view.cls)
    if option_of(view, "filter_fields") and not checked:
        yield Warning(
            "No filter of this view reads its filter_fields, so its parameters filter nothing.",
            hint="Add lintel.filters.FieldFilter to filter_backends, or remove filter_fields.",
            obj=view.cls,
            id="lintel.W005",
        )


@register(Tags.compatibility, deploy=True)
def connections_check(
    app_configs: Sequence[AppConfig] | None, **kwargs: object
) -> list[CheckMessage]:
    """Warn about databases to which each request opens a connection of its own."""
    names = reconnecting()
    if not names:
        return []
    return [
        Warning(
            f"Each request opens a new connection to PostgreSQL ({', '.join(names)}), which takes "
            "longer than most queries, because CONN_MAX_AGE is 0 and there is no pool.",
            hint="For WSGI, set CONN_MAX_AGE to 60 and CONN_HEALTH_CHECKS to True in DATABASES. "
            'For ASGI and for many threads, install psycopg[pool] and set OPTIONS["pool"] to True.',
            id="lintel.W006",
        )
    ]


def reconnecting() -> list[str]:
    """Return the aliases of the PostgreSQL databases whose connections end with each request."""
    return [
        alias
        for alias, given in connections.settings.items()
        if given["ENGINE"].rpartition(".")[2] in _POSTGRESQL
        and given.get("CONN_MAX_AGE", 0) == 0
        and not given.get("OPTIONS", {}).get("pool")
    ]


#: Modules of Django's own backends for PostgreSQL.
_POSTGRESQL = ("postgresql", "postgis")


def routed_views() -> Iterator[AnyView]:
    """Yield the views of the project, one for each pattern that leads to it."""
    if getattr(settings, "ROOT_URLCONF", None):
        yield from _views_below(get_resolver())


def _views_below(entry: object) -> Iterator[AnyView]:
    for inner in getattr(entry, "url_patterns", ()):
        yield from _views_below(inner)
    callback = getattr(entry, "callback", None)
    if hasattr(callback, "cls"):
        yield callback


def option_of(view: AnyView, name: str, default: Setting = ()) -> Setting:
    """What a view is made with, or its class has; ``default`` for what it decides by request."""
    given = getattr(view, "initkwargs", {})
    result = given[name] if name in given else getattr(view.cls, name, default)
    return default if result is None or isinstance(result, property | cached_property) else result


def _own_settings() -> Mapping[str, Setting]:
    result = getattr(settings, SETTINGS_NAME, None)
    return result if isinstance(result, Mapping) else {}


def _imports(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    for name in api_settings.import_strings:
        if name not in given:
            continue
        try:
            perform_import(given[name], name)
        except ImportError as error:
            lacks_name = f"No module named '{OTHER_NAME}'" in str(error)
            path = f"Correct the dotted path in {SETTINGS_NAME}['{name}']."
            yield Error(str(error), hint=CALL_ENABLE if lacks_name else path, id="lintel.E002")


def _other_framework(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    # Comes after _imports, which imports what the settings name.
    other = sys.modules.get(OTHER_NAME)
    if other is None or other is sys.modules["lintel"]:
        return
    place = getattr(other, "__file__", None) or "an unknown place"
    yield Warning(
        f"{OTHER_DISTRIBUTION} itself is in use beside lintel, from {place}. Views of lintel do "
        "not know its classes: the errors of a filter or permission built on it become server "
        "errors.",
        hint=f"{CALL_ENABLE} If the project runs both on purpose, silence this check.",
        id="lintel.W003",
    )


def _lists(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    for name in LIST_SETTINGS:
        if isinstance(given.get(name), str):
            yield Error(
                f"The setting {name} takes a list, but is the text '{given[name]}'.",
                hint=f"Write {SETTINGS_NAME}['{name}'] = ['{given[name]}'].",
                id="lintel.E003",
            )


def _removed(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    for name in REMOVED_SETTINGS:
        if name in given:
            yield Warning(
                f"The setting {name} no longer exists.",
                hint="Set PAGE_SIZE and DEFAULT_PAGINATION_CLASS, or the attributes of a "
                "pagination class.",
                id="lintel.W015",
            )


def _page_size(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    size = given.get("PAGE_SIZE")
    if size is not None and not _is_positive(size, (int,)):
        hint = "Use a positive integer, or None for no default page size."
        yield _unknown("PAGE_SIZE", size, hint, "lintel.E005")


def _unknown(name: str, value: object, hint: str, number: str) -> Error:
    return Error(f"The setting {name} is {value!r}.", hint=hint, id=number)


def _is_positive(value: Setting, kinds: tuple[type[float], ...]) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool) and value > 0


def _unknown_word(
    given: Mapping[str, Setting], name: str, words: Iterable[str], number: str, more: str = ""
) -> Iterator[CheckMessage]:
    value, allowed = given.get(name, DEFAULTS[name]), list(words)
    if value not in allowed:
        listed = ", ".join(f'"{word}"' for word in allowed)
        yield _unknown(name, value, f"Use one of {listed}{more}.", number)


def _compilation(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    for name in ("COMPILE_SERIALIZERS", "READ_FROM_ROWS"):
        value = given.get(name, DEFAULTS[name])
        if value not in (*ON, *OFF):
            hint = f'Use True or False; in the environment variable LINTEL_{name}, "never".'
            yield _unknown(name, value, hint, "lintel.E006")


def _strictness(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    extra, strict = ("ignore", "forbid", REPORT), given.get("STRICT_QUERY_PARAMS", False)
    yield from _unknown_word(given, "EXTRA_INPUT", extra, "lintel.E014")
    if strict not in (True, False, REPORT):
        hint = 'Use True or False, or "report" to log the names.'
        yield _unknown("STRICT_QUERY_PARAMS", strict, hint, "lintel.E014")


def _proxies(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    names = given.get("TRUSTED_PROXIES")
    if names is None:
        return
    if not isinstance(names, list | tuple):
        hint = "List networks, such as ['10.0.0.0/8'], or [] for none."
        yield _unknown("TRUSTED_PROXIES", names, hint, "lintel.E018")
        return
    try:
        everybody = [name for name in names if Networks([name]).hold_everybody]
    except ImproperlyConfigured as error:
        yield Error(str(error), hint="Correct the network.", id="lintel.E018")
        return
    if everybody:
        yield Warning(
            f"TRUSTED_PROXIES trusts {', '.join(everybody)}, so each client may claim any address.",
            hint="List the networks of the project's own proxies only.",
            id="lintel.W007",
        )


def _health(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    """Report what would otherwise make ``ready`` fail when it is first asked."""
    for name, (is_right, hint) in _HEALTH.items():
        if name in given and not is_right(given[name]):
            yield _unknown(name, given[name], hint, "lintel.E034")


def _are_checks(value: Setting) -> bool:
    if not isinstance(value, list | tuple):
        return isinstance(value, str)  # reported with all lists
    # Names are reported with all names that cannot be imported.
    return all(isinstance(item, str) or callable(item) for item in value)


def _is_time(value: Setting) -> bool:
    return _is_positive(value, (int, float)) and value <= MAX_HEALTH_TIMEOUT


def _are_networks(value: Setting) -> bool:
    if not isinstance(value, list | tuple):
        return isinstance(value, str)  # reported with all lists
    try:
        Networks(value)
    except ImproperlyConfigured:
        return False
    return True


def _is_file_name(value: Setting) -> bool:
    return value is None or isinstance(value, str | PathLike)


_HEALTH: Mapping[str, tuple[Callable[[Setting], bool], str]] = {
    "HEALTH_CHECKS": (_are_checks, "List functions without arguments, or their dotted names."),
    "HEALTH_TIMEOUT": (_is_time, f"Use seconds, more than 0 and at most {MAX_HEALTH_TIMEOUT}."),
    "HEALTH_OPERATORS": (
        _are_networks,
        "List networks, such as ['10.0.0.0/8'], addresses, or 'unix'.",
    ),
    "HEALTH_DRAIN_FILE": (_is_file_name, "Use the path of a file, or None."),
}


def _rates(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    rates = given.get("DEFAULT_THROTTLE_RATES")
    for scope, rate in rates.items() if isinstance(rates, Mapping) else ():
        for text in rate if isinstance(rate, list | tuple) else [rate]:
            # A throttle of the project may read rates of its own kind.
            if isinstance(text, str) and text.count("/") == 1 and not _is_rate(text):
                yield Warning(
                    f"The rate {text!r} of the scope {scope!r} is unknown to the built-in "
                    "throttles.",
                    hint="Write a number and a period: '100/day', '10/15m', '1/20s', '5/month'.",
                    id="lintel.W008",
                )


def _is_rate(text: str) -> bool:
    try:
        parse_rate(text)
    except (KeyError, ValueError, IndexError):
        return False
    return True


def _throttle_failures(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    policies = (None, *FAILURE_POLICIES)
    policy, seconds = given.get("THROTTLE_ON_FAILURE"), given.get("THROTTLE_TIMEOUT", 0.25)
    if policy not in policies:
        hint = 'Use "raise", "allow", "deny", or None.'
        yield _unknown("THROTTLE_ON_FAILURE", policy, hint, "lintel.E019")
    if seconds is not None and not _is_positive(seconds, (int, float)):
        hint = "Use a positive number of seconds, or None for no deadline."
        yield _unknown("THROTTLE_TIMEOUT", seconds, hint, "lintel.E019")
    above = given.get("THROTTLE_GCRA_ABOVE")
    if above is not None and type(above) is not int:
        hint = "Use a number of requests, or None to keep the time of each request."
        yield _unknown("THROTTLE_GCRA_ABOVE", above, hint, "lintel.E019")


def _rate_limit_headers(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    if given.get("RATE_LIMIT_HEADERS"):
        yield from _unknown_word(
            given, "RATE_LIMIT_HEADERS", RATE_LIMIT_FORMS, "lintel.E009", ", or False"
        )


def _idempotency(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    yield from _unknown_word(given, "IDEMPOTENCY_STORE", IDEMPOTENCY_STORES, "lintel.E010")
    alias = given.get("IDEMPOTENCY_CACHE", DEFAULTS["IDEMPOTENCY_CACHE"])
    if alias not in settings.CACHES:
        yield Error(
            f"The setting IDEMPOTENCY_CACHE is {alias!r}, but CACHES has no such cache.",
            hint=f"Use one of {', '.join(map(repr, settings.CACHES))}.",
            id="lintel.E010",
        )
    seconds = given.get("IDEMPOTENCY_SECONDS", DEFAULTS["IDEMPOTENCY_SECONDS"])
    if not _is_positive(seconds, (int, float)):
        hint = "Use a positive number of seconds."
        yield _unknown("IDEMPOTENCY_SECONDS", seconds, hint, "lintel.E010")
    timeout = given.get("IDEMPOTENCY_TIMEOUT")
    if timeout is not None and not _is_positive(timeout, (int, float)):
        hint = "Use a positive number of seconds, or None for no deadline."
        yield _unknown("IDEMPOTENCY_TIMEOUT", timeout, hint, "lintel.E010")


def _hashed_tokens(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    names = given.get("DEFAULT_AUTHENTICATION_CLASSES") or ()
    is_read = any(str(name).startswith(f"{HASHED_TOKENS}.") for name in names)
    if is_read and not apps.is_installed(HASHED_TOKENS):
        yield Error(
            f"DEFAULT_AUTHENTICATION_CLASSES reads hashed tokens, and {HASHED_TOKENS} is not "
            "installed.",
            hint=f'Add "{HASHED_TOKENS}" to INSTALLED_APPS and run migrate.',
            id="lintel.E011",
        )


def _scopes(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    yield from _unknown_word(given, "CHALLENGES", CHALLENGES, "lintel.E024")
    challenge = given.get("SESSION_CHALLENGE")
    is_challenge = isinstance(challenge, str) and CHALLENGE.fullmatch(challenge)
    if challenge is not None and not is_challenge:
        hint = "Use the name of a scheme, maybe with parameters: 'Session realm=\"api\"'; or None."
        yield _unknown("SESSION_CHALLENGE", challenge, hint, "lintel.E024")
    scopes = given.get("SCOPES", {})
    if not isinstance(scopes, Mapping) or not all(map(_is_scope, scopes)):
        hint = "Use a dictionary from names without spaces and quotes to what they allow."
        yield _unknown("SCOPES", scopes, hint, "lintel.E024")


def _is_scope(name: object) -> bool:
    return isinstance(name, str) and SCOPE.fullmatch(name) is not None


def _error_format(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    yield from _unknown_word(given, "ERROR_FORMAT", ERROR_FORMATS, "lintel.E007")
    base = given.get("PROBLEM_TYPE_BASE")
    if not (base is None or isinstance(base, str)):
        hint = 'Use the prefix of a code, such as "https://example.com/problems/", or None.'
        yield _unknown("PROBLEM_TYPE_BASE", base, hint, "lintel.E007")


def _object_titles(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    titles = given.get("OBJECT_TITLES", SHOWN)
    if titles not in (True, False, SHOWN):
        hint = f'Use True, False or "{SHOWN}".'
        yield _unknown("OBJECT_TITLES", titles, hint, "lintel.E016")


def _misspelt(given: Mapping[str, Setting]) -> Iterator[CheckMessage]:
    names = [*DEFAULTS, *REMOVED_SETTINGS]
    for name in given:
        # Other packages keep settings of their own here, so only near misses are reported.
        close = [] if name in names else get_close_matches(str(name), names, n=1, cutoff=0.85)
        if close:
            yield Warning(
                f"{SETTINGS_NAME} has the unknown key '{name}'.",
                hint=f"Did you mean '{close[0]}'?",
                id="lintel.W001",
            )


_RULES: Sequence[Rule] = (
    *(_imports, _other_framework, _lists, _removed, _page_size, _compilation, _error_format),
    partial(_unknown_word, name="OPENAPI_VERSION", words=OPENAPI_VERSIONS, number="lintel.E008"),
    partial(_unknown_word, name="OPENAPI_OPERATION_IDS", words=OPERATION_IDS, number="lintel.E017"),
    partial(_unknown_word, name="COMPATIBLE_WITH", words=COMPATIBLE_VERSIONS, number="lintel.E015"),
    partial(_unknown_word, name="AUTO_FETCH", words=FETCH_MODES, number="lintel.E032"),
    partial(_unknown_word, name="NON_FINITE", words=NON_FINITE, number="lintel.E030"),
    partial(_unknown_word, name="ABSENT_CHECKBOX", words=ABSENT_CHECKBOXES, number="lintel.E031"),
    *(_object_titles, _strictness, _rate_limit_headers, _idempotency, _hashed_tokens, _misspelt),
    *(_proxies, _rates, _throttle_failures, _scopes, _health),
)
