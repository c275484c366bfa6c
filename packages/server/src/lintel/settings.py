"""Settings: the dictionary ``REST_FRAMEWORK`` of the Django settings over the defaults below.

Values are looked up when they are used, never when a module is imported: ``api_settings.NAME``
reads and caches one value, a class attribute made by :class:`SettingDefault` reads it on each
access. Both follow ``override_settings(REST_FRAMEWORK=...)``, also on existing views.
"""

from collections.abc import Callable, Iterable, Mapping
from os import environ

from django.conf import settings
from django.core.signals import setting_changed
from django.utils.module_loading import import_string

from lintel import DJANGO_DURATION_FORMAT as DJANGO_DURATION_FORMAT
from lintel import ISO_8601 as ISO_8601
from lintel.annotations import Setting

#: The attribute of the Django settings that holds ours.
SETTINGS_NAME = "REST_FRAMEWORK"

#: Values of COMPILE_SERIALIZERS and READ_FROM_ROWS; words come from the environment, and from
#: settings of earlier versions.
OFF = (False, "never")
ON = (True, "always", "second use")

#: Values of ERROR_FORMAT.
ERROR_FORMATS = DRF, PROBLEM, BOTH = ("drf", "problem", "both")

#: Values of RATE_LIMIT_HEADERS, beside False.
RATE_LIMIT_FORMS = DRAFT, LEGACY, _ = ("draft", "legacy", BOTH)

#: Values of THROTTLE_ON_FAILURE, beside None; the first is also one of AUTO_FETCH.
FAILURE_POLICIES = _, ALLOW, _ = ("raise", "allow", "deny")

#: Values of AUTO_FETCH.
FETCH_MODES = PLAN, PEERS, RAISE, NEVER = ("plan", "peers", "raise", "off")

#: Values of CHALLENGES.
CHALLENGES = FIRST, ALL = ("first", "all")

#: Values of NON_FINITE.
NON_FINITE = ERROR, NULL, STRING = ("error", "null", "string")

#: Values of ABSENT_CHECKBOX.
ABSENT_CHECKBOXES = FALSE, ABSENT = ("false", "absent")

#: The value of OBJECT_TITLES, beside True and False.
SHOWN = "shown"

#: The ``scope_class`` of relations that follow the view of their serializer.
FROM_VIEW = "view"

#: Values of IDEMPOTENCY_STORE.
IDEMPOTENCY_STORES = IN_DATABASE, IN_CACHE = ("database", "cache")

#: Values of COMPATIBLE_WITH, oldest first.
COMPATIBLE_VERSIONS = ("3.14", "3.15", "3.16", "3.17", "3.18")

#: Values of OPENAPI_OPERATION_IDS.
OPERATION_IDS = ("model", "path")

#: Values of OPENAPI_VERSION, with the versions that documents name.
OPENAPI_VERSIONS = {"3.0.2": "3.0.2", "3.0.3": "3.0.3", "3.1": "3.1.0", "3.2": "3.2.0"}

