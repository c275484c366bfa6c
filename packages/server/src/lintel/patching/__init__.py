"""Patches of objects: JSON Merge Patch (RFC 7396) and JSON Patch (RFC 6902).

A patch changes the object as GET shows it. What it changes goes through the serializer, as the data
of any other PATCH do; the row is locked from reading to writing.
"""

from lintel.patches import carry_on_patches
from lintel.patching.errors import PatchConflict as PatchConflict
from lintel.patching.errors import PatchRefused as PatchRefused
from lintel.patching.mixin import PatchMixin as PatchMixin
from lintel.patching.parsers import JSONPatchParser as JSONPatchParser
from lintel.patching.parsers import MergePatchParser as MergePatchParser

carry_on_patches(__name__)
