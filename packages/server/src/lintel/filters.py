"""Filters that clients control by the query: search and ordering."""

from __future__ import annotations

import datetime
import operator
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import reduce
from typing import Any

from django.core.exceptions import (
    EmptyResultSet,
    FieldDoesNotExist,
    FieldError,
    ImproperlyConfigured,
)
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, models, transaction
from django.db.models.constants import LOOKUP_SEP
from django.template import loader
from django.utils.encoding import force_str as force_str
from django.utils.text import smart_split, unescape_string_literal
from django.utils.translation import gettext_lazy as _

from lintel.cycle.steps import prompt_when
from lintel.exceptions import ValidationError
from lintel.fields import CharField
from lintel.orm.managers import queryset_of
from lintel.problems.places import about_parameter
from lintel.provenance import is_of_django, is_ours
from lintel.settings import SettingDefault
from lintel.settings import api_settings as api_settings
from lintel_document import Field
from lintel_document import schemas as field_schemas


def search_smart_split(search_terms: str) -> Iterator[str]:
    """Yield the terms of a search: separated by spaces and commas, except inside quotes."""
    for part in smart_split(search_terms):
        text = part.strip(",")
        is_quoted = text.startswith(('"', "'"))
        if is_quoted and (text[0] == text[-1]):
            yield unescape_string_literal(text) if len(text) > 1 else ""
        else:
            yield from (term.strip() for term in text.split(",") if term.strip())


