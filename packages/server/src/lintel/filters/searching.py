"""Searching: rows in which the terms of a query match."""

from __future__ import annotations

import datetime
import math
import operator
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import reduce
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, models, transaction
from django.db.models import QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.db.models.functions import Cast, Length
from django.template import loader
from django.utils.encoding import force_str as force_str
from django.utils.text import smart_split, unescape_string_literal
from django.utils.translation import gettext_lazy as _

from lintel.compatible import keeps
from lintel.exceptions import ValidationError
from lintel.fields.describing import Schema
from lintel.filters.base import BaseFilterBackend, is_usual
from lintel.filters.columns import (
    REGEX_LOOKUPS,
    TEXT_LOOKUPS,
    ends_in_lookup,
    field_at_start,
    filtered,
    leads_to_many,
    queryset_of,
)
from lintel.filters.comparisons import text_reader
from lintel.inspectors import query_field, query_parameter
from lintel.marks import prompt_when
from lintel.problems.places import about_parameter
from lintel.request import Request
from lintel.settings import SettingDefault
from lintel.settings import api_settings as api_settings
from lintel_document import Field


def search_smart_split(search_terms: str) -> Iterator[str]:
    """Yield the terms of a search: separated by spaces and commas, except inside quotes."""
    if ('"' in search_terms or "'" in search_terms) and keeps("search-terms"):
        yield from search_terms.replace(",", " ").split()
        return
    for part in smart_split(search_terms):
        text = part.strip(",")
        is_quoted = text.startswith(('"', "'"))
        if is_quoted and (text[0] == text[-1]):
            yield unescape_string_literal(text) if len(text) > 1 else ""
        else:
            yield from (term.strip() for term in text.split(",") if term.strip())


#: The form field of the search terms.
TERMS = text_reader()


#: Parts of a filter that a project may override without overriding the filter itself.
SEARCH_HOOKS = ("get_search_fields", "get_search_terms", "construct_search", "must_call_distinct")


def search_asks_nobody(
    backend: SearchFilter, request: Request, queryset: QuerySet[Any], view: object
) -> bool:
    """Return whether neither the terms nor a hook can need a database query."""
    if not is_usual(backend, queryset, *SEARCH_HOOKS):
        return False
    names = backend.get_search_fields(view, request) or ()
    kinds = {_kind(backend.construct_search(str(name), queryset)) for name in names}
    return kinds <= TEXT_LOOKUPS - REGEX_LOOKUPS


