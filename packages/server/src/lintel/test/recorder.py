"""Listens to the clients of tests and keeps the ledger; what pytest is told stands in plugin.py."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.urls import Resolver404, get_resolver, resolve

from lintel.renderers import BrowsableAPIRenderer
from lintel.schemas.generators import EndpointEnumerator, is_api_view
from lintel.schemas.openapi import SchemaGenerator
from lintel.test.conformance import Description, departures
from lintel.test.exchanges import Exchange
from lintel.test.ledger import Known, Ledger
from lintel.utils.encoders import JSONEncoder

#: Schemas that are kept, for settings that come and go.
MOST_KEPT = 20


def generated() -> Any:
    """Return the schema that the project has at this moment; None without API views."""
    return SchemaGenerator().get_schema(request=None, public=True)


class Recorder:
    """Holds each exchange against the schema of the project, and keeps the ledger."""

    def __init__(self, describe: Callable[[], Any], known: list[Known]) -> None:
        self.describe = describe
        self.known = known
        self.ledger: Ledger = Ledger()
        self.test = ""
        self.made: list[tuple[Any, Any, Description | None]] = []
        #: Settings of this moment that are not those of the project.
        self.changed: dict[str, Any] = {}
        self.usual: Any = settings._wrapped

    def notice(self, setting: str = "", value: Any = None, **kwargs: Any) -> None:
        """A setting changed that the schema may depend on."""
        if setting == "ROOT_URLCONF":
            return  # the patterns themselves are compared
        if value == getattr(self.usual, setting, None):
            self.changed.pop(setting, None)
        else:
            self.changed[setting] = value

    def observe(self, exchange: Exchange) -> None:
        """Count an exchange with a view that is described, and how it departs."""
        if isinstance(exchange.renderer, BrowsableAPIRenderer):
            return  # a page for people, which is left out of the schema
        route = _route(exchange.path)
        if route is None:
            return
        try:
            description = self.description()
        except Exception as error:  # the project's code, or a warning made an error
            self.ledger.note("*", "schema", _first_line(error), self.test)
            return
        if description is not None:
            self.hold(description, route, exchange)

    def description(self) -> Description | None:
        """Return the schema of the URL patterns and settings in force, made once."""
        patterns = get_resolver(settings.ROOT_URLCONF).url_patterns
        for known_patterns, known_settings, description in self.made:
            if known_patterns is patterns and known_settings == self.changed:
                return description
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            content = self.describe()
        found = None if content is None else Description(_plain(content))
        self.made[MOST_KEPT:] = []
        self.made.insert(0, (patterns, dict(self.changed), found))
        for operation in found.operations.values() if found else ():
            self.ledger.described |= {(operation.label, each) for each in operation.responses}
        return found

    def hold(self, description: Description, route: str, exchange: Exchange) -> None:
        """Count an exchange with an operation, and its departures."""
        operation = description.find(exchange.method, exchange.path, route)
        if operation is None:
            # Views refuse a method that they do not know, or its caller before that, and OPTIONS is
            # rarely described.
            if exchange.method != "OPTIONS" and not 400 <= exchange.status < 500:
                label = f"{exchange.method} {route}"
                self.ledger.note(label, "operation", str(exchange.status), self.test)
            return
        self.ledger.exchanges += 1
        self.ledger.exercised[(operation.label, str(exchange.status))] += 1
        for found in departures(description, operation, exchange):
            self.ledger.note(found.operation, found.kind, found.detail, self.test)


def _first_line(error: Exception) -> str:
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}"[:200]


def _plain(content: Any) -> Any:
    """The schema as a reader of its JSON has it."""
    return json.loads(json.dumps(content, cls=JSONEncoder))


def _route(path: str) -> str | None:
    """The template of the API view behind a path; None where something else is there."""
    try:
        match = resolve(path)
    except Resolver404:
        return None
    callback = match.func
    view: Any = callback
    if not is_api_view(callback) or view.cls.schema is None:
        return None
    if getattr(view, "initkwargs", {}).get("schema", callback) is None:
        return None
    template = EndpointEnumerator(patterns=[]).get_path_from_regex(match.route)
    # A suffix is another address of the same operation.
    return template.replace("\\", "").replace(".{format}", "").replace("{format}", "")