DEFAULTS: dict[str, Setting] = {
    # policies
    "DEFAULT_RENDERER_CLASSES": [
        "lintel.renderers.JSONRenderer",
        "lintel.renderers.BrowsableAPIRenderer",
    ],
    "DEFAULT_PARSER_CLASSES": [
        "lintel.parsers.JSONParser",
        "lintel.parsers.FormParser",
        "lintel.parsers.MultiPartParser",
    ],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "lintel.authentication.SessionAuthentication",
        "lintel.authentication.BasicAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["lintel.permissions.AllowAny"],
    "DEFAULT_THROTTLE_CLASSES": [],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "lintel.negotiation.DefaultContentNegotiation",
    "DEFAULT_METADATA_CLASS": "lintel.metadata.SimpleMetadata",
    "DEFAULT_VERSIONING_CLASS": None,
    # generic views
    "DEFAULT_PAGINATION_CLASS": None,
    "DEFAULT_FILTER_BACKENDS": [],
    # which rows a request may see and refer to; None for all
    "DEFAULT_SCOPE_CLASS": None,
    # schema
    "DEFAULT_SCHEMA_CLASS": "lintel.schemas.openapi.AutoSchema",
    # names of the URL patterns of schema views, which the root view and the catalog link to
    "SERVICE_DESCRIPTION": None,
    # tools for agents: whether operations that write are offered, pages of which other origins may
    # call, who issues tokens for them, and their scopes
    "MCP_ALLOW_WRITE": False,
    "MCP_ORIGINS": [],
    "MCP_AUTHORIZATION_SERVERS": [],
    "MCP_SCOPES": [],
    # throttling
    "DEFAULT_THROTTLE_RATES": {"user": None, "anon": None},
    "NUM_PROXIES": None,
    # networks of proxies whose CLIENT_IP_HEADER is believed; None: NUM_PROXIES decides
    "TRUSTED_PROXIES": None,
    "CLIENT_IP_HEADER": "X-Forwarded-For",
    # the number of requests above which limits keep a level instead of a time for each request
    "THROTTLE_GCRA_ABOVE": None,
    # "raise", "allow" or "deny" while the cache of a throttle does not answer within the seconds of
    # THROTTLE_TIMEOUT; None: "deny", without a deadline
    "THROTTLE_ON_FAILURE": None,
    "THROTTLE_TIMEOUT": 0.25,
    # "draft" for RateLimit headers, "legacy" for X-RateLimit ones, "both"; False for none
    "RATE_LIMIT_HEADERS": False,
    # health: what the view `ready` asks, within how many seconds, networks whose clients see what
    # failed, and the file that says that the service is about to stop
    "HEALTH_CHECKS": [
        "lintel.health.databases",
        "lintel.health.migrations",
        "lintel.health.caches",
    ],
    "HEALTH_TIMEOUT": 1.0,
    "HEALTH_OPERATORS": [],
    "HEALTH_DRAIN_FILE": None,
    # whether the lines of requests name the key of the user
    "REQUEST_LOG_USER": False,
    # whether traces have spans for statements to databases
    "TELEMETRY_STATEMENTS": True,
    # pagination
    "PAGE_SIZE": None,
    # whether cursors must be signed
    "SIGN_CURSORS": False,
    # filtering
    "SEARCH_PARAM": "search",
    "ORDERING_PARAM": "ordering",
    # whether query parameters that no part of the view declares are rejected with 400, or "report"
    "STRICT_QUERY_PARAMS": False,
    # where responses to an Idempotency-Key are kept, the cache for them, and for how long
    "IDEMPOTENCY_STORE": IN_DATABASE,
    "IDEMPOTENCY_CACHE": "default",
    "IDEMPOTENCY_SECONDS": 24 * 60 * 60,
    # after how many seconds a cache on another host counts as away; None: never
    "IDEMPOTENCY_TIMEOUT": 5.0,
    # versioning
    "DEFAULT_VERSION": None,
    "ALLOWED_VERSIONS": None,
    "VERSION_PARAM": "version",
    # authentication
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "UNAUTHENTICATED_TOKEN": None,
    # whose challenges a 401 has: of the "first" authentication class, or of "all"
    "CHALLENGES": FIRST,
    # what WWW-Authenticate says for sessions, whose refusals are then 401; None: they are 403
    "SESSION_CHALLENGE": None,
    # names of scopes, with what they allow
    "SCOPES": {},
    # access tokens: who issues them, whom they must be for (a text or a list), the issuer's keys
    "JWT_ISSUER": None,
    "JWT_AUDIENCE": None,
    "JWT_KEYS_URL": None,
    # views
    "VIEW_NAME_FUNCTION": "lintel.views.get_view_name",
    "VIEW_DESCRIPTION_FUNCTION": "lintel.views.get_view_description",
    # errors
    "EXCEPTION_HANDLER": "lintel.views.exception_handler",
    # whether errors that mean that a database or a cache is away are 503, not 500
    "SERVICE_ERRORS": False,
    # "drf" for the known bodies, "problem" for those of RFC 9457, "both" depending on Accept
    "ERROR_FORMAT": DRF,
    # the prefix of a problem's type, before its code; None for about:blank
    "PROBLEM_TYPE_BASE": None,
    "NON_FIELD_ERRORS_KEY": "non_field_errors",
    "LIST_SERIALIZER_ERRORS_AS_DICT": True,
    # input keys without a field: "ignore", "report" or "forbid"; Meta.extra takes precedence
    "EXTRA_INPUT": "ignore",
    # False: all in the plain way; else whether generated functions replace loops over fields, and
    # rows replace instances
    "SHORTCUTS": environ.get("LINTEL_SHORTCUTS") != "off",
    "COMPILE_SERIALIZERS": environ.get("LINTEL_COMPILE_SERIALIZERS", True),
    "READ_FROM_ROWS": environ.get("LINTEL_READ_FROM_ROWS", True),
    # relations of lists: "plan" loads what fields read, "peers" also what methods read, "raise"
    # refuses that, "off" loads nothing
    "AUTO_FETCH": PLAN,
    # status if the database rejects a duplicate that validation could not see: 400, 409, or
    # None for the error of the database
    "UNIQUE_RACE_STATUS": None,
    # whether columns that the database fills (db_default) may be absent from input
    "OPTIONAL_DB_DEFAULTS": False,
    # tests
    "TEST_REQUEST_RENDERER_CLASSES": [
        "lintel.renderers.MultiPartRenderer",
        "lintel.renderers.JSONRenderer",
    ],
    "TEST_REQUEST_DEFAULT_FORMAT": "multipart",
    # URLs
    "URL_FORMAT_OVERRIDE": "format",
    "FORMAT_SUFFIX_KWARG": "format",
    "URL_FIELD_NAME": "url",
    # dates and times
    "DATE_FORMAT": ISO_8601,
    "DATE_INPUT_FORMATS": [ISO_8601],
    "DATETIME_FORMAT": ISO_8601,
    "DATETIME_INPUT_FORMATS": [ISO_8601],
    "TIME_FORMAT": ISO_8601,
    "TIME_INPUT_FORMATS": [ISO_8601],
    "DURATION_FORMAT": DJANGO_DURATION_FORMAT,
    # JSON
    "UNICODE_JSON": True,
    "COMPACT_JSON": True,
    "STRICT_JSON": True,
    # NaN and the infinities in responses: "error", "null", or "string" for their names
    "NON_FINITE": ERROR,
    "COERCE_DECIMAL_TO_STRING": True,
    "COERCE_BIGINT_TO_STRING": False,
    "UPLOADED_FILES_USE_URL": True,
    # the browsable interface
    # the title of the API on its pages and in documents; None for "Browsable API"
    "API_TITLE": None,
    # whether pages of one object are titled with its text: "shown" where every word of it is in the
    # response, True always, False never
    "OBJECT_TITLES": SHOWN,
    # what a form without a checkbox says of its field: "false", or "absent" as elsewhere
    "ABSENT_CHECKBOX": FALSE,
    "HTML_SELECT_CUTOFF": 1000,
    "HTML_SELECT_CUTOFF_TEXT": "More than {count} items...",
    # whether knowledge of Django's ORM internals is used; the variable is for tests
    "ORM_SHORTCUTS": environ.get("LINTEL_ORM_SHORTCUTS") != "off",
    # the version of OpenAPI of schemas; all but 3.0.2 describe errors, security and directions
    "OPENAPI_VERSION": "3.0.2",
    # the version of REST framework whose answers are kept where later ones changed them
    "COMPATIBLE_WITH": COMPATIBLE_VERSIONS[-1],
    # what identifiers of operations in full documents come from: "model" (listTags), "path"
    "OPENAPI_OPERATION_IDS": "model",
    # further parts of documents by the keys of OpenAPI: info, servers, tags, externalDocs, …
    "OPENAPI_DOCUMENT": {},
    # whether a serializer whose directions differ has a component for each; None: True, unless
    # the setting of drf-spectacular is False
    "OPENAPI_SPLIT_COMPONENTS": None,
    # schema generation: makes the request of views that are described without one, or None
    "SCHEMA_REQUEST": "lintel.schemas.standins.stand_in_request",
    "SCHEMA_COERCE_PATH_PK": True,
    "SCHEMA_COERCE_METHOD_NAMES": {"retrieve": "read", "destroy": "delete"},
}

