"""From a model field to the keyword arguments of a serializer field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.core import validators
from django.db import models
from django.utils.functional import Promise, lazy
from django.utils.text import capfirst

from lintel.compat import postgres_fields
from lintel.compatible import keeps
from lintel.settings import api_settings
from lintel.utils.model_meta import RelationInfo

if TYPE_CHECKING:
    from lintel.validators import UniqueValidator

#: Model fields whose bounds become ``min_value`` and ``max_value``.
NUMERIC_FIELD_TYPES = (
    *(models.IntegerField, models.FloatField, models.DecimalField, models.DurationField),
)

_TEXT_FIELD_TYPES = (models.CharField, models.TextField)
_LENGTH_FIELD_TYPES = (models.CharField, models.TextField, models.FileField)


def __getattr__(name: str) -> Any:
    if name == "UniqueValidator":
        return _unique_validator_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _unique_validator_class() -> Any:
    # Validators are one layer above: the class is imported for the first unique field.
    from lintel.validators import UniqueValidator

    return UniqueValidator


class ClassLookupDict:
    """A dictionary by class; ``lookup[instance]`` finds the nearest base of the instance."""

    def __init__(self, mapping: dict[type, Any]) -> None:
        self.mapping = mapping

    def __getitem__(self, key: object) -> Any:
        base_class = getattr(key, "_proxy_class", None) or type(key)
        for cls in base_class.__mro__:
            if cls in self.mapping:
                return self.mapping[cls]
        raise KeyError(f"Class {base_class.__name__} not found in lookup.")

    def __setitem__(self, key: Any, value: Any) -> None:
        self.mapping[key] = value


def needs_label(model_field: models.Field, field_name: str) -> bool:
    text = model_field.verbose_name
    # What capfirst() does, without its check for lazy texts.
    capital = f"{text[0].upper()}{text[1:]}" if type(text) is str and text else capfirst(text)
    return bool(capital != _default_label(field_name))


def _default_label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _label(verbose_name: Any, model_name: str, name: str) -> str:
    text = str(capfirst(verbose_name))
    return _default_label(name) if text == _default_label(model_name) else text


_label_later = lazy(_label, str)


def translated_label(verbose_name: object, model_name: str, name: str) -> str:
    label = _label_later(verbose_name, model_name, name)
    vars(label)[_PARTS] = verbose_name, model_name, name
    return label


def label_under(label: object, name: str) -> object:
    """Return the same label for a field of another name; any other label unchanged."""
    parts = _parts_of(label)
    return label if parts is None else translated_label(parts[0], parts[1], name)


def is_default_label(label: object) -> bool:
    parts = _parts_of(label)
    return parts is not None and str(label) == _default_label(parts[2])


_PARTS = "_lintel_parts"


def _parts_of(label: object) -> tuple[object, str, str] | None:
    return vars(label).get(_PARTS) if isinstance(label, Promise) else None


def get_detail_view_name(model: Any) -> str:
    """Return the conventional name of the view of one object: ``article-detail``."""
    return f"{model._meta.object_name.lower()}-detail"


def get_url_kwargs(model_field: object) -> dict[str, Any]:
    """Arguments of the field for the object's URL; takes the model."""
    return {"view_name": get_detail_view_name(model_field)}


def get_unique_error_message(model_field: Any) -> Any:
    message = model_field.error_messages.get("unique")
    # A lazy text exists, whatever it is in the current language.
    if not isinstance(message, Promise) and not message:
        return message
    names = {
        "model_name": model_field.model._meta.verbose_name,
        "field_label": model_field.verbose_name,
    }
    translated = any(isinstance(value, Promise) for value in (message, *names.values()))
    return _filled_in_later(message, names) if translated else message % names


def _filled_in(message: object, names: dict[str, object]) -> str:
    return str(message) % names


#: The message with names, in the language in which it is shown.
_filled_in_later = lazy(_filled_in, str)


def get_unique_validators(field_name: str, model_field: models.Field) -> Iterator[UniqueValidator]:
    """Return a validator for ``unique=True`` and for each UniqueConstraint over one field."""
    if not model_field.unique and not model_field.model._meta.constraints:
        return
    conditions = _unique_conditions(field_name, model_field)
    if not conditions:
        return
    validator_class = _unique_validator_class()
    manager = model_field.model._default_manager
    message = get_unique_error_message(model_field)
    for condition in conditions:
        queryset = manager if condition is None else manager.filter(condition)
        yield validator_class(queryset=queryset, message=message)


