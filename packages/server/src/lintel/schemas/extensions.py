"""Extensions by class, in the vocabulary of drf-spectacular: descriptions of other people's code.

A subclass of one of the five kinds names a ``target_class``, as a class or a dotted name, and is
found by :meth:`OpenApiGeneratorExtension.get_match` from then on::

    class MoneyExtension(OpenApiSerializerFieldExtension):
        target_class = "djmoney.contrib.django_rest_framework.MoneyField"

        def map_serializer_field(self, auto_schema, direction):
            return {"type": "string", "format": "decimal"}
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar

from django.utils.module_loading import import_string

from lintel.fields.describing import Schema
from lintel.schemas import token_packages
from lintel.schemas.overrides import SPECTACULAR

if TYPE_CHECKING:
    from lintel.schemas.inspection import Inspection


class OpenApiGeneratorExtension:
    """``priority``: those with a higher one come first; one below 0 never matches.

    ``match_subclasses``: whether subclasses of the target are meant too. ``optional``: whether
    the dotted name may lead nowhere; otherwise ImportError is raised when it is looked up.
    """

    registry: ClassVar[list[type[OpenApiGeneratorExtension]]]

    target_class: Any = None
    priority: int = 0
    match_subclasses: bool = False
    optional: bool = False

    def __init__(self, target: Any) -> None:
        self.target = target

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if OpenApiGeneratorExtension in cls.__bases__:
            cls.registry = []
        else:
            cls.registry.append(cls)

    @classmethod
    def get_match(cls, target: object) -> Any:
        """The extension for a class or an object; None without one."""
        extensions = [member for member in cls.registry if member.priority >= 0]
        for extension in sorted(extensions, key=lambda item: item.priority, reverse=True):
            if _fits(extension, target if isinstance(target, type) else type(target)):
                return extension(target)
        return None


def _fits(extension: type[OpenApiGeneratorExtension], cls: type) -> bool:
    wanted = extension.target_class
    if isinstance(wanted, str):
        try:
            wanted = extension.target_class = import_string(wanted)
        except ImportError:
            if not extension.optional:
                raise
            return False
    if wanted is None:
        return False
    return issubclass(cls, wanted) if extension.match_subclasses else cls is wanted


class OpenApiSerializerExtension(OpenApiGeneratorExtension):
    """Describes a serializer: override :meth:`map_serializer`, :meth:`get_name`, or both."""

    def get_name(self, auto_schema: object, direction: str) -> str | None:
        """The name of the component; None for the usual one."""
        return None

    def map_serializer(self, auto_schema: Any, direction: str) -> Schema:
        """The schema of its values, ``direction`` being ``request`` or ``response``."""
        described: Schema = auto_schema._map_serializer(
            self.target, direction, bypass_extensions=True
        )
        return described


class OpenApiSerializerFieldExtension(OpenApiGeneratorExtension):
    """Describes a field: override :meth:`map_serializer_field`."""

    def get_name(self) -> str | None:
        """The name of a component for the schema; None if it is written in place."""
        return None

    def map_serializer_field(self, auto_schema: object, direction: str) -> Schema:
        """The schema of its values, ``direction`` being ``request`` or ``response``."""
        raise NotImplementedError("map_serializer_field() must be implemented in subclasses.")


class OpenApiAuthenticationExtension(OpenApiGeneratorExtension):
    """Describes an authentication class: ``name`` is that of the scheme, or a list of names."""

    name: Any = ""

    def get_security_requirement(self, auto_schema: object) -> object:
        """What an operation requires: its scheme, or each of them."""
        names = [self.name] if isinstance(self.name, str) else self.name
        return {name: [] for name in names}

    def get_security_definition(self, auto_schema: object) -> object:
        """The security scheme of OpenAPI, or a list of them by the order of ``name``."""
        raise NotImplementedError("get_security_definition() must be implemented in subclasses.")


class OpenApiFilterExtension(OpenApiGeneratorExtension):
    """Describes a filter backend: override :meth:`get_schema_operation_parameters`."""

    def get_schema_operation_parameters(
        self, auto_schema: object, *args: object, **kwargs: object
    ) -> list[Schema]:
        """Return its query parameters in terms of OpenAPI."""
        raise NotImplementedError("get_schema_operation_parameters() must be implemented.")


class OpenApiViewExtension(OpenApiGeneratorExtension):
    """Describes a view by another class: override :meth:`view_replacement`."""

    @classmethod
    def get_match(cls, target: object) -> Any:
        """The extension for the callback of a URL pattern; None without one."""
        return super().get_match(getattr(target, "cls", target))

    def view_replacement(self) -> object:
        """The view class that is described in place of ``self.target_class``."""
        raise NotImplementedError("view_replacement() must be implemented in subclasses.")


#: Parts of drf-spectacular about what describes itself here.
_OURS = (
    f"{SPECTACULAR}.authentication",
    f"{SPECTACULAR}.serializers",
    f"{SPECTACULAR}.contrib.django_filters",
)


def extensions_exist() -> bool:
    if f"{SPECTACULAR}.extensions" in sys.modules or token_packages.is_used():
        return True
    return any(kind.registry for kind in OpenApiGeneratorExtension.__subclasses__())


def extension_for(
    inspection: Inspection, kind: type[OpenApiGeneratorExtension], target: object
) -> Any:
    """The extension of the project, of drf-spectacular or of lintel for a class or an object.

    None without one.
    """
    # Classes decide, so one object without an extension speaks for all of its class.
    cls = getattr(target, "cls", target) if isinstance(target, FunctionType) else target
    key = kind, cls if isinstance(cls, (type, FunctionType)) else type(cls)
    if key in inspection.unextended:
        return None
    extension = _found(kind, target)
    if extension is None:
        inspection.unextended.add(key)
    return extension


def _found(kind: type[OpenApiGeneratorExtension], target: object) -> Any:
    if kind.registry and (result := kind.get_match(target)) is not None:
        return result
    if (result := _foreign_extension(kind, target)) is not None:
        return result
    extension = _KNOWN.get(kind) if token_packages.is_used() else None
    return None if extension is None else extension(target)


#: What is known of packages, for the kinds of extensions.
_KNOWN: dict[type[OpenApiGeneratorExtension], Callable[[object], object]] = {
    OpenApiSerializerExtension: token_packages.known_serializer,
    OpenApiAuthenticationExtension: token_packages.known_scheme,
}


def _foreign_extension(kind: type[OpenApiGeneratorExtension], target: object) -> Any:
    package = sys.modules.get(f"{SPECTACULAR}.extensions")
    foreign: Any = getattr(package, kind.__name__, kind)
    if foreign is kind:
        return None
    match = foreign.get_match(target)
    is_known = match is None or type(match).__module__.startswith(_OURS)
    return None if is_known else match