#: Settings whose dotted strings name an object to import.
IMPORT_STRINGS: list[str] = [
    *("DEFAULT_RENDERER_CLASSES", "DEFAULT_PARSER_CLASSES", "DEFAULT_AUTHENTICATION_CLASSES"),
    *("DEFAULT_PERMISSION_CLASSES", "DEFAULT_THROTTLE_CLASSES"),
    *("DEFAULT_CONTENT_NEGOTIATION_CLASS", "DEFAULT_METADATA_CLASS"),
    *("DEFAULT_VERSIONING_CLASS", "DEFAULT_PAGINATION_CLASS", "DEFAULT_FILTER_BACKENDS"),
    *("DEFAULT_SCHEMA_CLASS", "EXCEPTION_HANDLER", "TEST_REQUEST_RENDERER_CLASSES"),
    *("UNAUTHENTICATED_USER", "UNAUTHENTICATED_TOKEN", "VIEW_NAME_FUNCTION"),
    "VIEW_DESCRIPTION_FUNCTION",
]

#: Those that the known API does not have.
OWN_IMPORT_STRINGS: list[str] = ["DEFAULT_SCOPE_CLASS", "SCHEMA_REQUEST", "HEALTH_CHECKS"]

#: Removed settings: a system check warns of them, and a package that passes one gets an error.
REMOVED_SETTINGS: list[str] = ["PAGINATE_BY", "PAGINATE_BY_PARAM", "MAX_PAGINATE_BY"]


