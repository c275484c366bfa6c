"""Relations shown as the URL of the related object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured, MultipleObjectsReturned, ObjectDoesNotExist
from django.urls import NoReverseMatch, Resolver404, get_script_prefix, resolve
from django.utils.encoding import uri_to_iri
from django.utils.translation import gettext_lazy as _

from lintel.composite_keys import key_text
from lintel.fast import found_object
from lintel.fields.base import developer_error
from lintel.fields.describing import Schema, ViewSchema
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable
from lintel.relations.base import RelatedField
from lintel.relations.lookups import sole_object
from lintel.relations.nested import lookups_of_rows, outer_lookups, outer_values
from lintel.reverse import names_in_namespaces, reverse
from lintel.scoping import rows_of


class ObjectValueError(ValueError):
    """Raised by ``get_object`` if a ValueError means that the object does not exist.

    A plain ValueError from a custom queryset is a programming error and is not caught.
    """


class ObjectTypeError(TypeError):
    """Raised by ``get_object`` if a TypeError means that the object does not exist."""


class Hyperlink(str):
    """A URL that also knows its object, so that pages can show its ``name``."""

    is_hyperlink = True
    obj: Native

    def __new__(cls, url: str, obj: Native) -> Hyperlink:
        self = super().__new__(cls, url)
        self.obj = obj
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.name

    @property
    def name(self) -> str:
        """Return the text of the object, computed late because it may take a query."""
        return str(self.obj)


class HyperlinkedRelatedField(RelatedField):
    """The related object as the URL of the view ``view_name``.

    ``lookup_field`` is the attribute of the object in the URL, ``lookup_url_kwarg``
    its URL argument (the same name by default), ``format`` a suffix. ``parent_lookups`` says
    where further arguments of a nested URL come from: ``{"room_pk": "room.pk"}``; in the view of
    such a URL its own rows need none. The serializer needs ``request`` in its context; with
    ``None`` URLs have no host.
    """

    lookup_field: str = "pk"
    view_name: str | None = None

    default_error_messages = {
        "required": _("This field is required."),
        "no_match": _("Invalid hyperlink - No URL match."),
        "incorrect_match": _("Invalid hyperlink - Incorrect URL match."),
        "does_not_exist": _("Invalid hyperlink - Object does not exist."),
        "incorrect_type": _("Incorrect type. Expected URL string, received {data_type}."),
    }

    def __init__(self, view_name: str | None = None, **kwargs: Any) -> None:
        if view_name is not None:
            self.view_name = view_name
        if self.view_name is None:
            developer_error(
                "The `view_name` argument is required. Name the view whose address "
                f'`{type(self).__name__}` shows, such as `view_name="article-detail"`.'
            )
        self.lookup_field = kwargs.pop("lookup_field", self.lookup_field)
        self.lookup_url_kwarg: str = kwargs.pop("lookup_url_kwarg", self.lookup_field)
        self.format: str | None = kwargs.pop("format", None)
        self.parent_lookups: Mapping[str, str] = kwargs.pop("parent_lookups", None) or {}
        # Kept on the field, so that a subclass or a test can replace the function.
        self.reverse = reverse
        super().__init__(**kwargs)

    @inlinable("hyperlinked_related", "lookup_field")
    def use_pk_only_optimization(self) -> bool:
        return self.lookup_field == "pk"

    @inlinable("hyperlinked_related", "lookup_field", "lookup_url_kwarg", "parent_lookups")
    def get_object(self, view_name: str, view_args: Any, view_kwargs: Any) -> Native:
        """Raises ObjectDoesNotExist, ObjectValueError or ObjectTypeError if there is none."""
        value = view_kwargs[self.lookup_url_kwarg]
        result = found_object(self, value)
        if result is not None:
            return result
        queryset = rows_of(self)
        for name, path in outer_lookups(self, view_name).items():
            queryset = queryset.filter(**{path.replace(".", "__"): view_kwargs[name]})
        try:
            return sole_object(queryset, self.lookup_field, value)
        except (ValueError, OverflowError) as error:
            raise ObjectValueError(str(error)) from error
        except TypeError as error:
            raise ObjectTypeError(str(error)) from error

    @inlinable("hyperlinked_related", "lookup_field", "lookup_url_kwarg", "parent_lookups")
    def get_url(self, obj: Native, view_name: str, request: Any, format: Any) -> str | None:
        """None for an unsaved object. Raises NoReverseMatch if the view has no such URL."""
        if hasattr(obj, "pk") and obj.pk in (None, ""):
            return None
        value = getattr(obj, self.lookup_field)
        if type(value) is tuple:
            if None in value:
                return None
            value = key_text(value)
        kwargs = {self.lookup_url_kwarg: value}
        kwargs |= outer_values(self, obj, outer_lookups(self, view_name))
        try:
            return self.reverse(view_name, kwargs=kwargs, request=request, format=format)
        except NoReverseMatch:
            # In a nested view, URLs of its rows may be those of another route below the parent.
            kwargs |= outer_values(self, obj, lookups_of_rows(self, obj))
            return self.reverse(view_name, kwargs=kwargs, request=request, format=format)

    @inlinable("hyperlinked_related", "get_object", "get_queryset", "view_name")
    def to_internal_value(self, data: Primitive) -> Native:
        """Return the object at a URL, absolute or not; raise ValidationError for none."""
        if not isinstance(data, str):
            self.fail("incorrect_type", data_type=type(data).__name__)
        try:
            match = resolve(uri_to_iri(unquote(_path(data))))
        except (Resolver404, ValueError):
            # ValueError: not a URL at all, such as "http://[" or text that cannot be encoded.
            self.fail("no_match")
        if match.view_name not in _expected_view_names(self):
            self.fail("incorrect_match")
        try:
            return self.get_object(match.view_name, match.args, match.kwargs)
        except (ObjectDoesNotExist, MultipleObjectsReturned, ObjectValueError, ObjectTypeError):
            self.fail("does_not_exist")

    @inlinable(
        *("hyperlinked_related", "get_url", "reverse", "view_name"),
        *("lookup_field", "lookup_url_kwarg", "format"),
    )
    def to_representation(self, value: Native) -> Primitive:
        """None for an unsaved object. Raises ImproperlyConfigured if the view has no such URL."""
        request, wanted = _request(self), self.context.get("format")
        format = self.format if wanted and self.format else wanted
        try:
            url = self.get_url(value, self.view_name or "", request, format)
        except NoReverseMatch as error:
            raise ImproperlyConfigured(_explain(self, value)) from error
        return None if url is None else Hyperlink(url, value)

    def describe_values(self, schema: ViewSchema) -> Schema:
        # Clients may omit the host.
        is_sent = not (self.read_only or schema.document_form.receives)
        return {"type": "string", "format": "uri-reference" if is_sent else "uri"}


def key_at_url(field: HyperlinkedRelatedField, address: object) -> object:
    """Return the key of the object that a URL names. Raises ValueError if it names none."""
    try:
        match = resolve(uri_to_iri(unquote(_path(str(address)))))
    except Resolver404 as error:
        raise ValueError("No view has this URL.") from error
    if match.view_name not in _expected_view_names(field):
        raise ValueError("Another view has this URL.")
    return match.kwargs.get(field.lookup_url_kwarg)


def _path(address: str) -> str:
    """Return the path that the URL configuration sees: without scheme, host and script prefix."""
    if not address.startswith(("http:", "https:")):
        return address
    path = urlsplit(address).path
    prefix = get_script_prefix()
    return f"/{path.removeprefix(prefix)}" if path.startswith(prefix) else path


class HyperlinkedIdentityField(HyperlinkedRelatedField):
    """The URL of the object itself; read-only."""

    def __init__(self, view_name: str | None = None, **kwargs: Any) -> None:
        kwargs["read_only"] = True
        kwargs["source"] = "*"
        super().__init__(view_name, **kwargs)

    @inlinable("hyperlinked_identity")
    def use_pk_only_optimization(self) -> bool:
        # The object itself is available already.
        return False


def _expected_view_names(field: HyperlinkedRelatedField) -> tuple[str | None, ...]:
    request: Any = field.context.get("request")
    try:
        return (request.versioning_scheme.get_versioned_viewname(field.view_name, request),)
    except AttributeError:
        return field.view_name, *names_in_namespaces(field.view_name, request)


def _request(field: HyperlinkedRelatedField) -> Any:
    if "request" not in field.context:
        developer_error(
            f"`{type(field).__name__}` requires the request in the serializer context. Add "
            "`context={'request': request}` when instantiating the serializer. None in its "
            "place gives addresses without a host."
        )
    return field.context["request"]


def _explain(field: HyperlinkedRelatedField, value: Native) -> str:
    message = (
        "Could not resolve URL for hyperlinked relationship using view name "
        f'"{field.view_name}". You may have failed to include the related model in your API, or '
        "incorrectly configured the `lookup_field` attribute on this field."
    )
    shown = value if value == "" else getattr(value, field.lookup_field, None)
    if shown is None or shown == "":
        message += (
            " WARNING: The value of the field on the model instance was "
            f"{'None' if shown is None else 'the empty string'}, which may be why it didn't "
            "match any entries in your URL conf."
        )
    return (
        f"{message} The field fills `{field.lookup_url_kwarg}` of the address from "
        f"`{field.lookup_field}` of the object."
    )
