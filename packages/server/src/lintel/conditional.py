"""Conditional requests (RFC 9110, section 13): ``ETag``, 304, and writes without lost updates.

A tag has two parts. The *state* identifies the content, the *form* its representation: media type,
language, version and user. Reads compare both, so that a copy kept for one user or form is never
confirmed for another. Writes compare only the state, which is the same in each form.
"""

import hashlib
import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import DatabaseError, models
from django.http import HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils.http import http_date, parse_etags, parse_http_date_safe
from django.utils.timezone import is_naive, make_aware
from django.utils.translation import get_language

from lintel import fast
from lintel.annotations import AnyView, Instance
from lintel.cycle.chains import chain
from lintel.cycle.policies import handler_of
from lintel.cycle.steps import Steps, blocking, complete, hook
from lintel.cycle.wrapping import WrappingMixin, wrap_handler
from lintel.exceptions import PreconditionFailed, PreconditionRequired
from lintel.fast import PLAIN
from lintel.holding import HoldingMixin, answer_holding, locked
from lintel.negotiation import writes_many
from lintel.problems.catalogue import is_page
from lintel.request import Request, class_of_user, credentials_of, override_method
from lintel.response import Response

logger: logging.Logger = logging.getLogger(__name__)

#: What reads and what writes the object at a URL: actions, and methods where there are no actions.
READS = frozenset(["retrieve", "list", "GET", "HEAD"])
WRITES = frozenset(["update", "partial_update", "destroy", "PUT", "PATCH", "DELETE"])
CREATES = frozenset(["create", "POST"])


@dataclass(frozen=True)
class _Validators:
    """Distinguishes states of a resource; None for unknown parts."""

    state: str | None = None
    form: str = ""
    modified: datetime | None = None

    @property
    def tag(self) -> str | None:
        return None if self.state is None else f'"{self.state}.{self.form}"'

    @property
    def seconds(self) -> int | None:
        return None if self.modified is None else int(self.modified.timestamp())


class ConditionalMixin(HoldingMixin, WrappingMixin):
    """Adds conditional requests to a generic view or viewset; put it before the base class.

    GET and HEAD send an ``ETag`` and return 304 to clients that have it. PUT, PATCH and DELETE with
    an ``If-Match`` of another state raise PreconditionFailed (412); nothing else can write between
    the comparison and the write.
    """

    #: The field that changes with each write, such as a number or a datetime. Without one the
    #: tag is derived from the data of the response, which must be made first.
    etag_field: str | None = None

    #: The field with the time of the latest write: sends ``Last-Modified``.
    last_modified_field: str | None = None

    #: Whether writes without a condition raise PreconditionRequired (428, RFC 6585).
    require_preconditions: bool = False

    def get_etag(self, instance: Instance) -> object:
        """Return a value that changes with each write; None to use the data of the response."""
        return None if self.etag_field is None else getattr(instance, self.etag_field)

    def get_last_modified(self, instance: Instance) -> datetime | None:
        name = self.last_modified_field
        return None if name is None else getattr(instance, name)

    @staticmethod
    def _lintel_wrap(view: object, request: Request) -> None:
        if reads(view, request.method):
            wrap_handler(view, request, _reading_steps)
        elif writes(view, request.method):
            wrap_handler(view, request, _writing_steps)
        elif creates(view, request.method):
            wrap_handler(view, request, _creating_steps)
        elif writes_many(view, request.method):
            wrap_handler(view, request, _bulk_steps)


_HOOKS = {
    "get_etag": ConditionalMixin.get_etag,
    "get_last_modified": ConditionalMixin.get_last_modified,
}


def reads(view: object, method: str | None) -> bool:
    return _action(view, method) in READS


def writes(view: object, method: str | None) -> bool:
    return _action(view, method) in WRITES


def creates(view: object, method: str | None) -> bool:
    return _action(view, method) in CREATES


def _action(view: object, method: str | None) -> str | None:
    return method if getattr(view, "action_map", None) is None else getattr(view, "action", None)


# Reading


@chain
def _reading_steps(view: AnyView, request: Request, answer: Callable[[], object]) -> Steps[object]:
    """Return 304, or 200 with a tag; the row is serialized only if the client lacks it."""
    validators = _Validators()
    if _reads_object(view):
        instance = yield hook(view, "get_object")
        validators = yield blocking(_validators_of, view, request, instance)
        if validators.state is not None:
            _compare_reading(request, validators)
        if _client_has(request, validators):
            return _with_validators(HttpResponseNotModified(), validators)
        view._lintel_held = instance
    try:
        response = yield blocking(answer)
    finally:
        view.__dict__.pop("_lintel_held", None)
    if validators.state is None and _has_data(request, response):
        state = _state_of_data(response.data)
        validators = _Validators(state, _form_of(request), validators.modified)
        _compare_reading(request, validators)
        if _client_has(request, validators):
            return _with_validators(HttpResponseNotModified(), validators)
    return _with_validators(response, validators)


