"""Texts of the full description that nobody has written: summaries, tags, titles, labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from inspect import cleandoc
from itertools import takewhile
from typing import TYPE_CHECKING

from django.db.models import Model
from django.utils.encoding import force_str
from django.utils.text import capfirst
from django.utils.translation import override

from lintel.decorators import api_view
from lintel.fields import Field
from lintel.inspectors import docstring_of_project
from lintel.schemas.utils import is_list_view, model_of
from lintel.views import APIView

if TYPE_CHECKING:
    from lintel.schemas.inspection import Endpoint, Inspection
    from lintel.schemas.openapi.automatic import AutoSchema

#: The longest first line of a docstring that is a summary.
MAX_SUMMARY = 120

SUMMARIES = {
    "list": "List {many}",
    "retrieve": "Retrieve {one}",
    "create": "Create {one}",
    "update": "Update {one}",
    "partial_update": "Update parts of {one}",
    "destroy": "Delete {one}",
}

#: The actions of generic views by method.
ACTIONS = {
    "GET": "retrieve",
    "POST": "create",
    "PUT": "update",
    "PATCH": "partial_update",
    "DELETE": "destroy",
}

#: What methods do, of views that do several things, and say of none what it is.
VERBS = {"GET": "Read", "POST": "Post to", "PUT": "Replace", "PATCH": "Change", "DELETE": "Delete"}

ACTIONS_BY_HANDLER = [method.lower() for method in ACTIONS]

#: Parts of paths that name no resource.
GENERIC = re.compile(r"api|rest|v\d[\w.-]*|\{\w+\}", re.IGNORECASE)


# ---- summaries ----


def summary_of(schema: AutoSchema, endpoint: Endpoint) -> str:
    """The first sentence of the method's docstring, else what the operation does to what."""
    view, method = endpoint.view, endpoint.method
    action = getattr(view, "action", None)
    handler = getattr(view, action or method.lower(), None)
    is_function = getattr(handler, "__module__", "") == api_view.__module__
    text = type(view).__doc__ if is_function else docstring_of_project(handler)
    sentence = _first_sentence(text or "")
    if sentence and len(sentence) <= MAX_SUMMARY:
        return sentence
    if action is None and hasattr(view, "get_serializer"):
        is_list = is_list_view(endpoint.path, method, view)
        action = "list" if is_list else ACTIONS.get(method)
    if action in SUMMARIES:
        single, many = _nouns(schema, endpoint)
        return SUMMARIES[action].format(one=single, many=many)
    return _own_name(view, method, handler, action)


def _first_sentence(text: str) -> str:
    """The first line, without a full stop, and the lines on which its sentence goes on."""
    first, *others = [line.strip() for line in text.strip().splitlines()] or [""]
    words = [first]
    for line in others:
        if words[-1].endswith((".", ":", "!", "?")) or not line[:1].islower():
            break
        words.append(line)
    return re.split(r"(?<=[a-z)\]][.!?])\s+(?=[A-Z])", " ".join(words))[0].removesuffix(".")


def _own_name(view: APIView, method: str, handler: object, action: str | None) -> str:
    given = getattr(handler, "kwargs", None) or {}
    words = _words(force_str(given.get("name") or action or view.get_view_name()))
    if action is None and len(set(view.allowed_methods) - {"OPTIONS"}) > 1:
        return f"{VERBS.get(method, method.capitalize())} {words[:1].lower()}{words[1:]}"
    return words


def _nouns(schema: AutoSchema, endpoint: Endpoint) -> tuple[str, str]:
    """What the operation is about, with an article, and in the plural."""
    name = schema.get_operation_id_base(endpoint.path, endpoint.method, "retrieve")
    model = model_of(schema.view)
    if model is not None and model.__name__ == name:
        single, many = endpoint.inspection.once((_names_of, model), _names_of, model)
    else:
        plural = schema.get_operation_id_base(endpoint.path, endpoint.method, "list")
        single, many = _words(name).lower(), _words(plural).lower()
    return f"{'an' if single[:1].lower() in 'aeio' else 'a'} {single}", many


def _names_of(model: type[Model]) -> tuple[str, str]:
    # In the language of the words around them, which is not that of the request.
    with override(None):
        return force_str(model._meta.verbose_name), force_str(model._meta.verbose_name_plural)


def _words(name: str) -> str:
    """A name of Python or of a view as words, the first with a capital letter."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.replace("_", " "))
    words = [word.lower() if word.istitle() else word for word in spaced.split()]
    result: str = capfirst(" ".join(words))
    return result


# ---- tags ----


def common_prefix(paths: Iterable[str]) -> int:
    """Return how many segments of all paths come before what tells resources apart."""
    heads = []
    for path in paths:
        segments = path.strip("/").split("/")
        fixed = next((n for n, segment in enumerate(segments) if "{" in segment), len(segments))
        heads.append(segments[: max(fixed - 1, 0)])
    alike = takewhile(lambda parts: len(set(parts)) == 1, zip(*heads, strict=False))
    return sum(1 for _ in alike)


def resource_of(path: str, inspection: Inspection) -> list[str]:
    """The tag of a path: its first segment below the common prefix that says something."""
    if inspection.path_prefix:
        segments = re.sub(inspection.path_prefix, "", path, count=1).strip("/").split("/")
    else:
        segments = path.strip("/").split("/")[inspection.shared_segments :]
    named = [segment for segment in segments if segment and not GENERIC.fullmatch(segment)]
    names = named or [word for word in path.strip("/").split("/") if word and "{" not in word][-1:]
    return [word.replace("_", "-") for word in names[:1]]


def shared_texts(views: Iterable[APIView]) -> dict[type, str]:
    """What docstrings say of tags, by class: those of classes with several operations."""
    by_class: dict[type, list[APIView]] = {}
    for view in views:
        by_class.setdefault(type(view), []).append(view)
    texts = {
        cls: _general_text(some[0])
        for cls, some in by_class.items()
        if len(some) > 1 and not _is_of_function(cls)
    }
    return {cls: text for cls, text in texts.items() if text}


def _is_of_function(cls: type) -> bool:
    """Whether ``@api_view`` made the class: its handlers are not the project's."""
    handlers = [vars(cls).get(name) for name in ACTIONS_BY_HANDLER]
    return any(getattr(handler, "__module__", "") == api_view.__module__ for handler in handlers)


def _general_text(view: APIView) -> str:
    """What the docstring of a view says before its sections about actions."""
    text = view.get_view_description()
    result: str = view.schema._get_description_section(view, "", text) if text else ""
    return result


# ---- values ----


def title_of(field: Field) -> str | None:
    """The label of a field, if it says more than the name."""
    label = force_str(field.label or "")
    return label if label and _letters(label) != _letters(str(field.field_name)) else None


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).lower()


def labels_of(choices: Mapping[object, object], values: Iterable[object]) -> str:
    """The labels of values as a list in Markdown; empty if they say no more."""
    named = {value: force_str(choices.get(value, value)) for value in values}
    if all(_letters(str(value)) == _letters(label) for value, label in named.items()):
        return ""
    return "\n".join(f"* `{value}` - {label}" for value, label in named.items())


def docstring_of(cls: type) -> str:
    """The docstring of a project's own class, not that of its bases."""
    text = vars(cls).get("__doc__")
    return (
        cleandoc(text) if isinstance(text, str) and not cls.__module__.startswith("lintel.") else ""
    )