class BaseFilterBackend:
    """Base of all filters; ``filter_queryset`` may be ``async def``."""

    def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
        """Return the rows that this request is to see."""
        raise NotImplementedError(".filter_queryset() must be overridden.")

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the query parameters of this filter, for OpenAPI."""
        return []

    def get_schema_fields(self, view: Any) -> list[Field]:
        """Return the query parameters of this filter, for the native schema."""
        return []


def _text_parameter(name: str, description: Any) -> dict[str, Any]:
    return {
        "name": name,
        "required": False,
        "in": "query",
        "description": str(description),
        "schema": {"type": "string"},
    }


def _text_field(name: str, title: Any, description: Any) -> Field:
    schema = field_schemas.String(title=str(title), description=str(description))
    return Field(name=name, required=False, location="query", schema=schema)


#: The field that holds the terms of a search.
TERMS = CharField(trim_whitespace=False, allow_blank=True)


#: What a project may override of a filter without overriding the filter itself.
SEARCH_HOOKS = ("get_search_fields", "get_search_terms", "construct_search", "must_call_distinct")
ORDERING_HOOKS = (
    "get_ordering",
    "get_default_ordering",
    "get_default_valid_fields",
    "get_valid_fields",
    "remove_invalid_fields",
)


def _is_usual(backend: Any, queryset: Any, *hooks: str) -> bool:
    """Whether filter and queryset do what this module and Django make them do."""
    is_plain = isinstance(queryset, models.QuerySet) and all(
        is_of_django(getattr(queryset, each)) for each in ("filter", "order_by")
    )
    return is_plain and all(is_ours(getattr(backend, each)) for each in hooks)


REGEX_LOOKUPS = frozenset(["regex", "iregex"])


#: Lookups that compare text whatever the column is.
TEXT_LOOKUPS = REGEX_LOOKUPS | frozenset(
    [
        *("contains", "icontains", "startswith", "istartswith", "endswith", "iendswith"),
        *("iexact", "search"),
    ]
)


def search_asks_nobody(backend: SearchFilter, request: Any, queryset: Any, view: Any) -> bool:
    """Return whether neither the terms nor a hook can need a database query."""
    if not _is_usual(backend, queryset, *SEARCH_HOOKS):
        return False
    names = backend.get_search_fields(view, request) or ()
    kinds = {_kind(backend.construct_search(str(name), queryset)) for name in names}
    return kinds <= TEXT_LOOKUPS - REGEX_LOOKUPS


class SearchFilter(BaseFilterBackend):
    """Rows in which each term is found in one of ``search_fields`` of the view.

    A field may begin with a prefix: ``^`` starts with, ``=`` exactly, ``$`` regular expression,
    ``@`` full-text search (PostgreSQL); or it may end in any lookup of its own.
    """

    search_param: Any = SettingDefault("SEARCH_PARAM")
    template: str | None = "rest_framework/filters/search.html"
    lookup_prefixes: dict[str, str] = {
        "^": "istartswith",
        "=": "iexact",
        "@": "search",
        "$": "iregex",
    }
    default_lookup = "icontains"
    search_title: Any = _("Search")
    search_description: Any = _("A search term.")

    #: More terms than any person types would make a query that databases refuse.
    max_terms = 100

    #: SQLite refuses patterns of more than 50,000 bytes; a character may take four of them.
    max_term_length = 10_000

    #: The work of a regular expression grows faster than its length.
    max_regex_length = 200

    #: Each of ``.*.*.*`` multiplies the work by the length of the text, where Python does it.
    max_regex_repeats = 3

    def get_search_fields(self, view: Any, request: Any) -> Any:
        """Return the fields to search, with their prefixes."""
        return getattr(view, "search_fields", None)

    def get_search_terms(self, request: Any) -> list[str]:
        """Return the terms to look for. Raises ValidationError for text that no column can hold."""
        value = request.query_params.get(self.search_param, "")
        text = TERMS.run_validation(value)
        terms = list(search_smart_split(text))
        if len(terms) > self.max_terms:
            raise ValidationError(
                {self.search_param: [_("Too many search terms.")]}, code="too_many_terms"
            )
        if any(len(term) > self.max_term_length for term in terms):
            raise ValidationError(
                {self.search_param: [_("A search term is too long.")]}, code="term_too_long"
            )
        return terms

    def construct_search(self, field_name: str, queryset: Any) -> str:
        """Return the lookup for a field of ``search_fields``: ``^a`` gives ``a__istartswith``."""
        lookup = self.lookup_prefixes.get(field_name[:1])
        if lookup is not None:
            return LOOKUP_SEP.join([field_name[1:], lookup])
        if _ends_in_lookup(field_name, queryset):
            return field_name
        return LOOKUP_SEP.join([field_name, self.default_lookup])

    def must_call_distinct(self, queryset: Any, search_fields: Iterable[str]) -> bool:
        """Return whether a search can find a row more than once: through a relation to many."""
        prefixes = self.lookup_prefixes
        names = (field[1:] if field[:1] in prefixes else field for field in search_fields)
        return any(_leads_to_many(name, queryset) for name in names)

    @prompt_when(search_asks_nobody)
    def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
        """Return the rows in which every term is found.

        Raises ValidationError for unusable terms.
        """
        try:
            return _search(self, request, queryset, view)
        except ValidationError as error:
            raise about_parameter(error, self.search_param)  # noqa: B904 - the same error

    def to_html(self, request: Any, queryset: Any, view: Any) -> str:
        """Return the search box of the browsable interface; nothing where nothing is searched."""
        if not self.template or not getattr(view, "search_fields", None):
            return ""
        context = {
            "param": self.search_param,
            "term": request.query_params.get(self.search_param, ""),
        }
        return loader.get_template(self.template).render(context)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the query parameter of this filter, for OpenAPI."""
        return [_text_parameter(self.search_param, self.search_description)]

    def get_schema_fields(self, view: Any) -> list[Field]:
        """Return the query parameter of this filter, for the native schema."""
        return [_text_field(self.search_param, self.search_title, self.search_description)]


def _search(backend: SearchFilter, request: Any, queryset: Any, view: Any) -> Any:
    search_fields = backend.get_search_fields(view, request)
    terms = backend.get_search_terms(request)
    if not search_fields or not terms:
        return queryset
    queryset = queryset_of(queryset)
    names = [str(field) for field in search_fields]
    lookups = [backend.construct_search(name, queryset) for name in names]
    conditions = (_condition(backend, queryset, lookups, term) for term in terms)
    found = queryset.filter(reduce(operator.and_, conditions))
    if backend.must_call_distinct(queryset, names):
        # DISTINCT would compare whole rows, and not every column can be compared.
        return queryset.filter(models.Exists(found.filter(pk=models.OuterRef("pk"))))
    return found


