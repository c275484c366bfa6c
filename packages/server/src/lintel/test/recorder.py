"""Holds the exchanges of a project's test clients against the project's own schema."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

from django.conf import settings
from django.test.signals import setting_changed
from django.urls import Resolver404, ResolverMatch, get_resolver, resolve

from lintel.renderers import BrowsableAPIRenderer
from lintel.schemas.coreapi import extensions_at
from lintel.schemas.extension_rules import is_left_out
from lintel.schemas.generators import BaseSchemaGenerator, EndpointEnumerator, is_api_view
from lintel.schemas.openapi import SchemaGenerator
from lintel.settings import api_settings
from lintel.test import listening
from lintel.utils.encoders import JSONEncoder
from lintel_contract.operations import Operation
from lintel_contract.testing import recorder
from lintel_contract.testing.conformance import Description
from lintel_contract.testing.exchanges import Exchange
from lintel_contract.testing.ledger import Known

#: The most schemas kept, for changing settings.
MOST_KEPT = 20

DJANGO_CLIENTS = "Use --lintel-django-clients if the tests use Django's own Client."


def generated(generator_class: Any = SchemaGenerator) -> object:
    """Return the current schema of the project; None without API views."""
    generator = generator_class()
    generator.keeps_going = True
    return generator.get_schema(request=None, public=True)


class Recorder(recorder.Recorder):
    """Checks each exchange; ``describe`` returns the schema, or is the class of its generator."""

    def __init__(
        self, describe: Callable[[], Any], known: list[Known], *, django_clients: bool = False
    ) -> None:
        is_generator = isinstance(describe, type) and issubclass(describe, BaseSchemaGenerator)
        #: The generator whose rules say which operations the schema leaves out.
        self.generator_class: Any = describe if is_generator else SchemaGenerator
        source = partial(generated, describe) if is_generator else describe
        super().__init__(lambda: json.loads(json.dumps(source(), cls=JSONEncoder)), known)
        self.django_clients = django_clients
        self.hint = "" if django_clients else DJANGO_CLIENTS
        self.made: list[tuple[object, object, Description | None]] = []
        #: Current settings that differ from those of the project.
        self.changed: dict[str, object] = {}
        self.usual: object = settings._wrapped

    def listen(self) -> Callable[[], None]:
        stops = ExitStack()
        stops.callback(listening.listen(django_clients=self.django_clients))
        setting_changed.connect(self.notice)
        stops.callback(setting_changed.disconnect, self.notice)
        return stops.close

    def notice(self, setting: str = "", value: object = None, **kwargs: object) -> None:
        if setting == "ROOT_URLCONF":
            return  # the patterns themselves are compared
        if value == getattr(self.usual, setting, None):
            self.changed.pop(setting, None)
        else:
            self.changed[setting] = value

    def target(self, exchange: Exchange) -> recorder.Target | None:
        """Return what an exchange is held against; None unless it is with a described view."""
        renderer = getattr(exchange.response, "accepted_renderer", None)
        if isinstance(renderer, BrowsableAPIRenderer):
            return None  # an HTML page, which the schema leaves out
        try:
            match = resolve(exchange.path)
        except Resolver404:
            return None
        if not is_api_view(match.func) or self.is_left_out(match, exchange.method):
            return None
        description, route = self.description(), _route(match)
        if description is None:
            return None
        return description, description.find(exchange.method, exchange.path, route), route

    def is_left_out(self, match: ResolverMatch, method: str) -> bool:
        generator, path = self.generator_class(), _route(match)
        method = "GET" if method == "HEAD" else method
        inspector = generator.endpoint_inspector_cls(generator.patterns, generator.urlconf)
        if not inspector.should_include_endpoint(path, match.func):
            return True
        view = generator.create_view(match.func, method)
        path = generator.coerce_path(path, method, view)
        is_shown = generator.has_view_permissions(path, method, view)
        return not is_shown or is_left_out(extensions_at(view, path, method), method, None)

    def hold(
        self, description: Description, operation: Operation | None, path: str, exchange: Exchange
    ) -> None:
        """Check an exchange; each view may be asked for its format, also if there is only one."""
        name = api_settings.URL_FORMAT_OVERRIDE
        if name and operation is not None and ("query", name) not in operation.parameters:
            said = [part for part in exchange.query.split("&") if part.partition("=")[0] != name]
            exchange = replace(exchange, query="&".join(said))
        super().hold(description, operation, path, exchange)

    def description(self) -> Description | None:
        patterns = get_resolver(settings.ROOT_URLCONF).url_patterns
        for made_patterns, made_settings, description in self.made:
            if made_patterns is patterns and made_settings == self.changed:
                return description
        description = self.make_description()
        self.made[MOST_KEPT:] = []
        self.made.insert(0, (patterns, dict(self.changed), description))
        return description


def _route(match: ResolverMatch) -> str:
    template = EndpointEnumerator(patterns=[]).get_path_from_regex(match.route)
    # A suffix is another path of the same operation.
    return template.replace("\\", "").replace(".{format}", "").replace("{format}", "")
