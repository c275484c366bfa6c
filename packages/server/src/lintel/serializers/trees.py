"""Trees of objects, written by few statements: those of ``Meta.nested``, level by level.

All rows of one level and kind are stored together, whoever their parents are. A row that a forward
relation names is stored before its owner; rows that refer to their owner, after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from django.db import DataError, IntegrityError, connections, models, router, transaction

from lintel import fast
from lintel.cycle.steps import complete
from lintel.exceptions import APIException, NotFound, ValidationError
from lintel.fields.base import developer_error
from lintel.fields.types import Native
from lintel.serializers.deadlocks import written
from lintel.serializers.lists import shape_errors
from lintel.serializers.parts import (
    DELETE,
    KEEP,
    Part,
    Place,
    about,
    declared,
    declares_parts,
    every_row_at,
    key_at,
    left_out,
    places_of,
    rows_at,
)
from lintel.serializers.refusals import refusal
from lintel.serializers.storing import (
    Rows,
    RowsAreGone,
    are_columns,
    can_insert,
    insert,
    is_of_model_serializer,
    lock_keys,
    set_related,
    stores_together,
    update,
)
from lintel.serializers.types import Options, ReadValues

Shape = Callable[[dict[int, object], int], object]


@dataclass(eq=False, slots=True)
class Node:
    """An object to store, with its values and those below it by the name of their field."""

    serializer: Native
    values: Options
    instance: Native = None
    owner: Node | None = None
    #: The field of the owner, the position in its list, and the length of that.
    place: Place | None = None
    position: int = 0
    length: int = 1
    parts: dict[str, list[Node]] = field(default_factory=dict)
    is_new: bool = False
    #: Saves the root, whose ``create()`` or ``update()`` has called us.
    save: Callable[..., Native] | None = None

    def __post_init__(self) -> None:
        self.is_new = self.instance is None


def has_parts(serializer: Native, values: ReadValues) -> bool:
    """Return whether values for a model serializer hold some that are written with it."""
    if not declares_parts(serializer):
        return False
    return any(
        # The rows of forward relations have been stored before their owner.
        isinstance(values[place.field.source], dict) or not place.relation.is_forward
        for place in places_of(serializer)
        if place.field.source in values
    )


def write_tree(
    serializer: Native, instance: Native, values: ReadValues, save: Callable[..., Native]
) -> Native:
    """Store an object and what is below it, in one transaction; return it.

    ``save(values)`` or ``save(instance, values)`` stores the object alone. Raises ValidationError
    with the error of the database at the place of its item, and NotFound for an object that has
    been deleted since it was read.
    """

    def write() -> Native:
        root = Node(serializer, dict(values), instance, save=save)
        _take_parts(root)
        _save([root])
        return root.instance

    return written(_database_of(serializer.Meta.model, instance), write, values)


def write_trees(serializers: Sequence[Native], values: Sequence[ReadValues]) -> list[Native]:
    """Store and return the objects of serializers of one class, all levels of all together.

    The caller has opened a transaction. Raises the first error.
    """
    roots = [
        Node(serializer, dict(item), serializer.instance)
        for serializer, item in zip(serializers, values, strict=True)
    ]
    for root in roots:
        _take_parts(root)
    _save(roots)
    return [root.instance for root in roots]


def _database_of(model: Native, instance: Native) -> str:
    # Routers see an instance only where Django has one.
    return router.db_for_write(model, **({} if instance is None else {"instance": instance}))


def _take_parts(node: Node) -> None:
    for place in places_of(node.serializer):
        source = place.field.source
        if source not in node.values:
            continue
        given = node.values.pop(source)
        items = given if isinstance(given, list) else [] if given is None else [given]
        node.parts[place.field.field_name] = [
            _node_of(node, place, item, position, len(items)) for position, item in enumerate(items)
        ]


def _node_of(owner: Node, place: Place, item: Native, position: int, length: int) -> Node:
    instance = item.instance if isinstance(item, Part) else None
    if not isinstance(item, Part) and place.nested.match is not None and not owner.is_new:
        developer_error(
            f"An item of `{place.field.field_name}` in the validated data of "
            f"`{type(owner.serializer).__qualname__}` is a plain dict, which has lost its row. "
            "Change the items in place, or copy them by their `copy()`."
        )
    made = Node(place.child, dict(item), instance, owner, place, position, length)
    if place.nested.match is not None:
        # The key has found the row; it is no value to write.
        made.values.pop(place.relation.model._meta.pk.name, None)
    # A serializer with a method of its own stores what is below it, too.
    name = "create" if instance is None else "update"
    if declared(place.child) and is_of_model_serializer(place.child, name):
        _take_parts(made)
    return made


# ---- one level ----


def _save(nodes: Sequence[Node]) -> None:
    if not nodes:
        return
    _hold(nodes)
    places = places_of(nodes[0].serializer) if declared(nodes[0].serializer) else []
    forward = [place for place in places if place.relation.is_forward]
    for place in forward:
        _save_forward(place, nodes)
    new = [node for node in nodes if node.instance is None]
    changed = [node for node in nodes if node.instance is not None and _has_changes(node)]
    _save_rows(new)
    _save_rows(changed)
    for place in places:
        if place not in forward:
            _save_behind(place, nodes)


def _has_changes(node: Node) -> bool:
    if node.owner is None or node.values:
        return True
    return not is_of_model_serializer(node.serializer, "update")


def _with(place: Place, nodes: Iterable[Node]) -> list[tuple[Node, list[Node]]]:
    name = place.field.field_name
    return [(node, node.parts[name]) for node in nodes if name in node.parts]


def _save_forward(place: Place, nodes: Sequence[Node]) -> None:
    concerned = _with(place, nodes)
    _save([part for _, parts in concerned for part in parts])
    for node, parts in concerned:
        node.values[place.field.source] = parts[0].instance if parts else None


def _save_behind(place: Place, nodes: Sequence[Node]) -> None:
    """Store rows that refer to their owner, and those of many-to-many relations."""
    concerned = _with(place, nodes)
    if place.relation.is_reverse:
        _remove(place, concerned)
    for node, parts in concerned:
        for part in parts:
            back = place.relation.back
            # Input cannot give a row to another parent.
            if back is not None and (part.instance is None or back.name in part.values):
                part.values[back.name] = node.instance
    _save([part for _, parts in concerned for part in parts])
    if not place.relation.is_reverse:
        _link(place, concerned)
    for node, _ in concerned:
        getattr(node.instance, "_prefetched_objects_cache", {}).pop(place.relation.name, None)
        if not place.relation.is_many:
            node.instance._state.fields_cache.pop(place.relation.name, None)


def _link(place: Place, concerned: Sequence[tuple[Node, list[Node]]]) -> None:
    linked_before = {
        node: [] if node.is_new else _kept(place, node.instance) for node, _ in concerned
    }
    linked = _linked(place, [node.instance for node, rows in linked_before.items() if rows])
    wanted = []
    for node, parts in concerned:
        owner = node.instance
        related = [row for row in linked_before[node] if (owner.pk, row.pk) in linked]
        wanted.append((owner, [*related, *(part.instance for part in parts)]))
    if wanted:
        set_related(place.relation.name, wanted)


def _linked(place: Place, owners: Sequence[Native]) -> set[tuple[object, object]]:
    """Return the keys of owners with those of the rows that are linked to them now."""
    if not owners:
        return set()
    model = type(owners[0])
    rows: Rows = models.QuerySet(model, using=router.db_for_write(model, instance=owners[0]))
    chosen = rows.filter(pk__in=[owner.pk for owner in owners])
    return set(chosen.values_list("pk", f"{place.relation.lookup}__pk"))


def _kept(place: Place, instance: Native) -> list[Native]:
    """Return the rows that stayed linked, when they were read, although no item names them."""
    rows = every_row_at(place, instance)
    if place.nested.missing != DELETE:
        return rows
    present = {row.pk for row in rows_at(place, instance)}
    return [row for row in rows if row.pk not in present]


def _remove(place: Place, concerned: Sequence[tuple[Node, list[Node]]]) -> None:
    """Remove the rows that no item names, before others take their unique values."""
    if place.nested.missing == KEEP and place.relation.is_many:
        return
    gone = _gone(place, concerned)
    model, every = place.relation.model, [row for rows in gone.values() for row in rows]
    if not every:
        return
    if refusal(None, _part_with, place, every, model=model) is None:
        return
    for node, rows in gone.items():
        error = refusal(None, _part_with, place, rows, model=model)
        if error is not None:
            raise _placed(node, {place.field.field_name: error.detail}, error)


def _gone(place: Place, concerned: Sequence[tuple[Node, list[Node]]]) -> dict[Node, list[Native]]:
    """Lock the rows that no item names; return those that their owners still have."""
    gone = {
        node: left_out(place, node.instance, parts) for node, parts in concerned if not node.is_new
    }
    owners = {row.pk: node.instance for node, rows in gone.items() for row in rows}
    if not owners:
        return {}
    first = next(row for rows in gone.values() for row in rows)
    database = router.db_for_write(type(first), instance=first)
    locked = lock_keys(type(first), database, owners, *_columns_back(place))
    still = {key for key, values in locked.items() if _is_below(place, owners[key], values)}
    left = {node: [row for row in rows if row.pk in still] for node, rows in gone.items()}
    return {node: rows for node, rows in left.items() if rows}


def _columns_back(place: Place | None) -> list[str]:
    back = None if place is None else place.relation.back
    return [back.attname] if isinstance(back, models.ForeignKey) else []


def _is_below(place: Place, owner: Native, values: tuple[object, ...]) -> bool:
    """Whether the values of the columns that lead back are those of an owner."""
    back: Native = place.relation.back
    return not values or values[0] == getattr(owner, back.target_field.attname)


def _part_with(place: Place, rows: Sequence[Native]) -> None:
    if place.nested.missing == DELETE:
        _delete(place.relation.model, rows)
    else:
        _let_go(place.relation.back, rows)


def _delete(model: Native, rows: Sequence[Native]) -> None:
    if fast.django_deletes(model):
        database = router.db_for_write(model, instance=rows[0])
        chosen = model._base_manager.using(database)
        chosen.filter(pk__in=[row.pk for row in rows]).delete()
        return
    for row in rows:
        row.delete()


def _let_go(back: Native, rows: Sequence[Native]) -> None:
    for row in rows:
        setattr(row, back.name, None)
        row.save(update_fields=[back.name])


# ---- what others do meanwhile ----


def _hold(nodes: Sequence[Node]) -> None:
    """Lock the stored rows of nodes, which were read before, so that they stay as they are.

    Raises NotFound for an outermost one that has been deleted, and ValidationError at the place of
    any other that has been deleted, or moved to another owner.
    """
    for (model, database), group in _stored(nodes).items():
        keys = (node.instance.pk for node in group)
        locked = lock_keys(model, database, keys, *_columns_back(group[0].place))
        for node in group:
            _check_held(node, locked.get(node.instance.pk))


def _stored(nodes: Sequence[Node]) -> dict[tuple[Native, str], list[Node]]:
    """Return the nodes of stored rows by their model and the database in which to lock them."""
    groups: dict[tuple[Native, str], list[Node]] = {}
    for node in nodes:
        row = node.instance
        if isinstance(row, models.Model) and row.pk is not None and not row._state.adding:
            database = router.db_for_write(type(row), instance=row)
            if connections[database].in_atomic_block:
                groups.setdefault((type(row), database), []).append(node)
    return groups


def _check_held(node: Node, values: tuple[object, ...] | None) -> None:
    place, owner = node.place, node.owner
    if place is None or owner is None:
        if values is None:
            raise NotFound
        return
    if values is not None and _is_below(place, owner.instance, values):
        return
    key = key_at(place)
    error = key.missing(getattr(node.instance, key.column.attname))
    raise _placed(owner, _at(node, error.detail), error)


# ---- the rows of one level and kind ----


def _save_rows(nodes: Sequence[Node]) -> None:
    if len(nodes) > 1 and _can_save_together(nodes):
        serializer, values = nodes[0].serializer, [node.values for node in nodes]
        try:
            with transaction.atomic(using=router.db_for_write(serializer.Meta.model)):
                _save_together(serializer.Meta.model, nodes, values)
            return
        except (DataError, IntegrityError, OverflowError, RowsAreGone, TypeError):
            pass  # whose fault it is shows one at a time
    for node in nodes:
        _save_alone(node)


def _can_save_together(nodes: Sequence[Node]) -> bool:
    serializer = nodes[0].serializer
    if any(node.save is not None for node in nodes) or not stores_together(serializer):
        return False
    model = serializer.Meta.model
    if nodes[0].instance is None:
        return can_insert(model)
    databases = {router.db_for_write(model, instance=node.instance) for node in nodes}
    return len(databases) == 1 and are_columns(
        model, {name for node in nodes for name in node.values}
    )


def _save_together(model: Native, nodes: Sequence[Node], values: Sequence[ReadValues]) -> None:
    if nodes[0].instance is not None:
        update(model, [node.instance for node in nodes], values)
        return
    for node, instance in zip(nodes, insert(model, values), strict=True):
        node.instance = instance


def _save_alone(node: Node) -> None:
    if node.owner is None:
        _call(node)  # the error of the root is raised as without parts
        return
    with about(node.serializer, node.instance):
        error = refusal(node.serializer, _call, node, values=node.values)
    if error is None:
        return
    raise _placed(node.owner, _at(node, error.detail), error)


def _call(node: Node) -> None:
    serializer = node.serializer
    if node.instance is None:
        node.instance = complete((node.save or serializer.create)(node.values))
    else:
        node.instance = complete((node.save or serializer.update)(node.instance, node.values))


# ---- the place of an error ----


def _at(node: Node, detail: object) -> Options:
    place: Native = node.place
    if place.relation.is_many:
        detail = shape_errors({node.position: detail}, node.length)
    return {place.field.field_name: detail}


def _placed(node: Node, detail: Options, error: APIException) -> APIException:
    """Return the error of a row at its place in the whole input, with its own status."""
    if not isinstance(error, ValidationError):
        return error
    placed = ValidationError(_outwards(node, detail))
    placed.status_code = error.status_code
    return placed


def _outwards(node: Node, detail: Options) -> Options:
    while node.owner is not None:
        detail = _at(node, detail)
        node = node.owner
    return detail
