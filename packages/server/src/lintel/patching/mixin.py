"""The mixin of views that take patches."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from lintel import status
from lintel.annotations import AnyView, Setting
from lintel.cycle.chains import chain
from lintel.cycle.steps import Steps, blocking, complete
from lintel.cycle.wrapping import WrappingMixin, wrap_handler
from lintel.exceptions import ValidationError
from lintel.holding import HoldingMixin, answer_holding, locked
from lintel.marks import handing_on_rows
from lintel.negotiation import parser_classes_of, takes_patches
from lintel.patching.merging import merged
from lintel.patching.operations import Patched, apply_operations
from lintel.patching.parsers import JSONPatch, JSONPatchParser, MergePatch, MergePatchParser
from lintel.patching.places import at_operations
from lintel.patching.writable import without_kept_files
from lintel.renderers import JSONRenderer
from lintel.request import Request
from lintel.response import Response
from lintel.serializers import UnionSerializer
from lintel.utils.serializer_helpers import ReturnDict

#: What the parsers of patches return.
PATCHES = (MergePatch, JSONPatch)

_WITHOUT_INSTANCE = (
    "A patch changes an object: call get_serializer(instance, data=request.data, partial=True)."
)


class PatchMixin(HoldingMixin, WrappingMixin):
    """Adds patch formats to PATCH of a generic view or viewset; put it before the base class.

    The row is locked while a patch is applied, so that nothing is written between reading and
    writing. Raises PatchConflict (409) where the object is not as the patch expects, PatchRefused
    (422) for fields that may not be written, and ValidationError as for other data.
    """

    #: The formats, beside those of ``parser_classes``.
    patch_parser_classes: Setting = (MergePatchParser, JSONPatchParser)

    #: The most operations of one JSON Patch; None: any number.
    patch_max_operations: int | None = 1000

    def get_parsers(self) -> list[Any]:
        parsers: list[Any] = super().get_parsers()  # type: ignore[misc]
        if takes_patches(self, getattr(getattr(self, "request", None), "method", None)):
            return [*(parser() for parser in self.patch_parser_classes), *parsers]
        return parsers

    @handing_on_rows
    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        """Return the serializer; of a patch, its data are the fields that the patch changes."""
        make: Callable[..., Any] = super().get_serializer  # type: ignore[misc]
        patch = kwargs.get("data")
        if isinstance(patch, PATCHES):
            instance = args[0] if args else kwargs.get("instance")
            if instance is None:
                raise TypeError(_WITHOUT_INSTANCE)
            kwargs |= {"data": _changes(patch, make(instance)), "partial": True}
        return make(*args, **kwargs)

    @staticmethod
    def _lintel_wrap(view: object, request: Request) -> None:
        if takes_patches(view, request.method):
            wrap_handler(view, request, _patching_steps)

    def finalize_response(
        self, request: Request, response: Response, *args: object, **kwargs: object
    ) -> Response:
        """Add ``Accept-Patch`` to OPTIONS, and to a PATCH of another media type (RFC 5789, 3.1)."""
        finalize = super().finalize_response  # type: ignore[misc]
        final: Response = complete(finalize(request, response, *args, **kwargs))
        is_unsupported = final.status_code == status.HTTP_415_UNSUPPORTED_MEDIA_TYPE
        asks = request.method == "OPTIONS" or (request.method == "PATCH" and is_unsupported)
        if asks and hasattr(self, "patch") and takes_patches(self, "PATCH"):
            final["Accept-Patch"] = ", ".join(
                parser.media_type for parser in parser_classes_of(self, "PATCH")
            )
        return final


@chain
def _patching_steps(view: object, request: Request, answer: Callable[[], object]) -> Steps[object]:
    if not (yield blocking(_is_patch, request)):
        return (yield blocking(answer))
    # A transaction belongs to one thread: the handler's work in threads happens in this one.
    return (yield blocking(_answer_locked, view, request, answer))


def _is_patch(request: Request) -> bool:
    return isinstance(request.data, PATCHES)


def _answer_locked(view: AnyView, request: Request, answer: Callable[[], object]) -> object:
    with ExitStack() as stack:
        instance = locked(view, complete(view.get_object()), stack)
        try:
            return answer_holding(view, instance, answer)
        except ValidationError as error:
            _point_at_operations(error, request.data)
            raise


def _point_at_operations(error: ValidationError, patch: object) -> None:
    detail = error.detail
    if isinstance(patch, JSONPatch) and isinstance(detail, ReturnDict):
        error.detail = ReturnDict(
            at_operations(detail, patch.operations), serializer=detail.serializer
        )


def _changes(patch: MergePatch | JSONPatch, shown: Any) -> dict[str, object]:
    """Return the fields that a patch changes, as the input of a serializer."""
    text = JSONRenderer().render(shown.data)
    document = json.loads(text)
    if isinstance(patch, MergePatch):
        names: set[str] = set(patch)
        after = merged(document, dict(patch), shown)
    else:
        changes = [operation for operation in patch.operations if operation.name != "test"]
        paths = [path for change in changes for path in change.changed()]
        names = {path[0] for path in paths if path}
        replaces_all = any(not change.path for change in changes)
        after = apply_operations(Patched(document, shown), patch.operations)
        names = names | set(after) if replaces_all else names
    if isinstance(shown, UnionSerializer):
        names.add(shown.discriminator)
    changed = {name: value for name, value in after.items() if name in names}
    result: dict[str, object] = without_kept_files(changed, json.loads(text), shown)
    return result
