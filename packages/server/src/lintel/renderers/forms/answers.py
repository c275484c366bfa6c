"""What permissions say while one page is made: its forms share the answers.

Nothing is kept beyond the page. A row may be changed before, and permissions after.
"""

import dis
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from lintel.cycle.steps import complete
from lintel.overrides import function_of, is_overridden, reached
from lintel.renderers.data import View
from lintel.renderers.forms.disclosure import REFUSALS, model_of

#: What asks permissions, and what permissions answer with.
ASKING = ("get_permissions", "check_permissions", "check_object_permissions", "permission_denied")
ANSWERING = ("has_permission", "has_object_permission")


@dataclass(frozen=True)
class Answer:
    is_yes: bool
    #: What the question was about: kept, because its ids are part of the question.
    about: tuple[object, ...]
    #: What permissions left on the request, where serializers may look for it.
    left: dict[str, object]


@dataclass(frozen=True)
class Answers:
    given: dict[tuple[object, ...], Answer] = field(default_factory=dict)
    #: Which permission classes look at the view, by id: reading code takes long.
    looking: dict[int, bool] = field(default_factory=dict)


ANSWERS = "_answers"


@contextmanager
def sharing_answers(renderer: object) -> Iterator[None]:
    vars(renderer)[ANSWERS] = Answers()
    try:
        yield
    finally:
        vars(renderer).pop(ANSWERS, None)


def answers_of(renderer: object) -> Answers | None:
    return vars(renderer).get(ANSWERS)


def is_allowed(view: View, request: Any, obj: object, answers: Answers | None = None) -> bool:
    """Return whether permissions pass; forms that share ``answers`` ask each question once."""
    if answers is None:
        return _passes(view, request, obj)
    held = vars(request)
    # Rows of two tenants may be equal, so everything is told apart by identity.
    about = obj, *map(held.get, ("_request", "_user", "_auth")), *_asked(view, answers)
    question = request.method, *map(id, about)
    if question not in answers.given:
        before = dict(held)
        is_yes = _passes(view, request, obj)
        left = {name: value for name, value in held.items() if before.get(name) is not value}
        answers.given[question] = Answer(is_yes, about, left)
    answer = answers.given[question]
    held.update(answer.left)
    return answer.is_yes


def _asked(view: View, answers: Answers) -> tuple[object, ...]:
    """Return the permission classes of a view if they do not look at it: actions share them."""
    if not is_overridden(view, *ASKING):
        classes, looking = tuple(view.permission_classes), answers.looking
        new = [cls for cls in classes if id(cls) not in looking]
        looking.update({id(cls): _looks_at_view(cls) for cls in new})
        if not any(looking[id(cls)] for cls in classes):
            return classes
    return view, getattr(view, "action", None)


def _looks_at_view(permission_class: object) -> bool:
    if reached(permission_class, "__init__") is not object.__init__:
        return True
    methods = [function_of(reached(permission_class, name)) for name in ANSWERING]
    return any(method is None or _reads_view(method.__code__) for method in methods)


def _reads_view(code: CodeType) -> bool:
    """Say whether a method reads its second argument, also by a function inside or ``locals``."""
    if code.co_argcount < 3 or not {"locals", "vars", "eval"}.isdisjoint(code.co_names):
        return True
    view = code.co_varnames[2]
    values = [step.argval for step in dis.get_instructions(code)]
    return any(view in (value if isinstance(value, tuple) else (value,)) for value in values)


def _passes(view: View, request: Any, obj: object) -> bool:
    # OPTIONS itself finds no object, unless a project says otherwise.
    has_object = request.method != "OPTIONS" or is_overridden(view, "options")
    try:
        complete(view.check_permissions(request))
        if obj is not None and has_object:
            complete(view.check_object_permissions(request, obj))
    except REFUSALS:
        return False
    except Exception:
        # The data of a view without rows may be nothing that its permissions understand.
        if obj is None or model_of(view) is not None:
            raise
        return False
    return True
