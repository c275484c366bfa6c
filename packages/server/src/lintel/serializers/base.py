"""The base of all serializers: a field that can also have an instance or data of its own.

serializer = OrderSerializer(order)              # reading: serializer.data
serializer = OrderSerializer(data=request.data)  # writing: is_valid(), validated_data, save()
serializer = OrderSerializer(orders, many=True)  # a ListSerializer around an OrderSerializer
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from operator import is_
from types import MethodType
from typing import TYPE_CHECKING, Any, Generic, Self

from django.core.exceptions import ValidationError as DjangoValidationError

from lintel import fast
from lintel.compat import InstanceT
from lintel.cycle.steps import Awaited, Steps, arun, blocking, complete, in_steps, is_async
from lintel.exceptions import ValidationError
from lintel.fields import Field, empty, get_error_detail
from lintel.fields.base import FIELD_KWARGS, WHOLE
from lintel.fields.describing import Schema, ViewSchema
from lintel.fields.types import Native, Primitive
from lintel.overrides import is_ours, is_overridden
from lintel.serializers.new_files import write_with_files
from lintel.serializers.types import Options, ReadValues
from lintel.settings import api_settings

#: Arguments that a serializer made with ``many=True`` passes to the list around it.
LIST_SERIALIZER_KWARGS = (
    *FIELD_KWARGS,
    *("allow_empty", "instance", "data", "partial", "context"),
    *("allow_null", "max_length", "min_length"),
)

#: Those of them that the serializer itself does not accept.
LIST_SERIALIZER_KWARGS_REMOVE = ("allow_empty", "min_length", "max_length")

_COMMIT_MESSAGE = (
    "'commit' is not a valid keyword argument to the 'save()' method. "
    "If you need to access data before committing to the database then inspect "
    "'serializer.validated_data' instead. You can also pass additional keyword arguments to "
    "'save()' if you need to set extra attributes on the saved model instance. For example: "
    "'serializer.save(owner=request.user)'.'"
)


def validity_steps(serializer: BaseSerializer, *, raise_exception: bool = False) -> Steps[bool]:
    check = functools.partial(serializer.is_valid, raise_exception=raise_exception)
    if hasattr(serializer, "_errors") or _validates_promptly(serializer):
        return check()
    return (yield blocking(check))


def _validates_promptly(serializer: BaseSerializer) -> bool:
    if is_overridden(serializer, "is_valid", "errors"):
        return False
    return fast.validates_alone(serializer, getattr(serializer, "initial_data", None))


def saving_steps(serializer: BaseSerializer, **kwargs: Any) -> Steps[Native]:
    """Do what ``save()`` does, in steps: an async ``create`` or ``update`` is awaited."""
    hook = "create" if serializer.instance is None else "update"
    if not is_ours(serializer.save) or not is_async(serializer, hook):
        return (yield blocking(serializer.save, **kwargs))
    name, arguments = _write_to_do(serializer, kwargs)
    return _written(serializer, name, (yield serializer, name, arguments, {}))


if TYPE_CHECKING:

    class _FieldOf(Field, Generic[InstanceT]): ...

else:
    # Types do not exist at run time: subscripting a class returns the class itself.
    _FieldOf = {InstanceT: Field}


class BaseSerializer(_FieldOf[InstanceT]):
    """Base of serializers; subclasses say how one object is read, written and saved.

    ``instance``: the object to read or to update. ``data``: input to validate, kept as
    ``initial_data``. ``partial``: missing input is allowed; False: it is not, even inside of a
    partial serializer; None, the default: as in that. ``context``: a dict that the fields see as
    ``self.context``. ``many=True`` makes a list of these. All others are arguments of a field.

    A misuse of the API (``save()`` before ``is_valid()``, …) raises AssertionError with a message
    that names the next step.
    """

    _validated_data: Native
    _errors: Primitive
    _data: Primitive
    initial_data: Primitive

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if kwargs.pop("many", False):
            # For type checkers this is a single object, the usual case for ``save()``.
            return cls.many_init(*args, **kwargs)
        return super().__new__(cls, *args, **kwargs)

    def __init__(
        self, instance: InstanceT | None = None, data: Primitive = empty, **kwargs: Any
    ) -> None:
        self.instance = instance
        if data is not empty:
            self.initial_data = data
        partial: bool | None = kwargs.pop("partial", None)
        self.partial: bool = bool(partial)
        if partial is False:
            self.__dict__[WHOLE] = True
        self._context = kwargs.pop("context", {})
        kwargs.pop("many", None)
        super().__init__(**kwargs)

    @classmethod
    def many_init(cls, *args: Any, **kwargs: Any) -> Any:
        """Make the list for ``many=True``, of ``Meta.list_serializer_class`` if there is one."""
        list_kwargs: Options = {}
        for name in LIST_SERIALIZER_KWARGS_REMOVE:
            value = kwargs.pop(name, None)
            if value is not None:
                list_kwargs[name] = value
        list_kwargs["child"] = cls(*args, **kwargs)
        for name, value in kwargs.items():
            if name in LIST_SERIALIZER_KWARGS:
                list_kwargs[name] = value
        return list_class_of(cls)(*args, **list_kwargs)

    def to_internal_value(self, data: Primitive) -> Native:
        raise NotImplementedError("`to_internal_value()` must be implemented.")

    def to_representation(self, instance: InstanceT) -> Primitive:
        raise NotImplementedError("`to_representation()` must be implemented.")

    def update(self, instance: InstanceT, validated_data: Native) -> InstanceT:
        """Write the validated values to an existing object and return it."""
        raise NotImplementedError("`update()` must be implemented.")

    def create(self, validated_data: Native) -> InstanceT:
        """Make an object of the validated values and return it."""
        raise NotImplementedError("`create()` must be implemented.")

    def save(self, **kwargs: Any) -> InstanceT:
        """Create or update the object from validated data and ``kwargs``, as ``self.instance``."""
        name, arguments = _write_to_do(self, kwargs)
        made = write_with_files(self, getattr(self, name), arguments)
        return _written(self, name, complete(made))

    def is_valid(self, *, raise_exception: bool = False) -> bool:
        """Return whether ``initial_data``, validated once, is valid; or raise ValidationError."""
        if not hasattr(self, "initial_data"):
            raise AssertionError(
                "Cannot call `.is_valid()` as no `data=` keyword argument was passed when "
                "instantiating the serializer instance."
            )
        if not hasattr(self, "_validated_data"):
            try:
                self._validated_data = self.run_validation(self.initial_data)
            except ValidationError as error:
                self._validated_data = _nothing(self)
                self._errors = error.detail
            else:
                self._errors = _nothing(self)
        if self._errors and raise_exception:
            raise ValidationError(self.errors)
        return not self._errors

    @property
    def data(self) -> Primitive:
        """Return the representation of the instance or validated data, else the initial values."""
        if not hasattr(self, "_data"):
            if hasattr(self, "initial_data") and not hasattr(self, "_validated_data"):
                raise AssertionError(
                    "When a serializer is passed a `data` keyword argument you must call "
                    "`.is_valid()` before attempting to access the serialized `.data` "
                    "representation.\nYou should either call `.is_valid()` first, or access "
                    "`.initial_data` instead."
                )
            failed = getattr(self, "_errors", None)
            if self.instance is not None and not failed:
                self._data = self.to_representation(self.instance)
            elif hasattr(self, "_validated_data") and not failed:
                self._data = self.to_representation(self.validated_data)
            else:
                self._data = self.get_initial()
        return self._data

    @property
    def errors(self) -> Primitive:
        if not hasattr(self, "_errors"):
            raise AssertionError("You must call `.is_valid()` before accessing `.errors`.")
        return self._errors

    @property
    def validated_data(self) -> Native:
        if not hasattr(self, "_validated_data"):
            raise AssertionError("You must call `.is_valid()` before accessing `.validated_data`.")
        return self._validated_data

    # The same on the event loop

    async def ais_valid(self, *, raise_exception: bool = False) -> bool:
        """Do what :meth:`is_valid` does, on the event loop: validators run in Django's thread."""
        return await arun(validity_steps(self, raise_exception=raise_exception))

    async def asave(self, **kwargs: Any) -> InstanceT:
        """Do what :meth:`save` does, on the event loop; ``acreate`` and ``aupdate`` are awaited."""
        return await arun(saving_steps(self, **kwargs))

    @property
    def adata(self) -> Awaited:
        """Return what :attr:`data` holds, to be awaited: Django's thread reads related rows."""
        return Awaited(functools.partial(_awaited_data, self))

    def describe_values(self, schema: ViewSchema) -> Schema:
        if not schema.document_form.receives:
            return {}
        method = type(self).to_representation
        return schema.document_form.returned(schema, method, self) or {}


