"""Listens to test clients and keeps the ledger; plugin.py reports to pytest."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.urls import Resolver404, ResolverMatch, get_resolver, resolve

from lintel.renderers import BrowsableAPIRenderer
from lintel.schemas.extension_rules import extensions_of, is_left_out
from lintel.schemas.generators import BaseSchemaGenerator, EndpointEnumerator, is_api_view
from lintel.schemas.openapi import SchemaGenerator
from lintel.test.conformance import Description, departures
from lintel.test.exchanges import Exchange
from lintel.test.ledger import Known, Ledger
from lintel.utils.encoders import JSONEncoder

#: The most schemas kept, for changing settings.
MOST_KEPT = 20


def generated(generator_class: Any = SchemaGenerator) -> Any:
    """Return the current schema of the project; None without API views."""
    return generator_class().get_schema(request=None, public=True)


class Recorder:
    """Checks each exchange against the schema of the project, and keeps the ledger.

    ``describe`` is a function that returns the schema, or the class of its generator.
    """

    def __init__(self, describe: Callable[[], Any], known: list[Known]) -> None:
        is_generator = isinstance(describe, type) and issubclass(describe, BaseSchemaGenerator)
        #: The generator whose rules say which operations the schema leaves out.
        self.generator_class: Any = describe if is_generator else SchemaGenerator
        self.describe = partial(generated, self.generator_class) if is_generator else describe
        self.known = known
        self.ledger: Ledger = Ledger()
        self.test = ""
        self.made: list[tuple[Any, Any, Description | None]] = []
        #: Current settings that differ from those of the project.
        self.changed: dict[str, Any] = {}
        self.usual: Any = settings._wrapped

    def notice(self, setting: str = "", value: Any = None, **kwargs: Any) -> None:
        """Note a changed setting that the schema may depend on."""
        if setting == "ROOT_URLCONF":
            return  # the patterns themselves are compared
        if value == getattr(self.usual, setting, None):
            self.changed.pop(setting, None)
        else:
            self.changed[setting] = value

    def observe(self, exchange: Exchange) -> None:
        """Count an exchange with a described view, and its departures."""
        if isinstance(exchange.renderer, BrowsableAPIRenderer):
            return  # an HTML page, which the schema leaves out
        match = _match(exchange.path)
        if match is None:
            return
        try:
            is_left_out = self.is_left_out(match, exchange.method)
            description = None if is_left_out else self.description()
        except Exception as error:  # project code, or a warning turned into an error
            self.ledger.note("*", "schema", _first_line(error), self.test)
            return
        if description is not None:
            self.hold(description, _route(match), exchange)

    def is_left_out(self, match: ResolverMatch, method: str) -> bool:
        """Return whether the view or the generator excludes an operation from the schema."""
        generator, path = self.generator_class(), _route(match)
        method = "GET" if method == "HEAD" else method
        inspector = generator.endpoint_inspector_cls(generator.patterns, generator.urlconf)
        if not inspector.should_include_endpoint(path, match.func):
            return True
        view = generator.create_view(match.func, method)
        path = generator.coerce_path(path, method, view)
        is_shown = generator.has_view_permissions(path, method, view)
        return not is_shown or is_left_out(extensions_of(view, method), method, None)

    def description(self) -> Description | None:
        """Return the schema of the current URL patterns and settings, made once."""
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
            # Views reject unknown methods, or the caller before that, and OPTIONS is
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
    """Return the schema as parsed from its JSON."""
    return json.loads(json.dumps(content, cls=JSONEncoder))


def _match(path: str) -> ResolverMatch | None:
    """Return what a path resolves to; None if that is no API view."""
    try:
        match = resolve(path)
    except Resolver404:
        return None
    return match if is_api_view(match.func) else None


def _route(match: ResolverMatch) -> str:
    """Return the template of a view's path."""
    template = EndpointEnumerator(patterns=[]).get_path_from_regex(match.route)
    # A suffix is another path of the same operation.
    return template.replace("\\", "").replace(".{format}", "").replace("{format}", "")
