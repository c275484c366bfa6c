"""Values from JSON, read as their type says: models, dates, lists of them, and alternatives.

A reader has ``fits``, which looks only at the value itself and is 0 for one of another type, and
``read``. Of alternatives the one that fits best is read, and no other is tried after it, so that
reading takes time in proportion to the data.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Protocol, Union, get_args, get_origin
from uuid import UUID

from lintel_client.models.members import Member, Unset, is_pydantic, members_of
from lintel_client.streaming.events import Event
from lintel_document.errors import ParseError

__all__ = ["ModelError", "read"]

Place = str | int
TAGGED = 100_000
"""How well an object fits whose tag says what it is."""


class ModelError(ParseError, ValueError):
    """Data is not what its model describes. ``path`` are the keys and positions that lead to it."""

    def __init__(self, problem: str, path: Sequence[Place] = ()) -> None:
        self.problem, self.path = problem, tuple(path)
        shown = "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in self.path)
        super().__init__(f"{shown.lstrip('.')}: {problem}" if shown else problem)

    def below(self, place: Place) -> "ModelError":
        return ModelError(self.problem, (place, *self.path))


def read(hint: Any, data: Any) -> Any:
    """Return data from JSON as a type: a model, a list or mapping of them, an alternative.

    Raises ModelError for data that does not fit.
    """
    return _reader(hint).read(data)


class _Reader(Protocol):
    def fits(self, value: Any) -> int: ...

    def read(self, value: Any) -> Any: ...


@cache
def _reader(hint: Any) -> _Reader:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _Choice([_reader(each) for each in inner if each is not Unset])
    if origin is Literal:
        return _Fixed(inner)
    if origin is list:
        return _Items(_reader(inner[0]))
    if origin is dict:
        return _Values(_reader(inner[1]))
    if origin is Event:
        return _Events(_reader(inner[0]))
    return _plain(hint)


def _plain(hint: Any) -> _Reader:
    if hint in _PARSERS:
        return _Text(hint, _PARSERS[hint])
    if hint in _NAMES:
        return _Scalar(hint)
    if isinstance(hint, type) and _is_model(hint):
        return _Object(hint)
    return _Anything()


def _is_model(hint: type) -> bool:
    return is_pydantic(hint) or hasattr(hint, "__attrs_attrs__") or _is_generated(hint)


def _is_generated(hint: type) -> bool:
    return hasattr(hint, "__json_members__") and hasattr(hint, "__dataclass_fields__")


class _Anything:
    def fits(self, value: Any) -> int:
        return 1

    def read(self, value: Any) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class _Scalar:
    """Text, a number, a boolean or null; a whole number is an integer however it is written."""

    kind: type

    def fits(self, value: Any) -> int:
        if isinstance(value, bool):
            return 2 if self.kind is bool else 0
        if self.kind is int and isinstance(value, float):
            return 1 if value.is_integer() else 0
        if self.kind is float and isinstance(value, int):
            return 1
        return 2 if isinstance(value, self.kind) else 0

    def read(self, value: Any) -> Any:
        if not self.fits(value):
            raise _unfit(_NAMES[self.kind], value)
        return int(value) if self.kind is int else value


_NAMES: Mapping[Any, str] = {
    str: "text",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    NoneType: "null",
}


@dataclass(frozen=True, slots=True)
class _Text:
    """Text of a format; the client may have read it already."""

    kind: type
    parse: Callable[[str], Any]

    def fits(self, value: Any) -> int:
        try:
            self.read(value)
        except ModelError:
            return 0
        return 3

    def read(self, value: Any) -> Any:
        if isinstance(value, self.kind):
            return value
        try:
            return self.parse(value)
        except (TypeError, ValueError, AttributeError, InvalidOperation):
            raise _unfit(f"a {self.kind.__name__} as text", value) from None


_PARSERS: Mapping[Any, Callable[[str], Any]] = {
    date: date.fromisoformat,
    datetime: datetime.fromisoformat,
    time: time.fromisoformat,
    UUID: UUID,
    Decimal: Decimal,
}


@dataclass(frozen=True, slots=True)
class _Fixed:
    """One of several values. A server may know more of them: another of their type is kept.

    Alternatives are told apart by single values, so another value does not fit these.
    """

    values: tuple[Any, ...]

    def fits(self, value: Any) -> int:
        if any(_same(value, each) for each in self.values):
            return 3
        return 1 if len(self.values) > 1 and self._may_be_new(value) else 0

    def read(self, value: Any) -> Any:
        if not self.fits(value) and not self._may_be_new(value):
            shown = ", ".join(map(repr, self.values[:10]))
            more = ", …" if len(self.values) > 10 else ""
            raise ModelError(f"{_shown(value)} is not one of {shown}{more}")
        return value

    def _may_be_new(self, value: Any) -> bool:
        return value is not None and type(value) in map(type, self.values)


@dataclass(frozen=True, slots=True)
class _Items:
    item: _Reader

    def fits(self, value: Any) -> int:
        if not isinstance(value, list | tuple):
            return 0
        return 1 + min(1, self.item.fits(value[0])) if value else 1

    def read(self, value: Any) -> list[Any]:
        if not isinstance(value, list | tuple):
            raise _unfit("a list", value)
        return [_below(at, self.item, inner) for at, inner in enumerate(value)]


@dataclass(frozen=True, slots=True)
class _Values:
    value: _Reader

    def fits(self, value: Any) -> int:
        return 1 if isinstance(value, Mapping) else 0

    def read(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise _unfit("an object", value)
        return {key: _below(key, self.value, inner) for key, inner in value.items()}


@dataclass(frozen=True, slots=True)
class _Events:
    data: _Reader

    def fits(self, value: Any) -> int:
        return 3 if isinstance(value, Event) else 0

    def read(self, value: Any) -> Any:
        return replace(value, data=_below("data", self.data, value.data))


class _Choice:
    def __init__(self, options: Sequence[_Reader]) -> None:
        self._options = options
        self._some = [each for each in options if each != _Scalar(NoneType)]

    def fits(self, value: Any) -> int:
        return max(each.fits(value) for each in self._options)

    def read(self, value: Any) -> Any:
        if value is None and len(self._some) < len(self._options):
            return None
        best = self._some[0]
        if len(self._some) > 1:
            best = max(self._some, key=lambda each: each.fits(value))
            if not best.fits(value):
                raise ModelError(f"{_shown(value)} is none of what is described here")
        return best.read(value)


class _Object:
    """An object of a model, read member by member; pydantic reads its own."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def fits(self, value: Any) -> int:
        """Return a number that grows with the known members; a tag counts for more than all.

        It is 1 if an enum has a value that is not described, 0 if a required member is missing or
        a tag differs.
        """
        if isinstance(value, self._model):
            return 2 * TAGGED
        if not isinstance(value, Mapping):
            return 0
        members = members_of(self._model)
        fits = [_fit(each, value) for each in members]
        if TAGGED in fits and 0 not in fits:
            return TAGGED
        least = min(fits, default=3)
        return 2 + sum(each.key in value for each in members) if least > 1 else least

    def read(self, value: Any) -> Any:
        if isinstance(value, self._model):
            return value
        if not isinstance(value, Mapping):
            raise _unfit("an object", value)
        if is_pydantic(self._model):
            return self._validated(value)
        return self._model(**self._read_members(value))

    def _validated(self, value: Mapping[str, Any]) -> Any:
        try:
            return self._model.model_validate(value)
        except ValueError as error:
            problems = error.errors() if hasattr(error, "errors") else [{}]
            if any(each.get("type") == "literal_error" for each in problems):
                return self._model.model_construct(**self._read_members(value))
            path = problems[0].get("loc", ())
            raise ModelError(str(problems[0].get("msg", error)), path) from error

    def _read_members(self, value: Mapping[str, Any]) -> dict[str, Any]:
        members = members_of(self._model)
        missing = next((each for each in members if each.required and each.key not in value), None)
        if missing is not None:
            raise ModelError(f"{missing.key!r} of {self._model.__name__} is missing", [missing.key])
        return {
            each.name: _below(each.key, _reader(each.hint), value[each.key])
            for each in members
            if each.key in value
        }


def _fit(member: Member, value: Mapping[str, Any]) -> int:
    """Return how the value of a member fits: TAGGED for the only one that it may have, 3, 1, 0."""
    if member.key not in value:
        return 0 if member.required else 3
    reader = _reader(member.hint)
    if not isinstance(reader, _Fixed):
        return 3
    fit = reader.fits(value[member.key])
    return TAGGED if fit and len(reader.values) == 1 else fit


def _below(place: Place, reader: _Reader, value: Any) -> Any:
    try:
        return reader.read(value)
    except ModelError as error:
        raise error.below(place) from error.__cause__


def _same(value: Any, other: Any) -> bool:
    return bool(value == other) and isinstance(value, bool) is isinstance(other, bool)


def _unfit(wanted: str, value: Any) -> ModelError:
    return ModelError(f"{_shown(value)} is not {wanted}")


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    text = "null" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