def _unique_conditions(field_name: str, model_field: Any) -> list[Any]:
    """Return the conditions of unique values, without duplicates; None means always."""
    constraints = model_field.model._meta.constraints
    rules = [rule.condition or None for rule in constraints if _is_about(rule, field_name)]
    rules += [None] if model_field.unique else []
    return [
        condition for position, condition in enumerate(rules) if condition not in rules[:position]
    ]


def _is_about(constraint: object, field_name: str) -> bool:
    if not isinstance(constraint, models.UniqueConstraint):
        return False
    if tuple(constraint.fields) != (field_name,):
        return False
    if keeps("unique-constraints"):
        return False
    names = constraint.condition.referenced_base_fields if constraint.condition else set()
    return names <= {field_name} or keeps("conditions-on-other-fields")


def get_field_kwargs(field_name: str, model_field: Any) -> dict[str, Any]:
    """Return arguments for a plain column, of which ``build_standard_field`` picks what fits."""
    kwargs: dict[str, Any] = {"model_field": model_field}
    kwargs.update(_texts(field_name, model_field))
    _add_shape(kwargs, model_field)
    if model_field.null:
        kwargs["allow_null"] = True
    choices = model_field.choices
    is_read_only = not model_field.editable or _is_automatic(model_field.__class__)
    if choices and not (is_read_only and keeps("read-only-choices")):
        kwargs["choices"] = choices
    if is_read_only:
        return {**kwargs, "read_only": True}
    _add_presence(kwargs, model_field)
    remaining = list(model_field.validators)
    if remaining and not choices:
        remaining = [option for option in remaining if not _is_built_in(model_field, option)]
        remaining = _add_bounds(kwargs, model_field, remaining)
    remaining = _add_lengths(kwargs, model_field, remaining)
    remaining.extend(get_unique_validators(field_name, model_field))
    if remaining:
        kwargs["validators"] = remaining
    return kwargs


def _texts(field_name: str, model_field: models.Field) -> dict[str, object]:
    texts: dict[str, Any] = {}
    if isinstance(model_field.verbose_name, Promise):
        texts["label"] = translated_label(model_field.verbose_name, field_name, field_name)
    elif model_field.verbose_name and needs_label(model_field, field_name):
        texts["label"] = capfirst(model_field.verbose_name)
    if model_field.help_text:
        texts["help_text"] = model_field.help_text
    return texts


def _add_shape(shape: dict[str, object], model_field: object) -> None:
    max_digits = getattr(model_field, "max_digits", None)
    decimal_places = getattr(model_field, "decimal_places", None)
    if max_digits is not None:
        shape["max_digits"] = max_digits
    if decimal_places is not None:
        shape["decimal_places"] = decimal_places
    if isinstance(model_field, models.SlugField):
        shape["allow_unicode"] = getattr(model_field, "allow_unicode", False)
    is_text = isinstance(model_field, models.TextField) and not model_field.choices
    if is_text or isinstance(model_field, models.JSONField):
        shape["style"] = {"base_template": "textarea.html"}


@lru_cache(maxsize=128)
def _is_automatic(column_class: Any) -> bool:
    # The metaclass of AutoField answers in Python, which is slow.
    return issubclass(column_class, models.AutoField | models.GeneratedField)


def _add_presence(presence: dict[str, object], model_field: models.Field) -> None:
    if _may_be_absent(model_field):
        presence["required"] = False
    if model_field.blank and isinstance(model_field, _TEXT_FIELD_TYPES):
        presence["allow_blank"] = True
    is_array = postgres_fields is not None and isinstance(model_field, postgres_fields.ArrayField)
    if is_array and not model_field.blank:
        presence["allow_empty"] = False
    if isinstance(model_field, models.FilePathField):
        presence.update(_file_path_options(model_field))
    if isinstance(model_field, models.GenericIPAddressField):
        presence.update(_address_options(model_field))


def _may_be_absent(model_field: Any) -> bool:
    if model_field.has_default() or model_field.blank or model_field.null:
        return True
    # Relations to many have no column.
    has_db_default = getattr(model_field, "has_db_default", None)
    return bool(api_settings.OPTIONAL_DB_DEFAULTS and has_db_default and has_db_default())


def _address_options(model_field: models.GenericIPAddressField) -> dict[str, object]:
    if model_field.choices or keeps("address-errors"):
        return {}
    return {"protocol": model_field.protocol}