def _condition(backend: SearchFilter, queryset: Any, lookups: list[str], term: str) -> models.Q:
    """The rows in which one of the lookups finds the term."""
    if any(_kind(lookup) in REGEX_LOOKUPS for lookup in lookups):
        if len(term) > backend.max_regex_length:
            message = _("The regular expression is too long.")
            raise ValidationError([message], code="regex_too_long")
        alias = getattr(queryset, "db", DEFAULT_DB_ALIAS)
        check_regex(term, alias, backend.max_regex_repeats)
    parts = [models.Q((lookup, term)) for lookup in lookups if _accepts(queryset, lookup, term)]
    return reduce(operator.or_, parts) if parts else models.Q(pk__in=[])


def _annotations(queryset: Any) -> Any:
    """The annotations of a queryset; none of a manager, or of what only resembles a queryset."""
    return getattr(getattr(queryset, "query", None), "annotations", {})


def _ends_in_lookup(field_name: str, queryset: Any) -> bool:
    """Whether the last part is a lookup: ``title__iendswith``, ``created__year__exact``."""
    path, _, last = field_name.rpartition(LOOKUP_SEP)
    field = _field_at_start(queryset, path.split(LOOKUP_SEP))
    return field is not None and bool(field.get_lookup(last))


def _leads_to_many(field_name: str, queryset: Any) -> bool:
    """Whether a relation to many stands in the path of a field."""
    options = queryset.model._meta
    parts = field_name.split(LOOKUP_SEP)
    if parts[0] in _annotations(queryset):
        return False
    for part in parts:
        try:
            field = options.pk if part == "pk" else options.get_field(part)
        except FieldDoesNotExist:
            return False
        path = getattr(field, "path_infos", ())
        if any(step.m2m for step in path):
            return True
        if not path:
            return False
        options = path[-1].to_opts
    return False


def _kind(lookup: str) -> str:
    return lookup.rpartition(LOOKUP_SEP)[2]


def _accepts(queryset: Any, lookup: str, term: str) -> bool:
    """Whether a column can be asked for a term; no number is equal to a word.

    Some values are only looked at when the query is written, such as years.
    """
    if _kind(lookup) in TEXT_LOOKUPS or not isinstance(queryset, models.QuerySet):
        return True
    try:
        found = queryset.filter(**{lookup: term})
        _sql, parameters = found.query.get_compiler(queryset.db).as_sql()
        if any(isinstance(each, Decimal | datetime.date) for each in parameters):
            # Python has numbers and days that a database has not.
            with transaction.atomic(queryset.db):
                found.explain()
    except EmptyResultSet:
        return True
    except (ValueError, TypeError, ArithmeticError, DjangoValidationError, DatabaseError):
        return False
    return True


def _field_at_start(queryset: Any, path: Iterable[str]) -> Any:
    """The annotation or model field that a path begins with, past all relations; or None."""
    options = queryset.model._meta
    field: Any = None
    for part in path:
        if field is None and part in _annotations(queryset):
            return _annotations(queryset)[part].output_field
        try:
            field = options.pk if part == "pk" else options.get_field(part)
        except FieldDoesNotExist:
            return field
        if not hasattr(field, "path_infos"):
            return field
        options = field.path_infos[-1].to_opts
    return field


#: How to try a regular expression on a database that knows other ones than Python does.
REGEX_TRIALS = {"postgresql": "SELECT '' ~* %s", "mysql": "SELECT '' REGEXP %s"}


def check_regex(pattern: str, alias: str, max_repeats: int = 3) -> None:
    """Raise ValidationError for a regular expression that the database would not take.

    Where Python does the matching (SQLite), also for one that may take forever: by a repeat inside
    of a repeat, or by more than ``max_repeats`` repeats, where four options count as one.
    """
    connection: Any = connections[alias]
    trial = REGEX_TRIALS.get(connection.vendor)
    try:
        if trial is None:
            re.compile(pattern)
            _refuse_nested_repeats(pattern)
            _refuse_many_repeats(pattern, max_repeats)
        else:
            _try_regex(connection, trial, pattern)
    except (re.error, OverflowError, RecursionError, DatabaseError) as error:
        raise ValidationError([_("Invalid regular expression.")], code="invalid_regex") from error


#: A comment or a blank between a group and its repeat would hide it.
VERBOSE_FLAG = re.compile(r"\(\?[aiLmsu]*x")

