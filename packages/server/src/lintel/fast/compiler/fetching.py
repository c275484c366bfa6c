"""QuerySet → primitives, without model instances: one generated function per plan and model.

The text of a fetcher::

    def fetcher(serializer):
        def fetch(rows):
            result = []
            tags_of = {}
            for row_key, title, author_key, name in rows.read():
                tags = []
                tags_of.setdefault(row_key, []).append(tags)
                result.append({
                    "title": title if type(title) is str else finish(...),
                    "author": None if author_key is None else {
                        "name": name if type(name) is str else finish(...),
                    },
                    "tags": tags,
                })
            for parent, name_2 in related_rows(
                rows, tags_relation, tags_of, names, encoders_2
            ):
                for items in tags_of[parent]:
                    items.append({"name": ...})
            return result

        return fetch

Columns with an encoder may already arrive as text (:mod:`lintel.fast.compiler.kinds`).

The query selects the columns that the plan needs, joined ones included; each to-many relation
adds one query. :class:`Unfetchable` says why a plan needs instances. What may differ between
querysets is checked each time (:mod:`lintel.fast.querysets`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Field, Model, QuerySet

from lintel.fast import pages, querysets, tools
from lintel.fast.compiler import runtime
from lintel.fast.compiler.access import key_text
from lintel.fast.compiler.kinds import encoder_of, key_shown, shape
from lintel.fast.compiler.plan import FieldPlan, SerializerPlan
from lintel.fast.compiler.protocols import CompiledSerializer, Encoder, MakeRead
from lintel.fast.originals import JOINED, MANY
from lintel.fast.relations import (
    Attributes,
    Path,
    Relation,
    ToMany,
    always_finds,
    finds_all,
    has_plain_key,
    is_column,
    shown_by_key,
    static,
    to_one,
)
from lintel.fast.vocabulary import is_plain_model, is_routed
from lintel.trust.source import Source
from lintel.trust.store import Store

_PLAIN = ("fields", "_readable_fields", "to_representation")


class Unfetchable(Exception):
    """The plan needs model instances; the message says which field, and why.

    ``special`` is the model that creates its instances in its own way, if that is the reason.
    """

    def __init__(self, reason: str, special: type[Model] | None = None) -> None:
        super().__init__(reason)
        self.special = special


@dataclass(slots=True)
class Fetching:
    """The fetchers of one serializer plan, one per model."""

    plan: SerializerPlan
    #: Texts, or the reasons why there are none, with the model attributes they depend on; by model
    #: and the annotations that they show.
    texts: Store[tuple[type, frozenset[str]], tuple[FetcherText | Unfetchable, Attributes]] = field(
        default_factory=Store
    )
    #: The first steps to what is shown.
    _sources: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self._sources = frozenset(
            [plan.source_attrs[0] for plan in self.plan.fields if len(plan.source_attrs) == 1]
        )

    def bind(
        self,
        serializer: CompiledSerializer,
        queryset: QuerySet[Any],
        page: pages.LazyPage | None = None,
    ) -> pages.Fetch | None:
        """Return what reads a queryset, or a page of it, at once; None for instances."""
        # A query is not even looked at then: relations write theirs when somebody does.
        if queryset._result_cache is not None:
            return None
        if not MANY.may_be_replaced() or (
            queryset.query.select_related and not JOINED.may_be_replaced()
        ):
            return None
        computed = queryset.query.annotations
        text = self.text(queryset.model, self._sources.intersection(computed) if computed else ())
        if isinstance(text, Unfetchable) or not text.can_read(queryset):
            return None
        rows = pages.Rows.of(queryset, text.columns, text.encoders, page)
        if rows is None:
            return None
        if querysets.lookups_of(queryset):
            rows.chosen = text.chosen_in(queryset) or {}
        return partial(text.fetcher(serializer), rows)

    def text(self, model: type, computed: Iterable[str] = ()) -> FetcherText | Unfetchable:
        """``computed``: names of annotations that each row has beside its columns."""
        key = model, frozenset(computed)
        entry = self.texts.get(key)
        if entry is not None:
            text, attributes = entry
            is_outdated = text.special is not None and is_plain_model(text.special)
            if not is_outdated and attributes.still_holds():
                return text
        attributes = Attributes()
        try:
            text = FetcherText(self.plan, model, attributes, key[1])
        except Unfetchable as reason:
            text = reason
        self.texts.keep(key, (text, attributes))
        return text


@dataclass(slots=True)
class Query:
    """One query while its text is written: its columns and the variables that hold them.

    ``encoders``: how a column is converted to text at once; None where its values are needed.
    """

    columns: dict[str, str] = field(default_factory=dict)
    encoders: dict[str, Encoder | None] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def encoders_in_order(self) -> tuple[Encoder | None, ...]:
        return tuple(self.encoders.get(name) for name in self.columns)


@dataclass(slots=True)
class Related:
    """The query of one to-many relation: the lists that it fills, and their contents."""

    relation: ToMany
    query: Query
    bound: str
    lists: str
    paths: frozenset[Path] = frozenset()
    items: list[str] = field(default_factory=list)
    values: list[Callable[[], list[str]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Scope:
    """The current position of the text: its query, model and serializer."""

    query: Query
    plan: SerializerPlan
    model: type[Model]
    prefix: str
    serializer: str
    key: str
    related: dict[str, Related] = field(default_factory=dict)


class FetcherText:
    """Writes ``fetcher(serializer)`` for one plan and model. Raises Unfetchable."""

    #: As of a reason why there is no text.
    special = None

    def __init__(
        self,
        plan: SerializerPlan,
        model: type[Model],
        attributes: Attributes,
        computed: frozenset[str] = frozenset(),
    ) -> None:
        self.attributes = attributes
        self.computed = computed
        self.plan = plan
        self.model = model
        self.models: set[type[Model]] = set()
        #: The models whose rows are joined to others.
        self.joined: set[type[Model]] = set()
        self.related: list[Related] = []
        #: Those of the model itself.
        self.own_relations: list[ToMany] = []
        self.paths: frozenset[Path] = frozenset()
        self.relations: frozenset[str] = frozenset()
        self.source: Source = Source(f"lintel fetching {plan.title} from {model.__qualname__}")
        self.loops: list[tuple[Related, list[str]]] = []
        self.waiting: list[Callable[[], None]] = []
        self.serializer: str = "serializer"
        for name in ("serializer", "rows", "result", "items", "fetch", "fetcher"):
            self.source.local(name)
        self._write()
        self.fetcher: MakeRead = self.source.build("fetcher")

    def can_read(self, queryset: QuerySet[Any]) -> bool:
        if querysets.needs_instances(queryset, self.relations, self.columns, self.paths):
            return False
        if len(self.models) > 1 and is_routed():
            return False
        for model in self.joined:
            if not is_plain_model(model) or not finds_all(model._base_manager):
                return False
        chosen = self.chosen_in(queryset) if querysets.lookups_of(queryset) else {}
        if chosen is None:
            return False
        for related in self.related:
            relation, columns = related.relation, related.query.columns
            rows = relation.rows(queryset.db, chosen.get(id(relation)))
            if not querysets.can_read_related(rows, relation, columns, related.paths):
                return False
        return True

    def chosen_in(self, queryset: QuerySet[Any]) -> dict[int, QuerySet[Any]] | None:
        """Return the rows that ``Prefetch`` chooses, by relation; None if instances show them."""
        by_name = querysets.chosen_rows(queryset)
        if not by_name:
            return None if by_name is None else {}
        result = {
            id(relation): by_name[relation.name]
            for relation in self.own_relations
            if relation.name in by_name and by_name[relation.name].model is relation.model
        }
        return result if len(result) == len(by_name) else None

    def _write(self) -> None:
        query = self.query = Query()
        self._add_model(self.model)
        scope = self._scope(query, self.plan, self.model, "", "serializer")
        display = self._display(scope)
        while self.waiting:
            self.waiting.pop(0)()
        if not query.columns:
            # No field is shown, but each row is an empty dict.
            self._column(query, "pk", "row_key")
        self.columns: tuple[str, ...] = tuple(query.columns)
        self.encoders: tuple[Encoder | None, ...] = query.encoders_in_order()
        self.paths = querysets.paths_of(query.columns)
        with self.source.block("def fetcher(serializer):"):
            self.source.lines(self.source.hoisted)
            self.source.line()
            with self.source.block("def fetch(rows):"):
                self.source.line("result = []")
                self.source.lines(f"{related.lists} = {{}}" for related in self.related)
                appended = _call("result.append", display)
                self._loop(query, "rows.read()", [*query.lines, *appended])
                for related, (names, *calls) in self.loops:
                    self._related_loop(related, names, calls)
                self.source.line("return result")
            self.source.line()
            self.source.line("return fetch")

    def _loop(self, query: Query, rows: str, lines: list[str]) -> None:
        targets = "".join(f"{name}, " for name in query.columns.values()).rstrip()
        with self.source.block(f"for {targets} in {rows}:"):
            self.source.lines(lines)

    def _related_loop(self, related: Related, names: str, calls: list[str]) -> None:
        related.paths = querysets.paths_of(related.query.columns)
        run = self.source.bind("related_rows", pages.related_rows)
        parent = next(iter(related.query.columns.values()))
        inside = [f"    {line}" for line in (*related.query.lines, *calls)]
        lines = [f"for {names} in {related.lists}[{parent}]:", *inside]
        columns = self.source.bind("columns", tuple(related.query.columns))
        encoders = self.source.bind("encoders", related.query.encoders_in_order())
        arguments = f"rows, {related.bound}, {related.lists}, {columns}, {encoders}"
        self._loop(related.query, f"{run}({arguments})", lines)

    def _add_model(self, model: type[Model]) -> None:
        if not is_plain_model(model):
            reason = f"{model.__name__} creates its instances in its own way"
            raise Unfetchable(reason, special=model)
        self.models.add(model)

    def _add_related(self, model: type[Model], plan: FieldPlan) -> None:
        # Instances show None for a row that a manager hides, so its columns must not be read.
        if not finds_all(model._base_manager):
            raise Unfetchable(f"{plan.name}: {model.__name__} has a base manager of its own")
        self.joined.add(model)
        self._add_model(model)

    # ---- requests of shapes ----

    def own(self, plan: FieldPlan) -> str:
        return f"{self.serializer}._lintel_fields[{key_text(self.source, plan.name)}]"

    # ---- one object ----

    def _scope(
        self, query: Query, plan: SerializerPlan, model: type[Model], prefix: str, serializer: str
    ) -> Scope:
        if not plan.overridden.isdisjoint(_PLAIN):
            raise Unfetchable(f"{plan.title} overrides one of {', '.join(_PLAIN)}")
        has_lists = any(
            inner.reading_kind in ("list_serializer", "many_related")
            for inner in plan.fields
            if not inner.write_only
        )
        key = self._column(query, f"{prefix}pk", "row_key") if has_lists else ""
        return Scope(query, plan, model, prefix, serializer, key)

    def _display(self, scope: Scope) -> list[str]:
        lines = ["{"]
        for plan in scope.plan.fields:
            if not plan.write_only:
                self.serializer = scope.serializer
                first, *others = self._value(scope, plan)
                lines.append(f"    {key_text(self.source, plan.name)}: {first}")
                lines += [f"    {line}" for line in others]
                lines[-1] += ","
        return [*lines, "}"]

    def _column(self, query: Query, lookup: str, wish: str, encoder: Encoder | None = None) -> str:
        if lookup not in query.columns:
            query.columns[lookup] = self.source.local(wish)
            query.encoders[lookup] = encoder
        elif query.encoders.get(lookup) != encoder:
            query.encoders[lookup] = None
        return query.columns[lookup]

    def _value(self, scope: Scope, plan: FieldPlan) -> list[str]:
        access, kind = plan.access_kind, plan.reading_kind
        if access == "attribute" and kind == "serializer" and plan.nested is not None:
            return self._to_one(scope, plan, plan.nested)
        if access == "attribute" and kind == "list_serializer" and plan.nested is not None:
            return self._nested_list(scope, plan, plan.nested)
        if access == "many_related" and plan.child is not None:
            return self._list_of_keys(scope, plan, plan.child)
        if access == "related":
            return self._key(scope, plan)
        if access == "attribute" and kind != "method":
            return self._attribute(scope, plan)
        raise Unfetchable(f"{plan.name} ({plan.class_name}) is read from the instance")

    def _attribute(self, scope: Scope, plan: FieldPlan) -> list[str]:
        is_computed = not scope.prefix and scope.query is self.query and self._is_computed(plan)
        if is_computed:
            lookup, encoder = plan.source_attrs[0], None
        else:
            lookup, column = self._path(scope.model, plan)
            encoder = encoder_of(plan.reading, column)
        value = self._column(scope.query, scope.prefix + lookup, plan.name, encoder)
        shaped = shape(self.source, plan, value, self.own(plan))
        if shaped is None:
            raise Unfetchable(f"{plan.name} ({plan.class_name}) has its own conversion of values")
        name = shaped.finish or self.source.bind("finish", runtime.finish)
        key = key_text(self.source, plan.name)
        other = f"{name}({scope.serializer}, {key}, None, {value}{shaped.arguments})"
        usual = f"{shaped.result} if {shaped.test} else {other}"
        return [usual if encoder is None else f"{value} if type({value}) is str else {usual}"]

    def _is_computed(self, plan: FieldPlan) -> bool:
        """Return whether a field shows an annotation, for which its model has no place."""
        if len(plan.source_attrs) != 1 or plan.source_attrs[0] not in self.computed:
            return False
        name = plan.source_attrs[0]
        self.attributes.note(self.model, name)
        if static(self.model, name) is not None:
            raise Unfetchable(f"{plan.name}: {self.model.__name__}.{name} is set by an annotation")
        return True

    def _path(self, model: type[Model], plan: FieldPlan) -> tuple[str, Relation]:
        *path, last = plan.source_attrs or ("",)
        for name in path:
            relation = self._foreign_key(model, name, plan)
            none_is_fine = plan.allow_null and plan.default is tools.lent.empty
            if relation.null and not none_is_fine:
                raise Unfetchable(f"{plan.name}: {name} may be None on the way to {last}")
            model = relation.related_model
            self._add_related(model, plan)
        name = self._lookup(model, last, plan)
        column = model._meta.pk if name == "pk" else model._meta.get_field(name)
        return "__".join([*path, name]), column

    def _key(self, scope: Scope, plan: FieldPlan) -> list[str]:
        """Write a to-one relation as its key, or as one column of the related row."""
        relation = self._foreign_key(scope.model, plan.attribute, plan)
        lookup = relation.attname
        if plan.reading_kind == "slug_related":
            model, slug = relation.related_model, plan.option("slug_field")
            self._add_related(model, plan)
            lookup = f"{plan.attribute}__{self._lookup(model, slug, plan)}"
        elif plan.reading_kind != "primary_key" or plan.option("pk_field") is not None:
            raise Unfetchable(f"{plan.name} ({plan.class_name}) shows the related object")
        value = self._column(scope.query, scope.prefix + lookup, plan.name)
        return [key_shown(plan, value, may_be_none=True)]

    def _to_one(self, scope: Scope, plan: FieldPlan, nested: SerializerPlan) -> list[str]:
        name = plan.attribute
        relation = self._foreign_key(scope.model, name, plan)
        model = relation.related_model
        self._add_related(model, plan)
        key = self._column(scope.query, scope.prefix + relation.attname, f"{name}_key")
        prefix = f"{scope.prefix}{name}__"
        inner = self._scope(scope.query, nested, model, prefix, self.own(plan))
        first, *others = self._display(inner)
        return [f"None if {key} is None else {first}", *others]

    # ---- lists ----

    def _list(self, scope: Scope, plan: FieldPlan) -> tuple[Related, str]:
        """Fields of one object that read the same relation share its query."""
        related = scope.related.get(plan.attribute)
        if related is None:
            related = scope.related[plan.attribute] = self._relation(scope, plan)
        items = self.source.local(plan.name)
        related.items.append(items)
        scope.query.lines.append(f"{items} = []")
        return related, items

    def _relation(self, scope: Scope, plan: FieldPlan) -> Related:
        model, name = scope.model, plan.attribute
        relation = shown_by_key(model, name)
        if relation is None:
            place = f"{plan.name}: {model.__name__}.{name}"
            raise Unfetchable(f"{place} is not a plain to-many relation to its key")
        self.attributes.note(model, name)
        self._add_model(relation.model)
        lists = self.source.local(f"{plan.name}_of")
        bound = self.source.bind(f"{plan.name}_relation", relation)
        query = Query({relation.lookup: self.source.local("parent")})
        related = Related(relation, query, bound, lists)
        self.related.append(related)
        if not scope.prefix and scope.query is self.query:
            self.own_relations.append(relation)
            self.relations |= {name}
        self.waiting.append(lambda: self._fill(scope, related))
        return related

    def _fill(self, scope: Scope, related: Related) -> None:
        """Record the lists of each row under its key, and write the loop that fills them."""
        names = ", ".join(related.items)
        note = f"({names})" if len(related.items) > 1 else names
        scope.query.lines.append(f"{related.lists}.setdefault({scope.key}, []).append({note})")
        values = [make() for make in related.values]
        calls = [
            line
            for items, value in zip(related.items, values, strict=True)
            for line in _call(f"{items}.append", value)
        ]
        self.loops.append((related, [names, *calls]))

    def _nested_list(self, scope: Scope, plan: FieldPlan, nested: SerializerPlan) -> list[str]:
        related, items = self._list(scope, plan)
        serializer = f"{self.own(plan)}.child"

        def value() -> list[str]:
            inner = self._scope(related.query, nested, related.relation.model, "", serializer)
            return self._display(inner)

        related.values.append(value)
        return [items]

    def _list_of_keys(self, scope: Scope, plan: FieldPlan, child: FieldPlan) -> list[str]:
        kind = "" if child.access is None else child.reading_kind
        related, items = self._list(scope, plan)
        if kind == "primary_key" and child.option("pk_field") is None:
            lookup = "pk"
        elif kind == "slug_related":
            slug = child.option("slug_field")
            lookup = self._lookup(related.relation.model, slug, plan)
        else:
            raise Unfetchable(f"{plan.name} ({child.class_name}) shows the related objects")
        value = self._column(related.query, lookup, "value")
        related.values.append(lambda: [key_shown(child, value)])
        return [items]

    # ---- facts about models ----

    def _lookup(self, model: type[Model], name: str, plan: FieldPlan) -> str:
        """Return the lookup for a column whose attribute holds exactly the value in the row."""
        if name == "pk" and has_plain_key(model):
            self.attributes.note(model, name)
            return "pk"
        if is_column(model, name):
            self.attributes.note(model, name)
            try:
                column = model._meta.get_field(name)
            except FieldDoesNotExist:
                column = None
            if isinstance(column, Field) and name in (column.name, column.attname):
                return name
        raise Unfetchable(f"{plan.name}: {model.__name__}.{name} is not a plain column")

    def _foreign_key(self, model: type[Model], name: str, plan: FieldPlan) -> Relation:
        relation = to_one(model, name)
        if relation is None:
            raise Unfetchable(f"{plan.name}: {model.__name__}.{name} is not a plain foreign key")
        if not always_finds(relation):
            raise Unfetchable(f"{plan.name}: rows behind {name} may be missing in the database")
        self.attributes.note(model, name)
        return relation


def _call(function: str, value: list[str]) -> list[str]:
    lines = [f"{function}({value[0]}", *value[1:]]
    lines[-1] += ")"
    return lines
