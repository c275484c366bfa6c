"""The titles of pages: of the API, and of the object that a page shows."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, NoReturn

from django.db import connections
from django.db.models import Model
from django.utils.text import Truncator

from lintel.renderers.data import View
from lintel.renderers.forms.disclosure import has_errors, instance_here, single_serializer
from lintel.settings import api_settings
from lintel.utils.formatting import name_of_class

#: The name of the view that routers make for their root.
ROOT = "Api Root"

#: The most characters of an object's title.
LONGEST = 120

#: What a reader might learn from a text: words, and symbols that are no punctuation.
_WORD = re.compile(r"[^\W_]+|[^\w\s\u0020-\u007e\u2010-\u2027]")


def api_title() -> str:
    """The title of the API that settings name; empty if they name none."""
    described = (api_settings.OPENAPI_DOCUMENT or {}).get("info") or {}
    return str(api_settings.API_TITLE or described.get("title") or "")


def titled(name: str, crumbs: Any, data: object, view: View) -> tuple[str, Any]:
    """Choose the title of a page whose view is called ``name``, and title its breadcrumbs.

    A name that the project has given stays. The topmost root of a router has the title of the
    API, a page of one object its text, as far as the setting ``OBJECT_TITLES`` allows. Breadcrumbs
    above an object name no other object: nobody has checked who may see them. What a project has
    put in place of pairs of names and addresses stays, too.
    """
    are_pairs = isinstance(crumbs, list | tuple) and all(map(_is_pair, crumbs))
    shown = [*crumbs] if are_pairs else []
    title = name
    if name == ROOT and len(shown) <= 1:
        title = api_title() or name
    elif api_settings.OBJECT_TITLES and _is_derived(name, view):
        title = _text_of_object(data, view) or name
    if shown and shown[0][0] == ROOT:
        shown[0] = (api_title() or ROOT, shown[0][1])
    if shown and shown[-1][0] == name:
        shown[-1] = (title, shown[-1][1])
    return title, shown if are_pairs else crumbs


def _is_pair(crumb: object) -> bool:
    return isinstance(crumb, list | tuple) and len(crumb) == 2


def _is_derived(name: str, view: View) -> bool:
    """Tell whether nobody named the page of an object: it is its class and a router's suffix."""
    if getattr(view, "detail", None) is False:  # a list, though it may show what was created
        return False
    suffix = getattr(view, "suffix", None)
    is_named = getattr(view, "name", None) is not None
    return bool(suffix) and not is_named and name == f"{name_of_class(type(view))} {suffix}"


def _text_of_object(data: object, view: View) -> str:
    """The text of the object at the address; empty if it has none, or none that may be shown."""
    serializer = single_serializer(data)
    if has_errors(serializer):
        return ""
    instance = instance_here(serializer, view)
    if not isinstance(instance, Model) or type(instance).__str__ is Model.__str__:
        return ""
    is_trusted = api_settings.OBJECT_TITLES is True
    try:
        with nullcontext() if is_trusted else _no_queries():
            text = " ".join(str(instance).split())
            is_shown = is_trusted or _tells_nothing_new(text, data, instance)
    except Exception:
        # Code of the project that was never asked before must not break a page.
        return ""
    return Truncator(text).chars(LONGEST) if is_shown else ""


def _tells_nothing_new(text: str, data: object, instance: Model) -> bool:
    """Tell whether all words of a text are in the response, or name the kind of the object."""
    words = _words([text])
    kind = [type(instance).__name__, str(instance._meta.verbose_name)]
    return bool(words) and words <= _words([*_texts(data), *kind])


def _words(texts: Iterable[str]) -> set[str]:
    return {word.casefold() for text in texts for word in _WORD.findall(text)}


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)


class _Refused(Exception):
    """Raised for a query: what the response shows is in memory."""


class _NoConnection:
    """Stands in for a connection; what is refused is neither opened, counted nor logged."""

    def __getattr__(self, name: str) -> NoReturn:
        raise _Refused(name)


@contextmanager
def _no_queries() -> Iterator[None]:
    """Take the connections from this thread; other threads may share and use them meanwhile."""
    held = {alias: connections[alias] for alias in connections}
    refusing: Any = _NoConnection()
    try:
        for alias in held:
            connections[alias] = refusing
        yield
    finally:
        for alias, connection in held.items():
            connections[alias] = connection
