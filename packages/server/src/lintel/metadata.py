"""What a view returns for OPTIONS: a description of itself."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.encoding import force_str

from lintel import exceptions, serializers
from lintel.cycle.steps import complete
from lintel.provenance import reaches_ours
from lintel.request import clone_request
from lintel.utils.field_mapping import ClassLookupDict


class BaseMetadata:
    """Base of all metadata classes."""

    def determine_metadata(self, request: Any, view: Any) -> Any:
        """Return the data of the response to OPTIONS."""
        raise NotImplementedError(".determine_metadata() must be overridden.")


class SimpleMetadata(BaseMetadata):
    """Name and description, media types, and the fields that each writing method takes."""

    #: The name of a kind of field, looked up by the class of the field or its nearest ancestor.
    label_lookup: ClassLookupDict = ClassLookupDict(
        {
            serializers.Field: "field",
            serializers.BooleanField: "boolean",
            serializers.CharField: "string",
            serializers.UUIDField: "string",
            serializers.URLField: "url",
            serializers.EmailField: "email",
            serializers.RegexField: "regex",
            serializers.SlugField: "slug",
            serializers.IntegerField: "integer",
            serializers.FloatField: "float",
            serializers.DecimalField: "decimal",
            serializers.DateField: "date",
            serializers.DateTimeField: "datetime",
            serializers.TimeField: "time",
            serializers.DurationField: "duration",
            serializers.ChoiceField: "choice",
            serializers.MultipleChoiceField: "multiple choice",
            serializers.FileField: "file upload",
            serializers.ImageField: "image upload",
            serializers.ListField: "list",
            serializers.DictField: "nested object",
            serializers.Serializer: "nested object",
        }
    )

    def determine_metadata(self, request: Any, view: Any) -> Any:
        metadata = {
            "name": view.get_view_name(),
            "description": view.get_view_description(),
            "renders": [renderer.media_type for renderer in view.renderer_classes],
            "parses": [parser.media_type for parser in view.parser_classes],
        }
        if hasattr(view, "get_serializer"):
            actions = self.determine_actions(request, view)
            if actions:
                metadata["actions"] = actions
        return metadata

    def determine_actions(self, request: Any, view: Any) -> dict[str, Any]:
        """Return the fields of POST and PUT, for each method that this user may use here."""
        actions = {}
        for method in [name for name in ("PUT", "POST") if name in view.allowed_methods]:
            view.request = clone_request(request, method)
            try:
                _check_access(view, method)
            except (exceptions.APIException, PermissionDenied, Http404):
                continue
            else:
                actions[method] = self.get_serializer_info(view.get_serializer())
            finally:
                view.request = request
        return actions

    def get_serializer_info(self, serializer: Any) -> dict[str, Any]:
        """Return the description of each field of a serializer, by name."""
        # A list takes the same fields as its items.
        serializer = getattr(serializer, "child", serializer)
        info = {
            name: self.get_field_info(field)
            for name, field in serializer.fields.items()
            if not isinstance(field, serializers.HiddenField)
        }
        if isinstance(serializer, serializers.UnionSerializer):
            _add_kinds(self, serializer, info[serializer.discriminator])
        return info

    def get_field_info(self, field: Any) -> dict[str, Any]:
        """Return the description of one field."""
        info: dict[str, Any] = {
            "type": self.label_lookup[field],
            "required": getattr(field, "required", False),
        }
        info |= _attributes(field)
        if getattr(field, "child", None):
            info["child"] = self.get_field_info(field.child)
        elif getattr(field, "fields", None):
            info["children"] = self.get_serializer_info(field)
        if _lists_choices(info, field):
            info["choices"] = [
                {"value": value, "display_name": force_str(name, strings_only=True)}
                for value, name in field.choices.items()
            ]
        return info


def _add_kinds(metadata: SimpleMetadata, union: Any, info: dict[str, Any]) -> None:
    """Map the classes of fields to their names among the choices."""
    for choice, member in zip(info["choices"], union.members.values(), strict=True):
        if hasattr(member, "fields"):
            fields = metadata.get_serializer_info(member)
            fields.pop(union.discriminator, None)
            choice["children"] = fields


def _check_access(view: Any, method: str) -> None:
    """Raise what a request with this method would meet before its handler changes anything."""
    if hasattr(view, "check_permissions"):
        complete(view.check_permissions(view.request))
    if method == "PUT" and hasattr(view, "get_object") and _names_an_object(view):
        complete(view.get_object())


def _names_an_object(view: Any) -> bool:
    """Return whether the URL identifies one object: a bulk PUT has none."""
    if not reaches_ours(view, "get_object"):
        return True
    return (view.lookup_url_kwarg or view.lookup_field) in view.kwargs


def _attributes(field: Any) -> dict[str, Any]:
    names = (
        "read_only",
        "label",
        "help_text",
        "min_length",
        "max_length",
        "min_value",
        "max_value",
        "max_digits",
        "decimal_places",
    )
    values = {name: getattr(field, name, None) for name in names}
    return {
        name: force_str(value, strings_only=True)
        for name, value in values.items()
        if value not in (None, "")
    }


def _lists_choices(info: dict[str, Any], field: Any) -> bool:
    """Return whether to list choices: not rows, of which there may be any number."""
    is_relation = isinstance(field, serializers.RelatedField | serializers.ManyRelatedField)
    return not info.get("read_only") and not is_relation and hasattr(field, "choices")
