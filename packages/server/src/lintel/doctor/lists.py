"""Lists that are read through instances, and why."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from lintel import fast
from lintel.annotations import AnyView
from lintel.checks import routed_views
from lintel.doctor.findings import GOOD, OPEN, Finding, counted

#: Methods of a view behind which the rows of a list may go another way.
HOOKS = ("list", "get_serializer", "paginate_queryset")


def finding_of_lists() -> Finding | None:
    """Tell which lists go the plain way; None if the project has none."""
    try:
        reasons = {view: why_plain(view) for view in _lists()}
    except Exception as error:  # any exception in the project's code
        text = f"the project's lists could not be examined: {type(error).__name__}: {error}"
        return Finding(OPEN, "lists", text)
    plain = [view for view, reason in reasons.items() if reason]
    if not reasons:
        return None
    if not plain:
        return Finding(
            GOOD, "lists", f"{counted(len(reasons), 'list')}, read without making model instances"
        )
    lists = f"{len(plain)} of {counted(len(reasons), 'list')}"
    text = f"model instances are made for {lists}, which takes longer"
    return Finding(OPEN, "lists", text, tuple(_by_reason(reasons)))


def _by_reason(reasons: Mapping[AnyView, str | None]) -> Iterator[str]:
    """Yield a line for each reason, with the views that share it: the most common ones first."""
    for reason, count in Counter(filter(None, reasons.values())).most_common():
        views = [view for view, why in reasons.items() if why == reason]
        number = f"{counted(count, 'list')}: " if count > 1 else ""
        yield f"{number}{reason}: {'; '.join(_named(views))}"


def _named(views: Collection[AnyView]) -> Iterator[str]:
    """Yield the names of views, those of one module together."""
    for module in sorted({view.__module__ for view in views}):
        names = sorted(view.__qualname__ for view in views if view.__module__ == module)
        yield f"{module}.{', '.join(names)}"


def _lists() -> Iterator[AnyView]:
    """Yield the classes of views that answer GET with a list."""
    for callback in routed_views():
        actions = getattr(callback, "actions", None)
        if "list" in actions.values() if actions else hasattr(callback.cls, "list"):
            yield callback.cls


def _of_project(method: object) -> bool:
    return not str(getattr(method, "__module__", "")).startswith("lintel.")


def why_plain(view: AnyView) -> str | None:
    """Return in a line why a view's list is read through instances; None if it is not."""
    overridden = [name for name in HOOKS if _of_project(getattr(view, name, None))]
    if overridden:
        return f"{overridden[0]}() is the view's own"
    if _of_project(view.get_serializer_class) or view.serializer_class is None:
        return "get_serializer_class() chooses for each request"
    reason = fast.why_instances(view.serializer_class)
    return reason and f"{view.serializer_class.__name__}: {reason}"
