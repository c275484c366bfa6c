"""The parsers of patches."""

from django.utils.translation import gettext

from lintel.exceptions import ParseError, ValidationError
from lintel.parsers import Data, JSONParser, Stream
from lintel.patching.errors import no_object
from lintel.patching.operations import NAMES, Operation, read_operations
from lintel.patching.pointers import too_many
from lintel.renderers.data import Context


class MergePatch(dict[str, Data]):
    """The members of a merge patch."""


class JSONPatch(list[Data]):
    """The operations of a JSON Patch as they were sent, and as they are carried out."""

    operations: list[Operation]


class MergePatchParser(JSONParser):
    """JSON Merge Patch (RFC 7396): the members to change, with null for those to remove."""

    media_type = "application/merge-patch+json"

    def parse(
        self, stream: Stream, media_type: str | None = None, parser_context: Context = None
    ) -> MergePatch:
        """Return the patch. Raises ParseError unless it is an object."""
        data = super().parse(stream, media_type, parser_context)
        if not isinstance(data, dict):
            raise ParseError(no_object(data))
        return MergePatch(data)


class JSONPatchParser(JSONParser):
    """JSON Patch (RFC 6902): a list of operations, carried out in their order."""

    media_type = "application/json-patch+json"

    #: In terms of OpenAPI, whatever the serializer of the view is.
    body_name = "JSONPatch"
    body_schema = {
        "type": "array",
        "description": "Operations, carried out in their order: all, or none (RFC 6902).",
        "items": {
            "type": "object",
            "properties": {
                "op": {"type": "string", "enum": list(NAMES)},
                "path": {"type": "string", "description": "A JSON Pointer (RFC 6901)."},
                "from": {"type": "string", "description": "Of `move` and `copy`: their source."},
                "value": {"description": "Of `add`, `replace` and `test`."},
            },
            "required": ["op", "path"],
        },
    }

    def parse(
        self, stream: Stream, media_type: str | None = None, parser_context: Context = None
    ) -> JSONPatch:
        """Return the patch. Raises ParseError unless it is a list, ValidationError in it."""
        data = super().parse(stream, media_type, parser_context)
        if not isinstance(data, list):
            text = gettext('Expected a list of items but got type "{input_type}".')
            raise ParseError(text.format(input_type=type(data).__name__))
        most = getattr((parser_context or {}).get("view"), "patch_max_operations", None)
        if most is not None and len(data) > most:
            raise ValidationError(too_many(most), "max_length")
        patch = JSONPatch(data)
        patch.operations = read_operations(data)
        return patch