#: What an expression is made of: escapes, sets, groups, repeats, and all other characters.
REGEX_TOKENS = re.compile(
    r"""
    (?P<atom>\\. | \[\^?\]?(?:\\.|[^\]\\])*\])
    | (?P<open>\(\??)
    | (?P<close>\))
    | (?P<choice>\|)
    | (?P<repeat>[*+] | \{\d*,?\d*\})
    | (?P<option>\?)
    | .
    """,
    re.VERBOSE | re.DOTALL,
)


def _refuse_nested_repeats(pattern: str) -> None:
    """Raises ValidationError for a repeated group whose inside varies: ``(a+)+``, ``(a|aa)*``.

    There are exponentially many ways to match such a group against a text.
    """
    varies = [False]
    inside = False  # whether the item before is a group that varies
    is_nested = bool(VERBOSE_FLAG.search(pattern))
    for token in REGEX_TOKENS.finditer(pattern):
        kind = token.lastgroup
        is_nested |= inside and kind == "repeat"
        inside = kind == "close" and len(varies) > 1 and varies.pop()
        if kind == "open":
            varies.append(False)
        elif inside or kind in ("choice", "repeat", "option"):
            varies[-1] = True
    if is_nested:
        message = _("Repeats inside of repeats are not allowed in regular expressions.")
        raise ValidationError([message], code="regex_too_complex")


def _refuse_many_repeats(pattern: str, max_repeats: int) -> None:
    before: str | None = None
    weight = 0
    for token in REGEX_TOKENS.finditer(pattern):
        kind = token.lastgroup
        if kind == "repeat" and (token[0] in "*+" or "," in token[0]):
            weight += 4
        elif kind == "option" and before != "repeat":
            weight += 1
        before = kind
    if weight > 4 * max_repeats:
        raise ValidationError([_("Invalid regular expression.")], code="regex_too_complex")


def _try_regex(connection: Any, trial: str, pattern: str) -> None:
    # A failing statement would spoil a transaction that is open already.
    with transaction.atomic(connection.alias), connection.cursor() as cursor:
        cursor.execute(trial, [pattern])


class UnaccentedSearchFilter(SearchFilter):
    """A search that takes no notice of accents (PostgreSQL with the extension ``unaccent``)."""

    lookup_prefixes: dict[str, str] = {
        "^": "unaccent__istartswith",
        "=": "unaccent__iexact",
        "@": "search",
        "$": "unaccent__iregex",
    }
    default_lookup = "unaccent__icontains"


def ordering_asks_nobody(backend: OrderingFilter, request: Any, queryset: Any, view: Any) -> bool:
    """Return whether no code of the project, which might query a database, takes part."""
    if not _is_usual(backend, queryset, *ORDERING_HOOKS):
        return False
    if not request.query_params.get(backend.ordering_param):
        return True
    # The fields of a serializer may be made by the project, and so may the managers behind them.
    return getattr(view, "ordering_fields", backend.ordering_fields) is not None


