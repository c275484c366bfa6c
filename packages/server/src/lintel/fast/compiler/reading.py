"""Object → primitives: one generated function per plan and type of instances.

The text of a reader, here for model instances::

    def reader(serializer):
        held = serializer.__dict__
        if "fields" in held:
            return partial(plain, serializer)
        author_serializer = serializer._lintel_fields["author"]
        read_author = author_reader(author_serializer)

        def read(instance):
            state = instance.__dict__
            try:
                title = state["title"]
            except ABSENT:
                title = stored(serializer, "title", instance)
            try:
                author = state["_state"].fields_cache.get("author") or instance.author
            except ABSENT as error:
                author = absent(serializer, "author", instance, error)
            if type(title) is not str:
                title = finish(serializer, "title", instance, title)
            ...
            return {"title": title, "author": author}

        return read

Attributes are read in the order of the fields, each once, because a property is the project's
code. A call of the project's code ends a group of reads, so that it sees the same state as
on the plain path; if it has had ``fields`` in hand, whose flags it may have set, the plain path
reads the rest. Missing attributes are left to their field, which may be omitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import attrgetter

from django.db.models import Model

from lintel.fast import tools
from lintel.fast.compiler import runtime
from lintel.fast.compiler.access import AttributeAccess, Relation, access_for, key_text
from lintel.fast.compiler.kinds import RELATED, Shape, key_shown, related_text, shape, type_name
from lintel.fast.compiler.loading import Loading
from lintel.fast.compiler.plan import READING_METHODS, FieldPlan, SerializerPlan
from lintel.fast.compiler.protocols import CompiledSerializer, MakeRead, ReadObject
from lintel.fast.field_templates import watch
from lintel.trust.source import Source
from lintel.trust.store import Store

#: Types of instances for which one plan is compiled; further types share one text.
VARIANTS = 16


@dataclass(frozen=True, slots=True)
class Reader:
    """A generated ``reader(serializer)``, and how its text reads attributes."""

    access: AttributeAccess
    bind: MakeRead


@dataclass(slots=True)
class Reading:
    """The readers of one serializer plan, made when a new type of instances occurs."""

    plan: SerializerPlan
    readers: Store[object, Reader] = field(default_factory=Store)
    nested: dict[str, Reading] = field(default_factory=dict)
    loading: Loading = field(init=False)
    #: Whether the fields are a selection that the project made of those of the class.
    selected: bool = False
    #: Whether code of the project that is called by this reader, or around it, knows the fields.
    watched: bool = False

    def __post_init__(self) -> None:
        self.loading = Loading(self.plan)
        self.watched = self.watched or self.plan.calls_project

    def bind(self, serializer: CompiledSerializer, kind: type) -> ReadObject:
        return self.reader(kind)(serializer)

    def reader(self, kind: type) -> MakeRead:
        reader = self.readers.get(kind)
        if reader is None or not reader.access.still_holds():
            reader = self._make(kind)
            self.readers.keep(kind, reader)
        return reader.bind

    def _make(self, kind: type) -> Reader:
        access = access_for(kind, specific=len(self.readers) < VARIANTS)
        if access is None:
            return Reader(
                AttributeAccess(), lambda serializer: partial(tools.lent.plain, serializer)
            )
        reader = self.readers.get(access.name)
        if reader is None or not reader.access.still_holds():
            reader = Reader(access, ReaderText(self, access).build())
            self.readers[access.name] = reader
        return reader

    def text(self, kind: type) -> ReaderText | None:
        """None for mappings other than dicts."""
        access = access_for(kind)
        if access is None:
            return None
        text = ReaderText(self, access)
        text.write()
        return text

    def nested_reading(self, plan: FieldPlan) -> Reading:
        reading = self.nested.get(plan.name)
        if reading is None:
            if plan.nested is None:
                raise ValueError(f"field {plan.name} holds no serializer")
            reading = Reading(plan.nested, watched=self.watched)
            self.nested[plan.name] = reading
        return reading


# ---- the text ----


@dataclass(frozen=True, slots=True)
class Read:
    """The lines that read the source of one field into the variable ``value``.

    ``is_stored``: the instance holds it as a column, so reading it twice is harmless.
    ``may_skip``: the field may be omitted if the attribute is missing. ``shown``: the expression
    to use if the lines fail, for a value that is not an attribute but already shown.
    """

    value: str
    lines: list[str]
    key: str
    is_stored: bool
    may_skip: bool = False
    shown: str = ""


class ReaderText:
    """Writes ``reader(serializer)`` for one plan and one kind of access."""

    def __init__(self, reading: Reading, access: AttributeAccess) -> None:
        self.reading = reading
        self.plan: SerializerPlan = reading.plan
        self.access = access
        self.source: Source = Source(f"lintel reading {self.plan.title} from {access.name}")
        self.finish: str = self.source.bind("finish", runtime.finish)
        self.body: list[str] = []
        self.reads: list[Read] = []
        self.work: list[str] = []
        self.entries: list[tuple[str, str]] = []
        self.collecting: bool = False
        self.may_skip: bool = False
        self.called: dict[str, str] = {}
        for name in _LOCALS:
            self.source.local(name)
        self.plain: str = self.source.bind("plain", tools.lent.plain)
        self.changed: str = '"fields" in held'
        if reading.selected and reading.watched:
            watched = self.source.bind("watch", watch)
            self.changed = f"{self.source.hoist('changed', f'{watched}(serializer)')}()"

    def build(self) -> MakeRead:
        built: MakeRead = self.write().build("reader")
        return built

    def write(self) -> Source:
        for plan in self.plan.fields:
            if not plan.write_only:
                self._field(plan)
        self._flush()
        with self.source.block("def reader(serializer):"):
            self.source.lines(self._opening())
            self.source.lines(self.source.hoisted)
            self.source.line()
            with self.source.block("def read(instance):"):
                if self.reading.watched:
                    self.source.line(f"if {self.changed}:")
                    self.source.line(f"    return {self.plain}(serializer, instance)")
                self.source.lines(self.access.head)
                self.source.lines(["skipped = False"] if self.may_skip else [])
                self.source.lines(self.body)
                shown = self._shown("values" if self.collecting else self._display())
                self.source.line(f"return {shown}")
            self.source.line()
            self.source.line("return read")
        return self.source

    def _opening(self) -> list[str]:
        if self.reading.selected:
            return []
        partial_ = self.source.bind("partial", partial)
        plain = f"{partial_}({self.plain}, serializer)"
        return ["held = serializer.__dict__", 'if "fields" in held:', f"    return {plain}"]

    def _shown(self, result: str) -> str:
        if not self.may_skip:
            return result
        without = self.source.bind("without_skipped", runtime.without_skipped)
        return f"{without}({result}) if skipped else {result}"

    def _watch(self, plan: FieldPlan) -> None:
        """Write: code of the project may have changed the fields that are still to be read."""
        names = [field_plan.name for field_plan in self.plan.fields]
        rest = frozenset(names[names.index(plan.name) + 1 :])
        if not rest or not plan.calls_project:
            return
        self._flush()
        shown = self._shown("values" if self.collecting else self._display())
        arguments = f"serializer, instance, {shown}, {self.source.bind('rest', rest)}"
        self.body += [f"if {self.changed}:", f"    return {self.plain}({arguments})"]

    # ---- parts ----

    def own(self, plan: FieldPlan) -> str:
        """An expression for slow paths only: making the field is expensive."""
        return f"serializer._lintel_fields[{key_text(self.source, plan.name)}]"

    def _hoisted_own(self, plan: FieldPlan) -> str:
        return self.source.hoist(f"{plan.name}_field", self.own(plan))

    def _display(self) -> str:
        entries = ", ".join(f"{key}: {value}" for key, value in self.entries)
        return f"{{{entries}}}"

    def _entry(self, plan: FieldPlan, value: str) -> None:
        self.entries.append((key_text(self.source, plan.name), value))

    def _flush(self) -> None:
        """Write the reads so far and the work on them, and store the finished values."""
        for is_stored, reads in groupby(self.reads, attrgetter("is_stored")):
            if is_stored:
                self._stored(list(reads))
            else:
                for read in reads:
                    self._attempted(read)
        self.body += self.work
        self.reads, self.work = [], []
        if self.collecting:
            self.body += [f"values[{key}] = {value}" for key, value in self.entries]
            self.entries = []

    def _stored(self, reads: list[Read]) -> None:
        """Read columns that are normally loaded; if one is not, the fields read the whole group."""
        stored = self.source.bind("stored", tools.lent.stored)
        fallback = [
            f"    {read.value} = {stored}(serializer, {read.key}, instance)" for read in reads
        ]
        self._guarded([line for read in reads for line in read.lines], "", fallback)

    def _attempted(self, read: Read) -> None:
        """Read one attribute, maybe a property: it is not read again if it is missing."""
        if read.shown:
            self._guarded(read.lines, "", [f"    {read.value} = {read.shown}"])
            return
        absent = self.source.bind("absent", tools.lent.absent)
        lines = [f"    {read.value} = {absent}(serializer, {read.key}, instance, error)"]
        if read.may_skip:
            skipped = self.source.bind("SKIPPED", runtime.SKIPPED)
            lines.append(f"    skipped = skipped or {read.value} is {skipped}")
            self.may_skip = True
        self._guarded(read.lines, " as error", lines)

    def _guarded(self, lines: Iterable[str], name: str, fallback: Iterable[str]) -> None:
        absent = self.source.bind("ABSENT", runtime.ABSENT)
        self.body += ["try:", *(f"    {line}" for line in lines), f"except {absent}{name}:"]
        self.body += fallback

    def _read(self, plan: FieldPlan) -> str:
        *path, last = plan.source_attrs or ("",)
        value = self.source.local(plan.name)
        if not last:
            self.work.append(f"{value} = instance")
            return value
        owner, lines = "", []
        for number, name in enumerate(path):
            owner, line = self._walk(owner, name, plan.source_attrs[number + 1 :])
            lines.append(line)
        read = self.access.step(self.source, owner, last) if owner else self._first(last)
        lines.append(f"{value} = {read}")
        self._note(plan, value, lines, is_stored=not path and self.access.is_stored(last))
        return value

    def _note(self, plan: FieldPlan, value: str, lines: list[str], is_stored: bool) -> None:
        has_default = plan.default is not tools.lent.empty
        may_skip = has_default or not (plan.required or plan.allow_null)
        key = key_text(self.source, plan.name)
        self.reads.append(Read(value, lines, key, is_stored, may_skip))

    def _first(self, name: str) -> str:
        return self.access.first(self.source, name)

    def _begin(self, name: str) -> str:
        """Write the first step of a dotted source; a deferred column is not read twice."""
        if self.access.is_stored(name):
            return self.access.step(self.source, "instance", name)
        return self._first(name)

    def _walk(self, owner: str, name: str, rest: tuple[str, ...]) -> tuple[str, str]:
        value = self.source.local(name)
        read = self.access.step(self.source, owner, name) if owner else self._begin(name)
        walkable = self.source.bind("walkable", runtime.walkable)
        return value, f"{value} = {walkable}({read}, {self.source.bind('rest', rest)})"

    def _finished(self, plan: FieldPlan, value: str, shaped: Shape | None = None) -> str:
        finish, arguments = self.finish, ""
        if shaped is not None and shaped.finish:
            finish, arguments = shaped.finish, shaped.arguments
        key = key_text(self.source, plan.name)
        return f"{finish}(serializer, {key}, instance, {value}{arguments})"

    # ---- one field ----

    def _field(self, plan: FieldPlan) -> None:
        writing = _FIELDS.get(plan.access_kind, ReaderText._opaque)
        writing(self, plan)
        self._watch(plan)

    def _attribute(self, plan: FieldPlan) -> None:
        kind = plan.reading_kind
        if kind == "method" and not plan.source_attrs:
            self._method(plan)
        elif kind == "list_serializer" and plan.nested is not None:
            self._nested_list(plan)
        elif kind == "serializer" and plan.nested is not None:
            self._nested(plan)
        else:
            self._value_or_list(plan, self.access.to_many(*plan.source_attrs))

    def _value_or_list(self, plan: FieldPlan, relation: Relation | None) -> None:
        if plan.reading_kind == "list_serializer" and relation is not None:
            self._called_list(plan, relation)
        else:
            self._value(plan)

    def _value(self, plan: FieldPlan) -> None:
        value = self._read(plan)
        shown = shape(self.source, plan, value, self.own(plan))
        if shown is None:
            self.called[plan.name] = plan.reason(READING_METHODS)
            self.work.append(f"{value} = {self._finished(plan, value)}")
        else:
            self.work += self._shaped(shown, value, self._finished(plan, value, shown))
        self._entry(plan, value)
        if shown is None:
            # The method is the project's: later fields see what it changes.
            self._flush()

    def _shaped(self, shape: Shape, value: str, other: str) -> list[str]:
        simple = shape.test.startswith("type(") and " and " not in shape.test
        doubt = shape.test.replace(" is ", " is not ") if simple else f"not ({shape.test})"
        if shape.result == value:
            return [f"if {doubt}:", f"    {value} = {other}"]
        return [f"if {doubt}:", f"    {value} = {other}", "else:", f"    {value} = {shape.result}"]

    def _method(self, plan: FieldPlan) -> None:
        self._flush()
        value = self.source.local(plan.name)
        name = plan.reading.option("method_name") if plan.reading else ""
        call = f"{self.access.step(self.source, 'serializer', name)}(instance)"
        self.body.append(f"{value} = None if instance is None else {call}")
        self._entry(plan, value)

    def _nested(self, plan: FieldPlan) -> None:
        value = self._read(plan)
        relation = self.access.to_one(*plan.source_attrs)
        model = None if relation is None else relation.model
        read = self._nested_read(plan, self._hoisted_own(plan), model)
        if model is None:
            test = f"{value} is not None and not callable({value})"
        else:
            test = f"type({value}) is {type_name(self.source, model)}"
        self.work.append(f"{value} = {read}({value}) if {test} else {self._finished(plan, value)}")
        self._entry(plan, value)
        self._flush()

    def _nested_list(self, plan: FieldPlan) -> None:
        child = self.source.hoist(f"{plan.name}_child", f"{self.own(plan)}.child")
        read = self._nested_read(plan, child, None)
        item = self.source.local("item")
        relation = self.access.to_many(*plan.source_attrs)
        value = self.source.local(plan.name) if relation else self._read(plan)
        rows = self.source.local(f"{plan.name}_rows")
        if relation:
            self._read_rows(plan, relation, rows, runtime.related_items)
            self.work.append(f"{value} = [{read}({item}) for {item} in {rows}]")
        else:
            rows_of = self.source.bind("rows_of", runtime.rows_of)
            self.work.append(f"{rows} = {rows_of}({value})")
            shown = f"[{read}({item}) for {item} in {rows}]"
            other = self._finished(plan, value)
            self.work.append(f"{value} = {other} if {rows} is None else {shown}")
        self._entry(plan, value)
        self._flush()

    def _called_list(self, plan: FieldPlan, relation: Relation) -> None:
        """Write a list whose items only their serializer can read, without its manager."""
        value = self.source.local(plan.name)
        self._read_rows(plan, relation, value, runtime.related_items)
        self.called[plan.name] = plan.reason(READING_METHODS)
        self.work.append(f"{value} = {self._finished(plan, value)}")
        self._entry(plan, value)
        self._flush()

    def _nested_read(self, plan: FieldPlan, serializer: str, model: type[Model] | None) -> str:
        nested = self.reading.nested_reading(plan)
        if model is None or any(inner.computed for inner in nested.plan.fields):
            # Bound when an instance comes: the project's code that makes fields runs only then.
            dispatcher = self.source.bind("dispatcher", runtime.dispatcher)
            reading = self.source.bind(f"bind_{plan.name}", nested.bind)
            return self.source.hoist(f"read_{plan.name}", f"{dispatcher}({reading}, {serializer})")
        reader = self.source.bind(f"{plan.name}_reader", nested.reader(model))
        return self.source.hoist(f"read_{plan.name}", f"{reader}({serializer})")

    def _opaque(self, plan: FieldPlan) -> None:
        """Write a field with its own ``get_attribute``, which may omit the field."""
        self.called[plan.name] = plan.reason(READING_METHODS)
        self._flush()
        if not self.collecting:
            self.body.append(f"values = {self._display()}")
            self.entries, self.collecting = [], True
        field = self._hoisted_own(plan)
        value = self.source.local(plan.name)
        skip = self.source.bind("SkipField", tools.lent.skip)
        represent = self.source.bind("represent", tools.lent.represent)
        key = f"{field}.field_name" if plan.computed else key_text(self.source, plan.name)
        lines = [
            "try:",
            f"    {value} = {field}.get_attribute(instance)",
            f"except {skip}:",
            "    pass",
            "else:",
            f"    values[{key}] = {represent}({field}, {value})",
        ]
        if plan.computed:
            # The field decides each time whether it is shown.
            lines = [f"if not {field}.write_only:", *(f"    {line}" for line in lines)]
        self.body += lines

    def _related(self, plan: FieldPlan) -> None:
        relation = self.access.to_one(*plan.source_attrs)
        kind = plan.reading_kind
        if relation is None or kind not in RELATED:
            self._opaque(plan)
        elif kind == "primary_key":
            self._key(plan, relation)
        else:
            self._text_of_row(plan, relation)

    def _key(self, plan: FieldPlan, relation: Relation) -> None:
        if plan.option("pk_field") is not None:
            self._opaque(plan)
            return
        value = self.source.local(plan.name)
        line = f"{value} = {self._first(relation.attname)}"
        shown = self._represented(plan, f"{self.own(plan)}.get_attribute(instance)")
        self.reads.append(Read(value, [line], "", is_stored=False, shown=shown))
        if plan.option("coerce_to_string"):
            self.work.append(f"{value} = {key_shown(plan, value, may_be_none=True)}")
        self._entry(plan, value)

    def _text_of_row(self, plan: FieldPlan, relation: Relation) -> None:
        value = self._read(plan)
        text = related_text(self.source, plan, value, relation.model)
        kind = type_name(self.source, relation.model)
        other = self._represented(plan, value)
        self.work.append(f"{value} = {text} if type({value}) is {kind} else {other}")
        self._entry(plan, value)
        # str() of an object is the project's code.
        self._flush()

    def _represented(self, plan: FieldPlan, value: str) -> str:
        represent = self.source.bind("represent", tools.lent.represent)
        return f"{represent}({self.own(plan)}, {value})"

    def _many_related(self, plan: FieldPlan) -> None:
        relation = self.access.to_many(*plan.source_attrs)
        child = plan.child
        if relation is None or child is None or child.reading is None:
            self._opaque(plan)
            return
        item = self.source.local("item")
        text = related_text(self.source, child, item, relation.model)
        if not text:
            self._opaque(plan)
            return
        rows = self.source.local(f"{plan.name}_rows")
        value = self.source.local(plan.name)
        self._read_rows(plan, relation, rows, runtime.saved_items)
        self.work.append(f"{value} = [{text} for {item} in {rows}]")
        self._entry(plan, value)
        self._flush()

    def _read_rows(
        self, plan: FieldPlan, relation: Relation, rows: str, find: Callable[..., object]
    ) -> None:
        keys = (plan.source_attrs[0], relation.attname)
        items = self.source.bind(find.__name__, find)
        names = ", ".join(key_text(self.source, key) for key in keys)
        self._flush()
        self.body.append(f"{rows} = {items}(instance, {names})")


_LOCALS = (
    *("serializer", "held", "instance", "state", "values"),
    *("skipped", "error", "read", "reader"),
)

_FIELDS: dict[str, Callable[[ReaderText, FieldPlan], None]] = {
    "attribute": ReaderText._attribute,
    "related": ReaderText._related,
    "many_related": ReaderText._many_related,
}
