"""Primitives → validated values: one generated function per plan.

The text of a writer::

    def writer(serializer):
        held = serializer.__dict__
        whole = serializer.run_validation

        def write(data):
            if type(data) is not dict or "fields" in held:
                return whole(data)
            values = {}
            errors = {}
            sku = data.get("sku", empty)
            if type(sku) is str and (sku := sku.strip()) and len(sku) <= limit:
                values["sku"] = sku
            else:
                check(serializer, "sku", data, values, errors)
            ...
            if errors:
                raise ValidationError(errors)
            return values

        return write

Generated text only *accepts*. Input that is not certainly valid is passed to ``check``, the
plain path for one field: it does all conversions and raises all errors. So messages, codes
and order are those of the plain path. No code of the project runs before that decision, and
therefore none runs twice. If code of the project has had ``fields`` in hand, whose flags it may
have set, the plain path validates the rest.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field

from lintel.fast import tools
from lintel.fast.compiler.accepting import Accepting, accepts_alone, storing, without_value
from lintel.fast.compiler.access import key_text
from lintel.fast.compiler.options import CONSTANTS
from lintel.fast.compiler.plan import VALIDATION_METHODS, FieldPlan, SerializerPlan
from lintel.fast.compiler.protocols import CompiledSerializer, MakeWrite, ValidateDict
from lintel.trust.source import Source

#: Why a nested serializer is called: for all input, or for what this text does not accept.
_INSIDE = "validates by the generated text of its own serializer"
_DOUBTED = f"{_INSIDE} what is not certainly valid"

_LOCALS = ("serializer", "held", "data", "values", "errors", "whole", "write", "writer")


@dataclass(slots=True)
class Writing:
    """The writers of one serializer plan, one per set of ``validate_<field>`` methods."""

    plan: SerializerPlan
    writers: dict[tuple[frozenset[str], bool], MakeWrite] = field(default_factory=dict)
    #: The methods that a class may have, and the fields they validate.
    hooks: tuple[tuple[str, str], ...] = ()
    #: Whether the fields decide without the project and a database; None before the first question.
    _is_alone: bool | None = None

    def __post_init__(self) -> None:
        self.hooks = tuple((f"validate_{plan.name}", plan.name) for plan in self.plan.fields)

    def bind(self, serializer: CompiledSerializer) -> ValidateDict:
        # A class switches an inherited method off by None in its place.
        hooks = frozenset(
            [name for hook, name in self.hooks if getattr(serializer, hook, None) is not None]
        )
        root = serializer.parent is None
        forbids = self.plan.forbids_unknown if root else tools.lent.forbids_unknown(serializer)
        variant = hooks, forbids
        writer = self.writers.get(variant)
        if writer is None:
            writer = self.writers[variant] = WriterText(self, *variant).write().build("writer")
        return writer(serializer)

    def is_alone(self, serializer: CompiledSerializer) -> bool:
        if self._is_alone is None:
            self._is_alone = accepts_alone(self.plan)
        return self._is_alone and not any(hasattr(serializer, hook) for hook, _ in self.hooks)

    def text(self) -> WriterText:
        text = WriterText(self, self.plan.hooks, self.plan.forbids_unknown)
        text.write()
        return text


class WriterText:
    """Writes ``writer(serializer)`` for one plan and set of hooks, with or without unknown keys."""

    def __init__(self, writing: Writing, hooks: frozenset[str], forbids_unknown: bool) -> None:
        self.writing = writing
        self.hooks = hooks
        self.forbids_unknown = forbids_unknown
        self.source: Source = Source(f"lintel writing {writing.plan.title}")
        self.accepting = Accepting(self.source, forbids_unknown)
        self.called: dict[str, str] = {}
        for name in _LOCALS:
            self.source.local(name)

    def write(self) -> Source:
        source, body = self.source, Source("body")
        with body.block("def write(data):"):
            with body.block('if type(data) is not dict or "fields" in held:'):
                body.line("return whole(data)")
            body.line("values = {}")
            body.line("errors = {}")
            for plan in self.writing.plan.fields:
                if not plan.read_only:
                    self._field(body, plan)
            if self.forbids_unknown:
                self._refuse_unknown(body)
            error = source.bind("ValidationError", tools.lent.error)
            with body.block("if errors:"):
                body.line(f"raise {error}(errors)")
            body.line("return values")
        with source.block("def writer(serializer):"):
            source.line("held = serializer.__dict__")
            source.line("whole = serializer.run_validation")
            source.lines(source.hoisted)
            source.line()
            source.lines(self.accepting.functions)
            source.lines(body.text.splitlines())
            source.line()
            source.line("return write")
        return source

    def _refuse_unknown(self, body: Source) -> None:
        names = self.source.bind("known", self.writing.plan.input_keys)
        with body.block(f"if not data.keys() <= {names}:"):
            refuse = self.source.bind("refuse_unknown", tools.lent.refuse_unknown)
            body.line(f"{refuse}(serializer, data, errors)")

    def _field(self, body: Source, plan: FieldPlan) -> None:
        key = key_text(self.source, plan.name)
        check = self.source.bind("check", tools.lent.check)
        check = f"{check}(serializer, {key}, data, values, errors)"
        accepted = self.accepting.acceptance(plan)
        if accepted is None:
            self.called[plan.name] = _INSIDE if plan.nested else plan.reason(VALIDATION_METHODS)
            self._called(body, plan, check)
            return
        value = accepted.value
        empty = self.source.bind("empty", tools.lent.empty)
        body.line(f"{value} = data.get({key}, {empty})")
        stored_if = f"if {accepted.stored_if}:"
        noted = body.block(stored_if) if accepted.stored_if else nullcontext()
        with body.block(f"if {accepted.test}:"), noted:
            self._called(body, plan, self._store(plan, accepted.result))
        if plan.name not in self.hooks:
            without_value(self.source, body, plan, value)
        with body.block("else:"):
            if plan.nested is not None:
                self.called[plan.name] = _DOUBTED
            self._called(body, plan, check)

    def _called(self, body: Source, plan: FieldPlan, line: str) -> None:
        """Write a call; if code of the project has had the fields in hand, they decide."""
        body.line(line)
        plans = self.writing.plan.fields
        rest = frozenset(later.name for later in plans[plans.index(plan) + 1 :])
        default = plan.default
        is_known = default is tools.lent.empty or type(default) in CONSTANTS
        if not rest or (is_known and plan.name not in self.hooks and plan.name not in self.called):
            return
        validate = self.source.bind("validate", tools.lent.validate)
        names = self.source.bind("rest", rest)
        with body.block('if "fields" in held:'):
            body.line(f"return {validate}(serializer, data, values, errors, {names})")

    def _store(self, plan: FieldPlan, result: str) -> str:
        if plan.name in self.hooks:
            key = key_text(self.source, plan.name)
            store = self.source.bind("store", tools.lent.store)
            return f"{store}(serializer, {key}, {result}, values, errors)"
        return storing(self.source, plan, result)