class SearchFilter(BaseFilterBackend):
    """Rows in which each term matches one of ``search_fields`` of the view.

    A field may start with a prefix: ``^`` starts with, ``=`` exactly, ``$`` regular expression,
    ``@`` full-text search (PostgreSQL); or it may end with any lookup.
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

    #: More terms than people type would make a query that databases reject.
    max_terms = 100

    #: SQLite rejects patterns of more than 50,000 bytes; a character may take four of them.
    max_term_length = 10_000

    #: The work of a regular expression grows faster than its length.
    max_regex_length = 200

    #: Where Python matches, each of ``.*.*.*`` multiplies the work by the length of the text.
    max_regex_repeats = 3

    #: Where Python matches: the steps that the texts which are there may take, about 0.2 seconds.
    max_regex_steps = 10_000_000

    def get_search_fields(self, view: Any, request: Request) -> Any:
        return getattr(view, "search_fields", None)

    def get_search_terms(self, request: Request) -> list[str]:
        """Return the search terms. Raises ValidationError for text that no column can hold."""
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

    def construct_search(self, field_name: str, queryset: QuerySet[Any]) -> str:
        """Return the lookup for a field of ``search_fields``: ``^a`` gives ``a__istartswith``."""
        lookup = self.lookup_prefixes.get(field_name[:1])
        if lookup is not None:
            return LOOKUP_SEP.join([field_name[1:], lookup])
        if ends_in_lookup(field_name, queryset):
            return field_name
        return LOOKUP_SEP.join([field_name, self.default_lookup])

    def must_call_distinct(self, queryset: QuerySet[Any], search_fields: Iterable[str]) -> bool:
        """Return whether a search can find a row more than once: through a to-many relation."""
        prefixes = self.lookup_prefixes
        names = (field[1:] if field[:1] in prefixes else field for field in search_fields)
        return any(leads_to_many(name, queryset) for name in names)

    @prompt_when(search_asks_nobody)
    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: Any) -> Any:
        """Return the rows that match every term. Raises ValidationError for unusable terms."""
        try:
            return _search(self, request, queryset, view)
        except ValidationError as error:
            raise about_parameter(error, self.search_param)  # noqa: B904 - the same error

    def to_html(self, request: Request, queryset: QuerySet[Any], view: Any) -> str:
        if not self.template or not getattr(view, "search_fields", None):
            return ""
        term = request.query_params.get(self.search_param, "")
        context = {"param": self.search_param, "term": term}
        return loader.get_template(self.template).render(context)

    def get_schema_operation_parameters(self, view: Any) -> list[Schema]:
        return [query_parameter(self.search_param, self.search_description)]

    def get_schema_fields(self, view: Any) -> list[Field]:
        return [query_field(self.search_param, self.search_title, self.search_description)]


def _search(
    backend: SearchFilter, request: Request, queryset: QuerySet[Any], view: object
) -> object:
    search_fields = backend.get_search_fields(view, request)
    terms = backend.get_search_terms(request)
    if not search_fields or not terms:
        return queryset
    queryset = queryset_of(queryset)
    names = [str(field) for field in search_fields]
    lookups = [backend.construct_search(name, queryset) for name in names]
    _check_regexes(backend, queryset, lookups, terms)
    conditions = (_condition(queryset, lookups, term) for term in terms)
    result = filtered(queryset, reduce(operator.and_, conditions))
    if backend.must_call_distinct(queryset, names):
        # DISTINCT would compare whole rows, and not every column can be compared.
        return queryset.filter(models.Exists(result.filter(pk=models.OuterRef("pk"))))
    return result


def _condition(queryset: QuerySet[Any], lookups: list[str], term: str) -> models.Q:
    parts = [models.Q((lookup, term)) for lookup in lookups if _accepts(queryset, lookup, term)]
    return reduce(operator.or_, parts) if parts else models.Q(pk__in=[])


def _check_regexes(
    backend: SearchFilter, queryset: QuerySet[Any], lookups: list[str], terms: list[str]
) -> None:
    """Raise ValidationError for terms that no column may be matched with."""
    matched = [lookup for lookup in lookups if _kind(lookup) in REGEX_LOOKUPS]
    if not matched:
        return
    alias = getattr(queryset, "db", DEFAULT_DB_ALIAS)
    for term in terms:
        if len(term) > backend.max_regex_length:
            message = _("The regular expression is too long.")
            raise ValidationError([message], code="regex_too_long")
        check_regex(term, alias, backend.max_regex_repeats)
    if connections[alias].vendor not in REGEX_TRIALS and isinstance(queryset, models.QuerySet):
        steps = sum(_steps(queryset, lookup, terms) for lookup in matched)
        if steps > backend.max_regex_steps:
            raise ValidationError([_("Invalid regular expression.")], code="regex_too_complex")


def _steps(queryset: models.QuerySet[Any], lookup: str, terms: list[str]) -> int:
    """Return how many steps Python may take to match the texts behind a lookup; 0 for few."""
    costs = [(_repeats(term), _ways(term)) for term in terms]
    if all(not repeats and ways <= _FEW_WAYS for repeats, ways in costs):
        return 0
    text = Cast(models.F(lookup.rpartition(LOOKUP_SEP)[0]), models.TextField())
    sizes = queryset.aggregate(total=models.Sum(Length(text)), longest=models.Max(Length(text)))
    total, longest = sizes["total"] or 0, sizes["longest"] or 0
    # With two repeats, there are C(n + 2, 3) ways to choose where a match and both repeats end.
    return sum(
        total * longest**repeats * ways // math.factorial(repeats + 1) for repeats, ways in costs
    )


def _kind(lookup: str) -> str:
    return lookup.rpartition(LOOKUP_SEP)[2]


def _accepts(queryset: QuerySet[Any], lookup: str, term: str) -> bool:
    """Some values, such as years, are only checked when the query is written."""
    if _kind(lookup) in TEXT_LOOKUPS or not isinstance(queryset, models.QuerySet):
        return True
    try:
        rows = queryset.filter(**{lookup: term})
        _sql, parameters = rows.query.get_compiler(queryset.db).as_sql()
        field = field_at_start(queryset, lookup.split(LOOKUP_SEP))
        if isinstance(field, models.DurationField) or any(
            isinstance(parameter, Decimal | datetime.date) for parameter in parameters
        ):
            # Python has numbers and dates that a database lacks; spans of time it takes as text.
            with transaction.atomic(queryset.db):
                rows.explain()
    except EmptyResultSet:
        return True
    except (ValueError, TypeError, ArithmeticError, DjangoValidationError, DatabaseError):
        return False
    return True


#: How to test a regular expression on databases whose dialect differs from Python's.
REGEX_TRIALS = {"postgresql": "SELECT '' ~* %s", "mysql": "SELECT '' REGEXP %s"}


def check_regex(pattern: str, alias: str, max_repeats: int = 3) -> None:
    """Raise ValidationError for a regular expression that the database would reject.

    If Python does the matching (SQLite), also for one that may take forever: because of a repeat
    inside a repeat, or more than ``max_repeats`` repeats and references to groups.
    """
    connection: Any = connections[alias]
    trial = REGEX_TRIALS.get(connection.vendor)
    try:
        if trial is None:
            re.compile(pattern)
            _refuse_nested_repeats(pattern)
            if _repeats(pattern) > max_repeats:
                message = _("Invalid regular expression.")
                raise ValidationError([message], code="regex_too_complex")
        else:
            # A failing statement would break an open transaction.
            with transaction.atomic(alias), connection.cursor() as cursor:
                cursor.execute(trial, [pattern])
    except (re.error, OverflowError, RecursionError, DatabaseError) as error:
        raise ValidationError([_("Invalid regular expression.")], code="invalid_regex") from error


#: Comments hide what they stand between, and may hold half of a set; so may whitespace.
COMMENTS = re.compile(r"\(\?(?:#|[aiLmsu]*x)")

#: The parts of an expression: escapes, sets, groups, repeats, and all other characters.
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
    """There are exponentially many ways to match ``(a+)+`` or ``(a|aa)*`` against a text."""
    varies = [False]
    inside = False  # whether the item before is a group that varies
    is_nested = bool(COMMENTS.search(pattern))
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


#: Parts that may match texts of different lengths: repeats, and what a group has matched.
VARIABLE_PART = re.compile(r"[*+]|\{\d*,\d*\}|\\[1-9]")
FIXED_REPEAT = re.compile(r"\{(\d+)\}")

#: An expression with so few ways to match at a position costs no more than any other search.
_FEW_WAYS = 16


def _repeats(pattern: str) -> int:
    """Return how many parts of a pattern multiply the work by the length of the text."""
    kinds = [token[0] for token in REGEX_TOKENS.finditer(pattern)]
    return pattern.count("(?P=") + sum(bool(VARIABLE_PART.fullmatch(part)) for part in kinds)


def _ways(pattern: str) -> int:
    """Of alternatives one is taken in each group, of options each or not; without the repeats."""
    ways = 1
    groups = [1]
    before: str | None = None
    for token in REGEX_TOKENS.finditer(pattern):
        kind = token.lastgroup
        if kind == "open":
            groups.append(1)
        elif kind == "choice":
            groups[-1] += 1
        elif kind == "close" and len(groups) > 1:
            ways *= groups.pop()
        else:
            ways *= _factor(kind, before, token[0])
        before = kind
    return ways * groups[0]


def _factor(kind: str | None, before: str | None, part: str) -> int:
    if kind == "option":
        return 1 if before == "repeat" else 2
    times = FIXED_REPEAT.fullmatch(part)
    return max(1, int(times[1])) if times else 1


class UnaccentedSearchFilter(SearchFilter):
    """A search that ignores accents (PostgreSQL with the extension ``unaccent``)."""

    lookup_prefixes: dict[str, str] = {
        "^": "unaccent__istartswith",
        "=": "unaccent__iexact",
        "@": "search",
        "$": "unaccent__iregex",
    }
    default_lookup = "unaccent__icontains"