class OrderingFilter(BaseFilterBackend):
    """Rows in the order that the client asks for: ``?ordering=-created,name``.

    Allowed are ``ordering_fields`` of the view: a list of names or of (name, label), or
    ``"__all__"`` for all columns of the model. Where it is not set, the fields that clients can
    read anyway are; what they cannot see they cannot learn from the order of rows either.
    """

    ordering_param: Any = SettingDefault("ORDERING_PARAM")
    ordering_fields: Any = None
    ordering_title: Any = _("Ordering")
    ordering_description: Any = _("Which field to use when ordering the results.")
    template: str | None = "rest_framework/filters/ordering.html"

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> Any:
        """Names to order by: the allowed ones of the request, or the default of the view."""
        value = request.query_params.get(self.ordering_param)
        if value:
            names = [name.strip() for name in value.split(",")]
            ordering = self.remove_invalid_fields(queryset, names, view, request)
            if ordering:
                return ordering
        return self.get_default_ordering(view)

    def get_default_ordering(self, view: Any) -> Any:
        """Names to order by where the request names none."""
        ordering = getattr(view, "ordering", None)
        return (ordering,) if isinstance(ordering, str) else ordering

    def get_default_valid_fields(
        self, queryset: Any, view: Any, context: Any = None
    ) -> list[tuple[str, Any]]:
        """Name and label of the columns behind the readable fields of the serializer."""
        serializer = _serializer_class(self, view)(context=context or {})
        model = getattr(queryset, "model", None)
        return [
            (field.source.replace(".", LOOKUP_SEP) or name, field.label)
            for name, field in serializer.fields.items()
            if not getattr(field, "write_only", False)
            and field.source != "*"
            and not isinstance(getattr(model, field.source, None), property)
        ]

    def get_valid_fields(
        self, queryset: Any, view: Any, context: Any = None
    ) -> list[tuple[str, Any]]:
        """Name and label of everything that the view may be ordered by."""
        valid = getattr(view, "ordering_fields", self.ordering_fields)
        if valid is None:
            return self.get_default_valid_fields(queryset, view, context)
        if valid == "__all__":
            columns = [(field.name, field.verbose_name) for field in queryset.model._meta.fields]
            return columns + [(name, name.title()) for name in _annotations(queryset)]
        return [(item, item) if isinstance(item, str) else item for item in valid]

    def remove_invalid_fields(
        self, queryset: Any, fields: Iterable[str], view: Any, request: Any
    ) -> list[str]:
        """Those of the names that are allowed, with their signs."""
        valid = {item[0] for item in self.get_valid_fields(queryset, view, {"request": request})}
        # Rows that are alike in a column stay alike when they are ordered by it once more.
        chosen: dict[str, str] = {}
        for name in fields:
            chosen.setdefault(name.removeprefix("-"), name)
        return [
            name
            for column, name in chosen.items()
            if column in valid and (_is_column(queryset, column) or _can_order(queryset, name))
        ]

    @prompt_when(ordering_asks_nobody)
    def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
        """Return the same rows in order."""
        ordering = self.get_ordering(request, queryset, view)
        return queryset.order_by(*ordering) if ordering else queryset

    def get_template_context(self, request: Any, queryset: Any, view: Any) -> dict[str, Any]:
        """Return the context passed to the template: each field, ascending and descending."""
        current = self.get_ordering(request, queryset, view)
        options = []
        for name, label in self.get_valid_fields(queryset, view, {"request": request}):
            options.append((name, f"{label} - {_('ascending')}"))
            options.append((f"-{name}", f"{label} - {_('descending')}"))
        return {
            "request": request,
            "current": current[0] if current else None,
            "param": self.ordering_param,
            "options": options,
        }

    def to_html(self, request: Any, queryset: Any, view: Any) -> str:
        """Return the choice of an order in the browsable interface; nothing without a template."""
        if not self.template:
            return ""
        template = loader.get_template(self.template)
        return template.render(self.get_template_context(request, queryset, view))

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the query parameter of this filter, for OpenAPI."""
        return [_text_parameter(self.ordering_param, self.ordering_description)]

    def get_schema_fields(self, view: Any) -> list[Field]:
        """Return the query parameter of this filter, for the native schema."""
        return [_text_field(self.ordering_param, self.ordering_title, self.ordering_description)]


def _is_column(queryset: Any, name: str) -> bool:
    """Whether a name is that of a column, so that no doubt is left about it."""
    if not isinstance(queryset, models.QuerySet) or queryset.query.is_sliced:
        return False
    try:
        return bool(queryset.model._meta.get_field(name).concrete)
    except FieldDoesNotExist:
        return False


def _can_order(queryset: Any, name: str) -> bool:
    """Whether there is a column behind a name: a readable field may be a method.

    What only resembles a queryset is not asked: it may order right away.
    """
    rows = queryset_of(queryset)
    if not isinstance(rows, models.QuerySet):
        return True
    try:
        rows.order_by(name)
    except (FieldError, TypeError):
        return False
    return True


def _serializer_class(backend: OrderingFilter, view: Any) -> Any:
    try:
        serializer_class = view.get_serializer_class()
    except AssertionError:
        serializer_class = None
    if serializer_class is None:
        raise ImproperlyConfigured(
            f"Cannot use {type(backend).__name__} on a view which does not have either a "
            "'serializer_class', an overriding 'get_serializer_class' or 'ordering_fields' "
            "attribute."
        )
    return serializer_class