def perform_import(val: Setting, setting_name: str) -> Setting:
    """Import the objects that dotted strings in ``val`` name; return anything else unchanged."""
    if isinstance(val, str):
        return import_from_string(val, setting_name)
    if isinstance(val, list | tuple):
        return [perform_import(item, setting_name) for item in val]
    return val


def import_from_string(val: str, setting_name: str) -> Setting:
    """Import one dotted name. Raises ImportError with the name of the setting."""
    try:
        return import_string(val)
    except ImportError as error:
        message = (
            f"Could not import '{val}' for API setting '{setting_name}'. "
            f"{type(error).__name__}: {error}."
        )
        raise ImportError(message) from error


class APISettings:
    """Attribute access to one dictionary of settings with defaults.

    Third-party packages create their own from ``user_settings``, ``defaults`` and
    ``import_strings``. A value is imported and cached on first access, until :meth:`reload`.
    """

    def __init__(
        self,
        user_settings: Mapping[str, Setting] | None = None,
        defaults: Mapping[str, Setting] | None = None,
        import_strings: Iterable[str] | None = None,
    ) -> None:
        if user_settings:
            self._user_settings = _without_removed(user_settings)
        self.defaults = DEFAULTS if defaults is None else defaults
        self.import_strings = IMPORT_STRINGS if import_strings is None else import_strings
        self._cached_attrs: set[str] = set()
        #: Incremented by each reload: values derived from settings compare it.
        self.generation: int = 0

    @property
    def user_settings(self) -> Mapping[str, Setting]:
        """Return the project's settings, read from the Django settings on first use."""
        if "_user_settings" not in self.__dict__:
            self._user_settings = getattr(settings, SETTINGS_NAME, None) or {}
        return self._user_settings

    def __getattr__(self, attr: str) -> Setting:
        if attr.startswith("_") or "defaults" not in self.__dict__ or attr not in self.defaults:
            raise AttributeError(f"Invalid API setting: '{attr}'")
        value = self.user_settings.get(attr, self.defaults[attr])
        if attr in self.import_strings:
            value = perform_import(value, attr)
        self._cached_attrs.add(attr)
        self.__dict__[attr] = value
        return value

    def __setattr__(self, attr: str, value: object) -> None:
        super().__setattr__(attr, value)
        _tell_of(self, attr)

    def __delattr__(self, attr: str) -> None:
        super().__delattr__(attr)
        _tell_of(self, attr)

    def reload(self) -> None:
        """Forget every value, so that each is read again."""
        for name in self._cached_attrs:
            self.__dict__.pop(name, None)
        self._cached_attrs.clear()
        self.__dict__.pop("_user_settings", None)
        self.generation += 1
        _put_back()


