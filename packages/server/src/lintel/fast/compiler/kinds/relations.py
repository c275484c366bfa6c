"""Related objects, as one of their columns or as text."""

from operator import attrgetter

from django.db.models import Model

from lintel.fast import tools
from lintel.fast.compiler.kinds.base import Acceptance, Kind
from lintel.fast.compiler.plan import FieldPlan
from lintel.fast.keys import finder
from lintel.fast.relations import has_plain_key
from lintel.settings import FROM_VIEW
from lintel.trust.source import Source, is_identifier

#: Kinds of relations that are read from the row of a model instance.
RELATED = ("primary_key", "string_related", "slug_related")

#: The attribute that names the key of a kind. A primary key may have a field that converts it.
_KEYS = {"primary_key": "pk_field", "slug_related": "slug_field"}

_KEY_TYPES = frozenset({int, str})


def related_text(source: Source, plan: FieldPlan, value: str, model: type[Model]) -> str:
    """Return the expression for an existing related object; empty if only a call will do."""
    kind = "" if plan.access is None else plan.reading_kind
    if kind == "primary_key" and plan.option("pk_field") is None:
        key = f"{value}.{model._meta.pk.attname if has_plain_key(model) else 'pk'}"
        return key_shown(plan, key)
    if kind == "string_related":
        return f"str({value})"
    if kind == "slug_related":
        path = plan.option("slug_field").replace("__", ".")
        if is_identifier(path):
            return f"{value}.{path}"
        return f"{source.bind('slug_of', attrgetter(path))}({value})"
    return ""


def key_shown(plan: FieldPlan, key: str, may_be_none: bool = False) -> str:
    """Return the expression for what a relation shows of a key, the value of an expression."""
    if plan.reading_kind != "primary_key" or not plan.option("coerce_to_string"):
        return key
    return f"None if {key} is None else str({key})" if may_be_none else f"str({key})"


def _accept(source: Source, plan: FieldPlan, value: str) -> Acceptance | None:
    writing, validation = plan.writing, plan.validation
    if writing is None or validation is None or validation.kind != "related" or plan.validators:
        return None
    key = writing.option(_KEYS[writing.kind])
    if writing.kind == "primary_key":
        key = "pk" if key is None else None
    follows_view = writing.option("scope_class") == FROM_VIEW
    if key is None or not (follows_view or writing.option("scope_class") is None):
        return None
    find = finder(plan.name, writing.option("queryset"), key, follows_view)
    if find is None:
        return None
    row = source.local("found")
    call = f"{source.bind(f'find_{plan.name}', find)}(serializer, {value}, errors)"
    test = f"({row} := {call}) is not {source.bind('empty', tools.lent.empty)}"
    keys = source.bind("key_types", _KEY_TYPES)
    return Acceptance(value, f"type({value}) in {keys} and {test}", row, f"{row} is not None")


KINDS = {kind: Kind(accept=_accept) for kind in _KEYS}
