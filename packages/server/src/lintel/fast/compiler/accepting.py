"""What is inside of input and certainly valid, in the text of the outermost serializer.

If nothing but its fields validates a nested serializer, and generated text accepts each of them,
valid input needs no serializer of its own; nor does a list need the field of its items::

    def accept_items(data):
        if type(data) is not dict:
            raise Doubt
        values = {}
        sku = data["sku"]
        if type(sku) is str and (sku := sku.strip()) and len(sku) <= limit:
            values["sku"] = sku
        else:
            raise Doubt
        return values

After a Doubt, or the KeyError of a required key, the nested serializer or list is made and
validates all of its input. No code of the project runs before, so none runs twice.
"""

from __future__ import annotations

from lintel.fast import tools
from lintel.fast.compiler.access import key_text
from lintel.fast.compiler.kinds import Acceptance, acceptance, kind_of
from lintel.fast.compiler.options import CONSTANTS
from lintel.fast.compiler.plan import FieldPlan, SerializerPlan
from lintel.fast.compiler.runtime import Doubt, accepted, accepted_items
from lintel.fast.compiler.validator_expressions import checks
from lintel.trust.source import Source

#: Kinds of ``get_value`` that equal ``data.get(field_name, empty)`` for a plain dict.
_PLAIN_VALUES = ("standard", "list", "dict", "json", "many_choices")


class Accepting:
    """What the text of one writer accepts, and its functions for nested input."""

    def __init__(
        self,
        source: Source,
        forbids_unknown: bool,
        verdicts: dict[FieldPlan, bool] | None = None,
    ) -> None:
        self.source = source
        self.forbids_unknown = forbids_unknown
        self.functions: list[str] = []
        #: What text can accept inside of; each level of input would ask twice for the next one.
        self._verdicts: dict[FieldPlan, bool] = {} if verdicts is None else verdicts

    def acceptance(self, plan: FieldPlan, name: str = "") -> Acceptance | None:
        """None if only the field itself can accept a value; ``name`` is for a field without one."""
        if plan.validation is None or plan.writing is None or plan.get_value not in _PLAIN_VALUES:
            return None
        name = name or plan.name
        if plan.nested is None and not kind_of(plan.writing).repeats:
            return acceptance(self.source, plan, self.source.local(name))
        if not self._accepts_inside(plan):
            return None
        if plan.nested is not None:
            return self._nested(plan, plan.nested, name)
        return None if plan.child is None else self._list(plan, plan.child, name)

    def _accepts_inside(self, plan: FieldPlan) -> bool:
        verdict = self._verdicts.get(plan)
        if verdict is None:
            trial = Accepting(Source("trial"), forbids_unknown=False, verdicts=self._verdicts)
            verdict = self._verdicts[plan] = _is_accepted_inside(trial, plan)
        return verdict

    def _nested(self, plan: FieldPlan, nested: SerializerPlan, name: str) -> Acceptance:
        accept = self._function_of_dict(nested, self.source.local(f"accept_{name}"))
        if plan.writing is not None and plan.writing.kind == "list_serializer":
            return self._items(plan, accept, name)
        value = self.source.local(name)
        result = self.source.local(f"accepted_{name}")
        call = f"{self.source.bind('accepted', accepted)}({accept}, {value})"
        return Acceptance(value, f"({result} := {call}) is not None", result)

    def _list(self, plan: FieldPlan, child: FieldPlan, name: str) -> Acceptance | None:
        accept = self.source.local(f"accept_{name}")
        inner = self.acceptance(child, f"one_of_{name}")
        if inner is None:
            return None
        with (body := Source("body")).block(f"def {accept}({inner.value}):"):
            with body.block(f"if {inner.test}:"):
                body.line(f"return {inner.result}")
            body.line(self._doubt())
        self.functions += [*body.text.splitlines(), ""]
        return self._items(plan, accept, name)

    def _items(self, plan: FieldPlan, accept: str, name: str) -> Acceptance:
        value, result = self.source.local(name), self.source.local(f"accepted_{name}")
        call = f"{self.source.bind('accepted_items', accepted_items)}({accept}, {value})"
        valid = checks(self.source, plan.validators, result) or ()
        converted = f"({result} := {call}) is not None"
        tests = [*_tests_of_list(self.source, plan, value), converted, *valid]
        return Acceptance(value, " and ".join(tests), result)

    def _doubt(self) -> str:
        return f"raise {self.source.bind('Doubt', Doubt)}"

    def _function_of_dict(self, nested: SerializerPlan, name: str) -> str:
        body, doubt = Source("body"), self._doubt()
        with body.block(f"def {name}(data):"):
            with body.block("if type(data) is not dict:"):
                body.line(doubt)
            if self.forbids_unknown or nested.forbids_unknown:
                with body.block(
                    f"if not data.keys() <= {self.source.bind('known', nested.input_keys)}:"
                ):
                    body.line(doubt)
            body.line("values = {}")
            for plan in nested.fields:
                if not plan.read_only:
                    self._field(body, plan, doubt)
            body.line("return values")
        self.functions += [*body.text.splitlines(), ""]
        return name

    def _field(self, body: Source, plan: FieldPlan, doubt: str) -> None:
        accepted = self.acceptance(plan)
        if accepted is None:
            body.line(doubt)
            return
        body.line(f"{accepted.value} = {raw_value(self.source, plan)}")
        with body.block(f"if {accepted.test}:"):
            body.line(storing(self.source, plan, accepted.result))
        without_value(self.source, body, plan, accepted.value)
        with body.block("else:"):
            body.line(doubt)


