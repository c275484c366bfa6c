"""The relations that a method field declares: ``@reads("author.city", "tags")``."""

from inspect import getattr_static

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model
from django.db.models.fields.related_descriptors import ReverseOneToOneDescriptor

from lintel.fast.compiler.access import ModelAccess, access_for
from lintel.fast.compiler.loadables import Loadable
from lintel.fast.relations import Attributes, always_finds, cache_name


def add_declared(
    relations: dict[str, Loadable], model: type[Model], path: str, attributes: Attributes
) -> None:
    """Add the relations on a path; it ends at the first name that is none, such as a column.

    Raises ImproperlyConfigured for a name that the model does not have.
    """
    for name in path.split("."):
        relation = relations.get(name) or loadable(model, name, attributes)
        if relation is None:
            _check_name(model, name, path)
            return
        relations[name] = relation
        model, relations = relation.model, relation.inside


def loadable(
    model: type[Model], name: str, attributes: Attributes | None = None
) -> Loadable | None:
    """A relation that can be loaded for many objects; None for anything else."""
    access = access_for(model)
    if not isinstance(access, ModelAccess):
        return None
    if attributes is not None:
        access.attributes = attributes
    many = access.to_many(name)
    if many is not None:
        return Loadable(name, many.attname, "", many.model)
    key = access.foreign_key(name)
    if key is not None:
        is_loaded = key.remote_field.parent_link or not always_finds(key)
        made = Loadable(name, cache_name(key), key.attname, key.related_model)
        return None if is_loaded else made
    return _of_one_behind(model, name)


def _of_one_behind(model: type[Model], name: str) -> Loadable | None:
    """A one-to-one relation whose key is in the other table."""
    descriptor = getattr_static(model, name, None)
    if type(descriptor) is not ReverseOneToOneDescriptor:
        return None
    related = descriptor.related
    return Loadable(name, related.cache_name, model._meta.pk.attname, related.related_model)


def _check_name(model: type[Model], name: str, path: str) -> None:
    if not hasattr(model, name):
        raise ImproperlyConfigured(
            f"@reads({path!r}) names {name!r}, which {model.__name__} does not have."
        )