in_steps(saving_steps, BaseSerializer.save, BaseSerializer.asave)
in_steps(validity_steps, BaseSerializer.is_valid, BaseSerializer.ais_valid)


async def _awaited_data(serializer: BaseSerializer) -> Primitive:
    made = hasattr(serializer, "_data")
    return serializer.data if made else await arun(_data_steps(serializer))


def _data_steps(serializer: BaseSerializer) -> Steps[Primitive]:
    return (yield blocking(getattr, serializer, "data"))


#: The class of lists is a serializer itself: its module, in a higher layer, sets it here.
_usual_lists: list[type[BaseSerializer]] = []
#: The functions of ours that see the items of its lists.
_functions_of_lists: list[object] = []


def set_usual_list(cls: type[BaseSerializer]) -> None:
    _usual_lists[:] = [cls]
    _functions_of_lists[:] = _that_see_items(BaseSerializer)


def _that_see_items(cls: Any) -> tuple[object, ...]:
    usual, make_list = _usual_lists[0], cls.many_init
    # A class method is bound anew at each access.
    make_list = make_list.__func__ if type(make_list) is MethodType else None
    readers = BaseSerializer.data, usual.data, usual.to_representation
    return cls.__init__, cls.__new__, make_list, *readers


def list_class_of(cls: type) -> type[BaseSerializer]:
    return getattr(getattr(cls, "Meta", None), "list_serializer_class", _usual_lists[0])


