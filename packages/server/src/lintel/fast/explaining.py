"""The code generated for a serializer class, and why some of it falls back to calls."""

from collections.abc import Iterable, Mapping

from django.db.models import Model

from lintel.fast.compiled import (
    TO_READ,
    TO_WRITE,
    ClassState,
    Compiled,
    class_state,
    replaced_hooks,
)
from lintel.fast.compiler.fetching import Unfetchable
from lintel.settings import OFF, api_settings

_UNUSED = {
    "SHORTCUTS": "no function below is in use",
    "COMPILE_SERIALIZERS": "no function below is in use",
    "READ_FROM_ROWS": "no function that fetches a queryset is in use",
}
DIRECTIONS = ("reading", "writing", "fetching")


def explain(serializer_class: type, directions: Iterable[str] = DIRECTIONS) -> str:
    """Return the generated source for some of DIRECTIONS, with fallbacks and their reasons.

    Raises TypeError for anything but a serializer class with declared or model fields.
    """
    if not (isinstance(serializer_class, type) and hasattr(serializer_class, "_lintel_state")):
        raise TypeError(
            f"{serializer_class!r} is not a subclass of lintel.serializers.Serializer; only "
            "such classes are compiled."
        )
    state = class_state(serializer_class)
    if state.templates is None:
        return f"# {state.title}: no generated source.\n{_why_plain(state)}"
    compiled = state.compiled or Compiled(state)
    parts = [_EXPLANATIONS[direction](compiled) for direction in directions]
    return _switched_off() + "\n".join(parts)


def why_instances(serializer_class: type) -> str | None:
    """Return in a line why lists of a serializer class need instances; None if rows are enough."""
    if not hasattr(serializer_class, "_lintel_state"):
        return "is no class of lintel.serializers.Serializer"
    state = class_state(serializer_class)
    if state.templates is None:
        return " ".join(_why_plain(state).replace("#", "").split())
    compiled = state.compiled or Compiled(state)
    model = _model(compiled)
    if model is None:
        return "has no Meta.model"
    text = compiled.fetching.text(model) if compiled.can_read else "makes its own fields"
    return None if not isinstance(text, str | Unfetchable) else str(text)


def _switched_off() -> str:
    return "".join(
        f"# The setting {name} is off: {unused}.\n"
        for name, unused in _UNUSED.items()
        if getattr(api_settings, name) in OFF
    )


def _why_plain(state: ClassState) -> str:
    if getattr(state.owner, "_lintel_makes_own_fields", False):
        return _notes({"the fields": "are those of the kind of each object"})
    replaced = sorted(replaced_hooks(state.owner))
    if state.drafts is not None:
        reason = "is overridden; what it leaves as it is is read by generated functions in lists"
        return _notes({"get_fields": reason})
    if replaced:
        reason = "is overridden, so each instance makes its own fields"
        return _notes(dict.fromkeys(replaced, reason))
    return _notes({"the model": "has choices, limits or files that are looked up each time"})


def _notes(reasons: Mapping[str, str]) -> str:
    return "".join(f"#   {name}: {reason}\n" for name, reason in reasons.items())


def _part(title: str, source: str, called: Mapping[str, str]) -> str:
    notes = f"# Calls a method instead:\n{_notes(called)}" if called else ""
    return f"# {title}\n{notes}\n{source}"


def _overridden(compiled: Compiled, direction: str, methods: Iterable[str]) -> str:
    replaced = [method for method in methods if method in compiled.plan.overridden]
    reasons = dict.fromkeys(replaced, f"is overridden in {compiled.plan.title}")
    return f"# {direction} takes the plain path:\n{_notes(reasons)}"


def _reading(compiled: Compiled) -> str:
    if not compiled.can_read:
        return _overridden(compiled, "Reading", TO_READ)
    kind = _model(compiled) or object
    text = compiled.reading.text(kind)
    if text is None:
        return f"# Reading {kind.__name__} takes the plain path.\n"
    parts = [_part(f"reading {kind.__name__}", text.source.text, text.called)]
    for name, nested in text.reading.nested.items():
        inside = next((kind for kind in nested.readers if isinstance(kind, type)), object)
        nested_text = nested.text(inside)
        if nested_text is not None:
            title = f"reading {name} ({nested.plan.title})"
            parts.append(_part(title, nested_text.source.text, nested_text.called))
    return "\n".join(parts)


def _writing(compiled: Compiled) -> str:
    if not compiled.can_write:
        return _overridden(compiled, "Writing", TO_WRITE)
    text = compiled.writing.text()
    return _part("writing a plain dict", text.source.text, text.called)


def _fetching(compiled: Compiled) -> str:
    model = _model(compiled)
    if model is None:
        return "# Fetching needs Meta.model to show its source.\n"
    text = compiled.fetching.text(model)
    if isinstance(text, Unfetchable):
        return f"# Querysets of {model.__name__} are read through instances:\n#   {text}\n"
    return _part(f"fetching a queryset of {model.__name__}", text.source.text, {})


def _model(compiled: Compiled) -> type[Model] | None:
    return getattr(getattr(compiled.owner, "Meta", None), "model", None)


_EXPLANATIONS = {"reading": _reading, "writing": _writing, "fetching": _fetching}