def _tell_of(instance: APISettings, attr: str) -> None:
    if attr in instance.__dict__.get("defaults", ()):
        instance.generation += 1
        _put_back()


def _without_removed(user_settings: Mapping[str, Setting]) -> Mapping[str, Setting]:
    for name in REMOVED_SETTINGS:
        if name in user_settings:
            raise RuntimeError(
                f"The '{name}' setting has been removed. Set 'PAGE_SIZE' and "
                "'DEFAULT_PAGINATION_CLASS', or the attributes of a pagination class."
            )
    return user_settings


api_settings: APISettings = APISettings(None, DEFAULTS, IMPORT_STRINGS + OWN_IMPORT_STRINGS)

#: The blocks in which SHORTCUTS is off, whatever the setting says.
blocks_without: list[object] = []


def is_off() -> bool:
    """Whether all is done in the plain way; what is asked often asks both without a call."""
    return bool(blocks_without) or not api_settings.SHORTCUTS


def reload_api_settings(*args: object, **kwargs: object) -> None:
    """Reload when our dictionary was changed; receiver of Django's ``setting_changed``."""
    if kwargs.get("setting") == SETTINGS_NAME:
        api_settings.reload()


setting_changed.connect(reload_api_settings)


class SettingDefault:
    """A class attribute whose value is a setting.

    ``permission_classes = SettingDefault("DEFAULT_PERMISSION_CLASSES")`` on a base class: a
    subclass or an instance that assigns the attribute wins, everything else follows the setting.
    ``convert`` makes the value from that of the setting.

    The first access replaces this descriptor with the value, so that later ones cost no
    more than any attribute; a reload restores the descriptor.
    """

    __slots__ = ("attribute", "convert", "holder", "name", "value")

    def __init__(self, name: str, convert: Callable[[Setting], Setting] | None = None) -> None:
        self.name = name
        self.convert = convert
        self.holder: type | None = None
        self.attribute = ""
        self.value: Setting = None

    def __set_name__(self, owner: type, name: str) -> None:
        self.holder, self.attribute = owner, name

    def __get__(self, instance: object, owner: type | None = None) -> Setting:
        generation = api_settings.generation
        value = getattr(api_settings, self.name)
        if self.convert is not None:
            value = self.convert(value)
        if self.holder is not None and not hasattr(type(value), "__get__"):
            self._place(value, generation)
        return value

    def _place(self, value: Setting, generation: int) -> None:
        if vars(self.holder).get(self.attribute) is not self:
            return
        self.value = value
        _placed.add(self)
        setattr(self.holder, self.attribute, value)
        if api_settings.generation != generation:  # another thread has reloaded in the meantime
            _put_back()


#: The descriptors replaced by their values.
_placed: set[SettingDefault] = set()


def _put_back() -> None:
    """Restore all descriptors, except where something else has been assigned since."""
    # A test that patches the attribute may restore the value after this: the next reload finds it.
    for default in list(_placed):
        if vars(default.holder).get(default.attribute) is default.value:
            setattr(default.holder, default.attribute, default)
            _placed.discard(default)


def follows_setting(holder: type, attribute: str) -> bool:
    """Return whether a class itself, not one of its bases, leaves the attribute to a setting."""
    value = vars(holder).get(attribute)
    return isinstance(value, SettingDefault) or any(
        default.holder is holder and default.attribute == attribute and default.value is value
        for default in list(_placed)
    )


def full_version(version: str) -> str:
    return OPENAPI_VERSIONS.get(version, str(version))