def makes_usual_lists(cls: type) -> bool:
    """Return whether ``many=True`` makes a ListSerializer whose items only our code sees."""
    is_usual = list_class_of(cls) is _usual_lists[0]
    # By identity: a proxy of the project may be equal to the function that it wraps.
    return is_usual and all(map(is_, _that_see_items(cls), _functions_of_lists))


def as_serializer_error(exc: ValidationError | DjangoValidationError) -> Primitive:
    """Return errors by name; those without one are under ``NON_FIELD_ERRORS_KEY``."""
    if isinstance(exc, DjangoValidationError):
        detail = get_error_detail(exc)
    elif isinstance(exc, ValidationError):
        detail = exc.detail
    else:
        raise AssertionError(f"Expected a ValidationError, got {type(exc).__name__}.")
    if isinstance(detail, Mapping):
        return {
            name: value if isinstance(value, list | Mapping) else [value]
            for name, value in detail.items()
        }
    return {api_settings.NON_FIELD_ERRORS_KEY: detail if isinstance(detail, list) else [detail]}


def _is_list(serializer: BaseSerializer) -> bool:
    return isinstance(serializer, _usual_lists[0])


def _nothing(serializer: BaseSerializer) -> object:
    """What stands for the values of invalid data, and for no errors."""
    return [] if _is_list(serializer) else {}


def _check_can_save(serializer: BaseSerializer, kwargs: ReadValues) -> None:
    # Lists are less strict than their items: their data may have been read before.
    if _is_list(serializer) and "commit" not in kwargs:
        return
    if not hasattr(serializer, "_errors"):
        raise AssertionError("You must call `.is_valid()` before calling `.save()`.")
    if serializer.errors:
        raise AssertionError("You cannot call `.save()` on a serializer with invalid data.")
    if "commit" in kwargs:
        raise AssertionError(_COMMIT_MESSAGE)
    if hasattr(serializer, "_data"):
        raise AssertionError(
            # The known text has no space there, and people search for it unchanged.
            "You cannot call `.save()` after accessing `serializer.data`.If you need to access "
            "data before committing to the database then inspect 'serializer.validated_data' "
            "instead. "
        )


def _write_to_do(serializer: BaseSerializer, kwargs: Options) -> tuple[str, tuple[object, ...]]:
    _check_can_save(serializer, kwargs)
    validated_data = serializer.validated_data
    if _is_list(serializer):
        validated_data = [{**attrs, **kwargs} for attrs in validated_data]
    else:
        validated_data = {**validated_data, **kwargs}
    if serializer.instance is None:
        return "create", (validated_data,)
    return "update", (serializer.instance, validated_data)


def _written(
    serializer: BaseSerializer[InstanceT], name: str, instance: InstanceT | None
) -> InstanceT:
    if instance is None:
        raise AssertionError(f"`{name}()` did not return an object instance.")
    serializer.instance = instance
    return instance
