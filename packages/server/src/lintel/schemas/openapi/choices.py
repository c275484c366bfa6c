"""The two names of the method that describes choices: ``map_choicefield``, ``map_choice_field``.

The known API calls the first and its documentation names the second, so that projects override
either. The override of the most derived class is called; ``super()`` in it reaches those of the
other name further up. A class that has both is asked for ``map_choicefield``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintel.fields import ChoiceField
from lintel.fields.describing import Schema, choice_type
from lintel.overrides import is_ours

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema

NAMES = ("map_choicefield", "map_choice_field")


def choices_schema(schema: AutoSchema, field: ChoiceField) -> Schema:
    places = {name: _overrides(schema, name) for name in NAMES}
    replaced = [name for name in NAMES if places[name]]
    name = min(replaced, key=lambda candidate: places[candidate][0], default=NAMES[0])
    return getattr(schema, name)(field)


def inherited_choices(schema: AutoSchema, field: ChoiceField, name: str) -> Schema:
    """Return what the method of this name does where no override of it is left to call."""
    (other,) = set(NAMES) - {name}
    overrides, others = _overrides(schema, name), _overrides(schema, other)
    if others and (not overrides or overrides[-1] < others[0]):
        return getattr(schema, other)(field)
    return plain_choices(field)


def _overrides(schema: AutoSchema, name: str) -> list[int]:
    members = [vars(schema), *map(vars, type(schema).__mro__)]
    return [at for at, held in enumerate(members) if name in held and not is_ours(held[name])]


def plain_choices(field: ChoiceField) -> Schema:
    choices = list(dict.fromkeys(field.choices))
    mapping: Schema = {"enum": choices}
    kind = choice_type(choices)
    if kind is not None:
        mapping["type"] = kind
    return mapping