def _reads_object(view: AnyView) -> bool:
    """Return whether a view reads one object, which knows its tag or its time itself."""
    if getattr(view, "action_map", None) is None:
        reads_one = hasattr(view, "retrieve") and not hasattr(view, "list")
    else:
        reads_one = getattr(view, "action", None) == "retrieve"
    has_tags = view.etag_field is not None or "get_etag" in _own_hooks(view)
    return reads_one and (has_tags or knows_moments(view))


def knows_moments(view: AnyView) -> bool:
    """Say whether times are conditions: the view has a field of them, or a hook."""
    return view.last_modified_field is not None or "get_last_modified" in _own_hooks(view)


def _own_hooks(view: AnyView) -> set[str]:
    """Return the hooks that a project defines: in a subclass, on one view, or in place of ours."""
    hooks = {name: getattr(getattr(view, name), "__func__", None) for name in _HOOKS}
    return {name for name, hook in _HOOKS.items() if hooks[name] is not hook}


def _has_data(request: Request, response: Response) -> bool:
    """Return whether a response is only data: HTML pages contain more, such as session secrets."""
    shows_page = is_page(request.accepted_media_type)
    return isinstance(response, Response) and response.status_code == 200 and not shows_page


def _with_validators(response: HttpResponseBase, validators: _Validators) -> HttpResponseBase:
    if validators.tag is not None and "ETag" not in response.headers:
        response["ETag"] = validators.tag
    if validators.modified is not None and "Last-Modified" not in response.headers:
        response["Last-Modified"] = http_date(validators.modified.timestamp())
    if validators != _Validators() and "Cache-Control" not in response.headers:
        # Otherwise browsers would reuse their copy for a while without asking (RFC 9111, 4.2.2).
        response["Cache-Control"] = "no-cache"
    return response


def _compare_reading(request: Request, validators: _Validators) -> None:
    if _is_refused(request.META, validators):
        raise PreconditionFailed


def _client_has(request: Request, validators: _Validators) -> bool:
    """Return whether the client has the current representation (RFC 9110, 13.1.2 and 13.1.3)."""
    given = request.META.get("HTTP_IF_NONE_MATCH")
    if given is not None:
        tags = [tag.removeprefix("W/") for tag in parse_etags(given)]
        return "*" in tags or validators.tag in tags
    since = _moment(request.META, "HTTP_IF_MODIFIED_SINCE")
    return since is not None and validators.seconds is not None and validators.seconds <= since


def _moment(meta: Mapping[str, str], name: str) -> int | None:
    """Return the time in a header, in seconds; None without a valid one."""
    given = meta.get(name)
    return None if given is None else parse_http_date_safe(given)


# Writing


@chain
def _writing_steps(view: object, request: Request, answer: Callable[[], object]) -> Steps[object]:
    if _is_conditional(view, request):
        # A transaction belongs to one thread: the handler's work in threads happens in this one.
        response = yield blocking(_write_if_unchanged, view, request, answer)
    else:
        response = yield blocking(answer)
    return (yield blocking(_with_new_state, view, request, response, request.get_full_path()))


@chain
def _creating_steps(view: object, request: Request, answer: Callable[[], object]) -> Steps[object]:
    response: Any = yield blocking(answer)
    # Without a Location the tag would be that of the list (RFC 9110, 15.3.2).
    place = getattr(response, "headers", {}).get("Location")
    if place is None:
        return response
    return (yield blocking(_with_new_state, view, request, response, place))


@chain
def _bulk_steps(view: object, request: Request, answer: Callable[[], object]) -> Steps[object]:
    # A tag belongs to one object, and a list of objects has none to compare: it is refused.
    if _is_conditional(view, request):
        raise PreconditionFailed
    return (yield blocking(answer))


def _with_new_state(view: AnyView, request: Request, response: Any, place: str) -> object:
    """Add the validators of what has been written, which the response shows.

    ``Content-Location`` says that the response is the object now: without it, a tag would belong to
    what the client has sent (RFC 9110, 8.7 and 9.3.4).
    """
    serializer = _shown_by(request, response)
    if serializer is None:
        return response
    try:
        tags = _validators_of(view, request, serializer.instance)
        if tags.state is None and _is_read_alike(view, request, serializer):
            tags = _Validators(_state_of_data(response.data), _form_of(request), tags.modified)
    except DatabaseError:
        raise  # a transaction around the request may be broken
    except Exception:  # of the project, which did not expect a write here: it is done
        logger.warning("%s wrote, and cannot tell the tag", type(view).__name__, exc_info=True)
        return response
    if tags.state is not None and "Content-Location" not in response.headers:
        response["Content-Location"] = place
    return _with_validators(response, tags)


def _shown_by(request: Request, response: Any) -> Any:
    """Return the serializer of the data of a response that shows one row, or None."""
    if not isinstance(response, Response) or response.status_code not in (200, 201):
        return None
    serializer = getattr(response.data, "serializer", None)
    is_row = isinstance(getattr(serializer, "instance", None), models.Model)
    return serializer if is_row and not is_page(request.accepted_media_type) else None