def accepts_alone(plan: SerializerPlan) -> bool:
    """Return whether no input, valid or not, leads the fields to the project or a database."""
    trial = Accepting(Source("trial"), forbids_unknown=False)
    fields = [field for field in plan.fields if not field.read_only]
    return all(_always_stores(trial.acceptance(part)) and _answers_itself(part) for part in fields)


def _answers_itself(plan: FieldPlan) -> bool:
    """Return whether the default and the messages of a field are known."""
    inside = (*(() if plan.nested is None else plan.nested.fields), plan.child)
    is_known = plan.default is tools.lent.empty or type(plan.default) in CONSTANTS
    return is_known and plan.tells and all(map(_answers_itself, filter(None, inside)))


def _is_accepted_inside(trial: Accepting, plan: FieldPlan) -> bool:
    """Return whether text can accept what a nested serializer or a list contains."""
    if plan.nested is not None:
        fields = (field for field in plan.nested.fields if not field.read_only)
        return plan.by_fields and all(_always_stores(trial.acceptance(field)) for field in fields)
    if plan.child is None or plan.child.read_only or plan.empty_values != "standard":
        return False
    is_known = checks(trial.source, plan.validators, "items") is not None
    return is_known and _always_stores(trial.acceptance(plan.child, "item"))


def _always_stores(acceptance: Acceptance | None) -> bool:
    return acceptance is not None and not acceptance.stored_if


def _tests_of_list(source: Source, plan: FieldPlan, value: str) -> list[str]:
    options = {} if plan.writing is None else plan.writing.options
    limits = {"<=": options.get("max_length"), ">=": options.get("min_length")}
    return [
        f"type({value}) is list",
        *(() if options["allow_empty"] else (value,)),
        *(
            f"len({value}) {sign} {source.bind('limit', limit)}"
            for sign, limit in limits.items()
            if limit is not None
        ),
    ]


# ---- parts of any text that accepts ----


def raw_value(source: Source, plan: FieldPlan) -> str:
    """Return the expression for the input of a field; a KeyError for an absent required one."""
    key = key_text(source, plan.name)
    if plan.required and plan.default is tools.lent.empty:
        return f"data[{key}]"
    return f"data.get({key}, {source.bind('empty', tools.lent.empty)})"


def storing(source: Source, plan: FieldPlan, result: str) -> str:
    if len(plan.source_attrs) == 1:
        return f"values[{key_text(source, plan.source_attrs[0])}] = {result}"
    path = source.bind(f"path_of_{plan.name}", list(plan.source_attrs))
    return f"serializer.set_value(values, {path}, {result})"


def without_value(source: Source, body: Source, plan: FieldPlan, value: str) -> None:
    """Write the branches for absent input and for None."""
    empty = source.bind("empty", tools.lent.empty)
    # A mutable default could be changed by its user, so each serializer has its own.
    if type(plan.default) in CONSTANTS:
        is_partial = source.bind("is_partial", tools.lent.is_partial)
        partial = source.hoist("partial", f"{is_partial}(serializer)")
        default = source.bind(f"default_of_{plan.name}", plan.default)
        with body.block(f"elif {value} is {empty} and not {partial}:"):
            body.line(storing(source, plan, default))
    elif plan.default is tools.lent.empty and not plan.required:
        with body.block(f"elif {value} is {empty}:"):
            body.line("pass")
    if plan.allow_null and plan.source_attrs:
        with body.block(f"elif {value} is None:"):
            body.line(storing(source, plan, "None"))
