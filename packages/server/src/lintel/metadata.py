"""What a view returns for OPTIONS: a description of itself."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.encoding import force_str

from lintel import exceptions, serializers
from lintel.compatible import keeps
from lintel.cycle.steps import complete
from lintel.fields.lookup import FieldLookup
from lintel.renderers.forms.disclosure import lookup_of
from lintel.request import Request, clone_request
from lintel.utils.field_mapping import ClassLookupDict

#: What OPTIONS says of a field, or of several by name.
Info = dict[str, Any]


class BaseMetadata:
    """Base of all metadata classes."""

    def determine_metadata(self, request: Request, view: Any) -> Any:
        """Return the data of the response to OPTIONS."""
        raise NotImplementedError(".determine_metadata() must be overridden.")


class SimpleMetadata(BaseMetadata):
    """Name and description, media types, and the fields that each writing method takes."""

    #: The name of a kind of field: that given here for its class or the nearest ancestor, or the
    #: ``metadata_type`` of that class.
    label_lookup: ClassLookupDict = FieldLookup("metadata_type")

    def determine_metadata(self, request: Request, view: Any) -> Any:
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

    def determine_actions(self, request: Request, view: Any) -> Info:
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

    def get_serializer_info(self, serializer: Any) -> Info:
        # A list takes the same fields as its items.
        serializer = getattr(serializer, "child", serializer)
        info = {
            name: self.get_field_info(field)
            for name, field in serializer.fields.items()
            if field.is_exchanged
        }
        if isinstance(serializer, serializers.UnionSerializer):
            _add_kinds(self, serializer, info[serializer.discriminator])
        return info

    def get_field_info(self, field: Any) -> Info:
        info: Info = {
            "type": self.label_lookup[field],
            "required": getattr(field, "required", False),
        }
        info |= _attributes(field)
        if keeps("options-details"):
            _leave_out_details(info)
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


def _add_kinds(metadata: SimpleMetadata, union: serializers.UnionSerializer, info: Info) -> None:
    for choice, member in zip(info["choices"], union.members.values(), strict=True):
        if hasattr(member, "fields"):
            fields = metadata.get_serializer_info(member)
            fields.pop(union.discriminator, None)
            choice["children"] = fields


def _check_access(view: Any, method: str) -> None:
    """Raise what a request with this method would meet before its handler changes anything."""
    if hasattr(view, "check_permissions"):
        complete(view.check_permissions(view.request))
    if method == "PUT" and hasattr(view, "get_object"):
        lookup = lookup_of(view)
        # The URL of a bulk PUT names no object.
        if lookup is None or lookup in view.kwargs:
            complete(view.get_object())


def _attributes(field: object) -> Info:
    names = (
        *("read_only", "label", "help_text", "min_length", "max_length"),
        *("min_value", "max_value", "max_digits", "decimal_places"),
    )
    values = {name: getattr(field, name, None) for name in names}
    return {
        name: force_str(value, strings_only=True)
        for name, value in values.items()
        if value not in (None, "")
    }


def _leave_out_details(info: Info) -> None:
    info.pop("max_digits", None)
    info.pop("decimal_places", None)
    info["type"] = "field" if info["type"] == "duration" else info["type"]


def _lists_choices(info: Info, field: object) -> bool:
    """Return whether to list choices: not rows, of which there may be any number."""
    is_relation = isinstance(field, serializers.RelatedField | serializers.ManyRelatedField)
    return not info.get("read_only") and not is_relation and hasattr(field, "choices")