def _is_read_alike(view: AnyView, request: Request, serializer: object) -> bool:
    """Return whether GET shows a row as the response to a write has: by the same serializer."""
    # A retrieve() of the project may show more; one that only seems to be ours costs a GET at most.
    module = getattr(getattr(view, "retrieve", None), "__module__", "")
    if not module.startswith("lintel."):
        return False
    is_new = creates(view, request.method)
    # The place of what was created is without the query, which may choose what is shown.
    if is_new and request.META.get("QUERY_STRING"):
        return False
    with override_method(view, request, "GET") as reading:
        if is_new and getattr(view, "action_map", None) is not None:
            view.action = "retrieve"
        elif handler_of(view, reading) == view.http_method_not_allowed:
            return False
        return view.get_serializer_class() is type(serializer)


def _is_conditional(view: AnyView, request: Request) -> bool:
    """Return whether a write has a condition. Raises PreconditionRequired if it must have one."""
    # The forms of HTML pages have no tags.
    meta = request.META
    if "HTTP_IF_MATCH" in meta or "HTTP_IF_NONE_MATCH" in meta:
        return True
    if _moment(meta, "HTTP_IF_UNMODIFIED_SINCE") is not None and knows_moments(view):
        return True
    if view.require_preconditions and not is_page(request.accepted_media_type):
        raise PreconditionRequired
    return False


def _write_if_unchanged(view: AnyView, request: Request, answer: Callable[[], object]) -> object:
    """Lock the row, compare, write. Raises Http404, PermissionDenied, PreconditionFailed."""
    with ExitStack() as stack:
        instance = locked(view, complete(view.get_object()), stack)
        validators = _validators_of(view, request, instance)
        if validators.state is None:
            validators = _Validators(_shown_state(view, request), "", validators.modified)
        if _is_refused(request.META, validators) or _is_excluded(request.META, validators):
            raise PreconditionFailed
        return answer_holding(view, instance, answer)


def _is_refused(meta: Mapping[str, str], validators: _Validators) -> bool:
    """Return whether If-Match, or If-Unmodified-Since without it, asks for another state."""
    # Tags are compared strongly (RFC 9110, 13.1.1 and 13.1.4).
    if "HTTP_IF_MATCH" in meta:
        tags = parse_etags(meta["HTTP_IF_MATCH"])
        return "*" not in tags and validators.state not in [_state_in(tag) for tag in tags]
    since = _moment(meta, "HTTP_IF_UNMODIFIED_SINCE")
    return since is not None and validators.seconds is not None and validators.seconds > since


def _is_excluded(meta: Mapping[str, str], validators: _Validators) -> bool:
    """Return whether If-None-Match forbids overwriting what exists (RFC 9110, 13.1.2)."""
    tags = [tag.removeprefix("W/") for tag in parse_etags(meta.get("HTTP_IF_NONE_MATCH", ""))]
    return "*" in tags or validators.state in [_state_in(tag) for tag in tags]


def _state_in(tag: str) -> str:
    return tag[1:-1].rpartition(".")[0] if tag.startswith('"') else ""


# Computing states


def _validators_of(view: AnyView, request: Request, instance: Instance) -> _Validators:
    mark = view.get_etag(instance)
    if hasattr(mark, "resolve_expression"):
        mark = None  # of a write: the database alone knows the value
    modified = view.get_last_modified(instance)
    if modified is not None and is_naive(modified):
        modified = make_aware(modified)
    if mark is None:
        return _Validators(modified=modified)
    text = _text_of_moment(mark) if isinstance(mark, datetime) else str(mark)
    label = type(instance).__qualname__
    state = _digest(f"{label}\n{getattr(instance, 'pk', '')}\n{text}".encode())
    return _Validators(state, _form_of(request), modified)


def _text_of_moment(moment: datetime) -> str:
    """The same for one moment in each time zone: a row that was read is in UTC."""
    return (moment if is_naive(moment) else moment.astimezone(UTC)).isoformat()


def _shown_state(view: AnyView, request: Request) -> str | None:
    with override_method(view, request, "GET") as reading:
        handler = handler_of(view, reading)
        if handler == view.http_method_not_allowed:
            return None
        response = complete(handler(reading, *view.args, **view.kwargs))
    return _state_of_data(getattr(response, "data", None))


def _state_of_data(data: object) -> str | None:
    """Return the state of some data; None if writing it runs project code."""
    text = PLAIN if data is None else fast.known_text(data)
    return None if text is PLAIN else _digest(text)


def _form_of(request: Request) -> str:
    user = request.user
    is_known = user is not None and getattr(user, "is_authenticated", False)
    key = getattr(user, "pk", None)
    who = f"{class_of_user(user)} {credentials_of(request) if key is None else key}"
    parts = (request.accepted_media_type, request.version, get_language(), who if is_known else "")
    return _digest("\n".join(map(str, parts)).encode())[:8]


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:32]