_FILE_PATH_DEFAULTS = {
    "match": None,
    "recursive": False,
    "allow_files": True,
    "allow_folders": False,
}


def _file_path_options(model_field: Any) -> dict[str, object]:
    options = {"path": model_field.path}
    for name, default in _FILE_PATH_DEFAULTS.items():
        if getattr(model_field, name) is not default:
            options[name] = getattr(model_field, name)
    return options


def _is_built_in(model_field: object, validator: object) -> bool:
    if isinstance(model_field, models.URLField):
        return isinstance(validator, validators.URLValidator)
    if isinstance(model_field, models.EmailField):
        return validator is validators.validate_email
    if isinstance(model_field, models.SlugField):
        return validator is validators.validate_slug
    if isinstance(model_field, models.GenericIPAddressField):
        return validator in (_IP_VALIDATORS[:1] if keeps("address-errors") else _IP_VALIDATORS)
    if isinstance(model_field, models.DecimalField):
        return isinstance(validator, validators.DecimalValidator)
    return False


_IP_VALIDATORS = (
    validators.validate_ipv46_address,
    validators.validate_ipv4_address,
    validators.validate_ipv6_address,
)


def _add_bounds(
    bounds: dict[str, object], model_field: object, rules: list[object]
) -> list[object]:
    if isinstance(model_field, NUMERIC_FIELD_TYPES):
        rules = _take(bounds, "max_value", validators.MaxValueValidator, rules)
        rules = _take(bounds, "min_value", validators.MinValueValidator, rules)
    return rules


def _add_lengths(
    lengths: dict[str, object], model_field: object, rules: list[object]
) -> list[object]:
    """Add the bounds of a text's length; return the other validators."""
    max_length = getattr(model_field, "max_length", None)
    if max_length is not None and isinstance(model_field, _LENGTH_FIELD_TYPES):
        rules = _take(lengths, "max_length", validators.MaxLengthValidator, rules)
        lengths["max_length"] = max_length
    if isinstance(model_field, models.CharField):
        rules = _take(lengths, "min_length", validators.MinLengthValidator, rules)
    return rules


def _take(
    kwargs: dict[str, object], name: str, kind: type[validators.BaseValidator], rules: list[object]
) -> list[object]:
    """Add the limit of the first validator of a kind; return the validators of other kinds."""
    limits = [validator.limit_value for validator in rules if isinstance(validator, kind)]
    if limits and limits[0] is not None:
        kwargs[name] = limits[0]
    return [validator for validator in rules if not isinstance(validator, kind)]


def get_relation_kwargs(field_name: str, relation_info: RelationInfo) -> dict[str, Any]:
    """Return arguments for a relation, of which ``build_relational_field`` picks what fits."""
    model_field = relation_info.model_field
    kwargs: dict[str, Any] = {
        "queryset": relation_info.related_model._default_manager,
        "view_name": get_detail_view_name(relation_info.related_model),
    }
    if relation_info.to_many:
        kwargs["many"] = True
    if relation_info.to_field:
        kwargs["to_field"] = relation_info.to_field
    if model_field is not None and (limit := model_field.get_limit_choices_to()):
        kwargs["queryset"] = kwargs["queryset"].complex_filter(limit)
    if relation_info.has_through_model or (model_field is not None and not model_field.editable):
        kwargs["read_only"] = True
        kwargs.pop("queryset", None)
    if model_field is not None:
        kwargs.update(_texts(field_name, model_field))
        kwargs.update(_relation_rules(relation_info, kwargs))
    return kwargs


def _relation_rules(relation_info: RelationInfo, kwargs: Mapping[str, object]) -> dict[str, object]:
    model_field = relation_info.model_field
    rules: dict[str, Any] = {"allow_null": True} if model_field.null else {}
    if kwargs.get("read_only"):
        return rules
    if _may_be_absent(model_field):
        rules["required"] = False
    field_validators = list(model_field.validators)
    if model_field.unique:
        manager = model_field.model._default_manager
        message = get_unique_error_message(model_field)
        field_validators.append(_unique_validator_class()(queryset=manager, message=message))
    if field_validators:
        rules["validators"] = field_validators
    if relation_info.to_many and not model_field.blank:
        rules["allow_empty"] = False
    return rules


def get_nested_relation_kwargs(relation_info: RelationInfo) -> dict[str, Any]:
    return {"read_only": True, **({"many": True} if relation_info.to_many else {})}
