"""The parts of a request that have spans, found where lintel looks its own functions up.

Each function stands for ours of the same name and calls it. Requests that are not traced cost one
question; without the middleware, nothing is replaced.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from lintel import mixins
from lintel.cycle import policies
from lintel.cycle.steps import Steps
from lintel.response import Response
from lintel.telemetry.exchanges import current

P = ParamSpec("P")
R = TypeVar("R")

#: The names of spans by the hooks of views.
POLICIES = {
    "perform_authentication": "authentication",
    "check_permissions": "permissions",
    "check_throttles": "throttles",
    "check_query_params": "query parameters",
    "read_query": "query",
    "check_parents": "parents",
}

#: Functions between a handler and its response, all of which represent objects.
REPRESENTING = ("_created", "_retrieved", "_updated", "_listed")


def timed(name: str, function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that does the same inside of a span."""

    @wraps(function)
    def inside(*args: P.args, **kwargs: P.kwargs) -> R:
        exchange = current.get()
        if exchange is None or not exchange.is_recorded:
            return function(*args, **kwargs)
        with exchange.phase(name):
            return function(*args, **kwargs)

    return inside


def timed_hooks(hooks: Callable[[Any], Iterable[str]]) -> Callable[[Any], Iterable[str]]:
    """Return a function that names the same hooks, with a span from each name to the next."""

    def names(view: object) -> Iterable[str]:
        exchange = current.get()
        if exchange is None or not exchange.is_recorded:
            return hooks(view)
        return _spanned(hooks(view))

    return names


def _spanned(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        exchange = current.get()
        if exchange is None:
            yield name
            continue
        with exchange.phase(POLICIES.get(name, name)):
            yield name


def timed_steps(name: str, steps: Any) -> Any:
    """Return a chain that runs another one inside of a span."""

    def spanned(*args: Any, **kwargs: Any) -> Steps[Any]:
        exchange = current.get()
        if exchange is None or not exchange.is_recorded:
            return (yield from steps(*args, **kwargs))
        with exchange.phase(name):
            return (yield from steps(*args, **kwargs))

    spanned.run = timed(name, steps.run)  # type: ignore[attr-defined]
    return spanned


def replace() -> None:
    """Let spans be made from now on; once for a process."""
    if _state.is_replaced:
        return
    _state.is_replaced = True
    vars(policies).update(policy_hooks=timed_hooks(policies.policy_hooks))
    validated = timed_steps("validation", mixins._validated_steps)
    represented = {name: timed("serializer", getattr(mixins, name)) for name in REPRESENTING}
    vars(mixins).update(represented, _validated_steps=validated)
    rendered: Any = vars(Response)["rendered_content"]
    type.__setattr__(Response, "rendered_content", property(timed("rendering", rendered.fget)))


class _State:
    is_replaced = False


_state = _State()
