"""Makes the clients of ``lintel.test``, and Django's own if wanted, report their exchanges."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from inspect import unwrap
from typing import Any

from lintel.test.factories import APIRequestMixin
from lintel_contract.testing import django_clients as django
from lintel_contract.testing.exchanges import Exchange, note


def listen(*, django_clients: bool) -> Callable[[], None]:
    """Listen to the clients of ``lintel.test``, or to all of Django's; call the result to stop."""
    stops = ExitStack()
    stops.callback(django.listen() if django_clients else django.listen(_is_client_of_api))
    if find_spec("requests"):
        stops.callback(_listen_to_requests(import_module("lintel.test.requests")))
    return stops.close


def _is_client_of_api(client: object) -> bool:
    return isinstance(client, APIRequestMixin)


def _listen_to_requests(module: Any) -> Callable[[], None]:
    before = module.perform
    perform = unwrap(before)

    @wraps(perform)
    def heard(application: object, environ: dict[str, object]) -> object:
        body = django.take_body(environ, "wsgi.input")
        # Django decodes the path in the environment itself, so this is asked before.
        request = django.described_request(environ, body)
        answer = perform(application, environ)
        note(
            Exchange(
                **request,
                status=answer.status,
                response_headers={name.lower(): value for name, value in answer.headers},
                response_body=answer.body,
            )
        )
        return answer

    module.perform = heard
    return lambda: setattr(module, "perform", before)
