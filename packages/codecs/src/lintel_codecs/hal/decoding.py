"""HAL as a document: dictionaries and lists become content, links and embedded documents."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from lintel_codecs.hal.forms import read_form
from lintel_codecs.hal.links import read_link
from lintel_codecs.hal.reserved import MEDIA_TYPE, unescaped
from lintel_codecs.issues import Issues, pointer
from lintel_codecs.relations import Names, honest, short_relation
from lintel_document.document import Array, Document, Object
from lintel_document.errors import ParseError
from lintel_document.extension import (
    EXTENSION,
    SCOPES,
    completed_document,
    completed_link,
    uncompleted_link,
)
from lintel_document.links import Link
from lintel_document.methods import is_safe
from lintel_document.stored import DOCUMENT_ATTRIBUTES, Unpacker

__all__ = ["MAX_DEPTH", "Reader"]

MAX_DEPTH = 100

_HAL = frozenset({"_links", "_embedded", "_templates"})
_Entries = Iterator[tuple[str, Any]]
Part = TypeVar("Part", Link, Document)
Completion = Callable[[Part, Any, Unpacker], Part]


class Reader:
    """Reads resources and collects issues."""

    def __init__(self, issues: Issues) -> None:
        self.issues = issues
        self._unpacker = Unpacker(None)

    def whole(self, raw: Mapping[str, Any], base_url: str) -> Document:
        """Return the document of the outermost resource, which has a URL even without ``self``."""
        self._unpacker = Unpacker(_extension(_own(raw)).get(SCOPES))
        document = self._document(raw, base_url, "#", 0)
        attributes = {name: getattr(document, name) for name in DOCUMENT_ATTRIBUTES}
        attributes |= {"url": document.url or base_url, "issues": self.issues.all()}
        return Document(content=document, **attributes)

    def _document(self, raw: Mapping[str, Any], base_url: str, place: str, depth: int) -> Document:
        own = self._own_link(raw, base_url, place)
        url = own.url if own else ""
        document = Document(
            url=url,
            title=own.title if own else "",
            description=own.description if own else "",
            media_type=MEDIA_TYPE,
            content=self._content(raw, url or base_url, place, depth),
        )
        where = pointer(place, "_links", "self")
        return self._completed(completed_document, document, _own(raw), where)

    def _completed(self, complete: Completion[Part], part: Part, raw: Any, place: str) -> Part:
        """Return a link or document with the contents of its extension, if it has one."""
        if not isinstance(raw, Mapping) or EXTENSION not in raw:
            return part
        try:
            return complete(part, raw[EXTENSION], self._unpacker)
        except ParseError as error:
            self.issues.add(pointer(place, EXTENSION), str(error))
            return uncompleted_link(part, raw[EXTENSION]) if isinstance(part, Link) else part

    def _link(self, read: Any, raw: Any, base_url: str, place: str) -> Link | None:
        link: Link | None = read(raw, base_url, place, self.issues)
        return link and self._completed(completed_link, link, raw, place)

    def _own_link(self, raw: Mapping[str, Any], base_url: str, place: str) -> Link | None:
        found = _own(raw)
        if isinstance(found, Mapping) and "href" not in found and found:
            # Documents without a URL have a title all the same.
            named = read_link({**found, "href": ""}, "", place, Issues())
            return named.replace(url="") if named else None
        if found is None:
            return None
        return read_link(found, base_url, pointer(place, "_links", "self"), self.issues)

    def _content(
        self, raw: Mapping[str, Any], base_url: str, place: str, depth: int
    ) -> dict[str, Any]:
        content = {
            unescaped(key): self._value(value, base_url, pointer(place, key), depth + 1)
            for key, value in raw.items()
            if key not in _HAL
        }
        found = [
            (key, f"{key}_{suffix}" if key in content else key, value)
            for suffix, entries in (
                ("embedded", self._embedded(raw, base_url, place, depth)),
                ("link", self._links(raw, base_url, place)),
                ("form", self._forms(raw, base_url, place)),
            )
            for key, value in entries
        ]
        return {**content, **_named(found, Names(content))}

    def _value(self, raw: Any, base_url: str, place: str, depth: int) -> Any:
        if not isinstance(raw, Mapping | list):
            return raw
        if self._is_too_deep(place, depth):
            return None
        if isinstance(raw, Mapping):
            return Object(self._content(raw, base_url, place, depth))
        return Array(
            [
                self._value(item, base_url, pointer(place, at), depth + 1)
                for at, item in enumerate(raw)
            ]
        )

    def _is_too_deep(self, place: str, depth: int) -> bool:
        if depth <= MAX_DEPTH:
            return False
        self.issues.add(place, f"Content nested more than {MAX_DEPTH} levels deep is left out")
        return True

    def _embedded(self, raw: Mapping[str, Any], base_url: str, place: str, depth: int) -> _Entries:
        for key, value, where in self._members(raw, "_embedded", place):
            if isinstance(value, list):
                yield (
                    key,
                    [
                        self._resource(item, base_url, pointer(where, at), depth + 1)
                        for at, item in enumerate(value)
                    ],
                )
            else:
                yield key, self._resource(value, base_url, where, depth + 1)

    def _resource(self, raw: Any, base_url: str, place: str, depth: int) -> Any:
        if isinstance(raw, Mapping):
            too_deep = self._is_too_deep(place, depth)
            return None if too_deep else self._document(raw, base_url, place, depth)
        self.issues.add(place, "The embedded resource is not an object")
        return self._value(raw, base_url, place, depth)

    def _links(self, raw: Mapping[str, Any], base_url: str, place: str) -> _Entries:
        for key, value, where in self._members(raw, "_links", place):
            if not isinstance(value, list):
                link = self._link(read_link, value, base_url, where)
                if link is not None:
                    yield honest(key, link), link
            elif value:
                yield key, self._link_list(value, base_url, where)

    def _link_list(self, raw: list[Any], base_url: str, place: str) -> Any:
        """Return a map if each link has its own name, else a list."""
        read = [
            (each, self._link(read_link, each, base_url, pointer(place, at)))
            for at, each in enumerate(raw)
        ]
        found = [(each, link) for each, link in read if link is not None]
        names = [each.get("name") for each, _ in found if isinstance(each, Mapping)]
        named = [name for name in names if isinstance(name, str)]
        if found and len(set(named)) == len(found):
            return dict(zip(named, [link for _, link in found], strict=True))
        return [link for _, link in found]

    def _forms(self, raw: Mapping[str, Any], base_url: str, place: str) -> _Entries:
        forms = raw.get("_templates")
        if forms is not None and not isinstance(forms, Mapping):
            self.issues.add(pointer(place, "_templates"), "The forms must be an object")
        for name, form in forms.items() if isinstance(forms, Mapping) else ():
            where = pointer(place, "_templates", name)
            link = self._link(read_form, form, base_url, where)
            if link is not None:
                yield name, link

    def _members(
        self, raw: Mapping[str, Any], name: str, place: str
    ) -> Iterator[tuple[str, Any, str]]:
        """Return the relations of ``_links`` or ``_embedded`` as keys, with values and places."""
        if name not in raw:
            return
        members = raw[name]
        where = pointer(place, name)
        if isinstance(members, list) and name == "_links":
            self.issues.add(where, "The links are a list, not an object")
            members = _by_relation(members)
        if not isinstance(members, Mapping):
            self.issues.add(where, f"What {name} holds must be an object")
            return
        own = ("self", "curies") if name == "_links" else ()
        shown = {rel: short_relation(rel) for rel in members if rel not in own}
        shared = Counter(shown.values())
        for rel, key in shown.items():
            yield rel if shared[key] > 1 else key, members[rel], pointer(where, rel)


def _named(found: list[tuple[str, str, Any]], names: Names) -> dict[str, Any]:
    """Return values by names that are free; of two that share one, what reads has it.

    Given are the own name of each, and another one if data has that.
    """
    free = {}
    for at, (key, wanted, value) in sorted(enumerate(found), key=lambda each: _writes(each[1][2])):
        changed = wanted != key or wanted in names
        free[at] = names.unused(honest(wanted, value) if changed and _writes(value) else wanted)
    return {free[at]: value for at, (_, _, value) in enumerate(found)}


def _writes(value: Any) -> bool:
    return isinstance(value, Link) and not is_safe(value.action)


def _own(raw: Mapping[str, Any]) -> Any:
    """Return the link ``self`` of a resource, the first if there are several."""
    links = raw.get("_links")
    found = links.get("self") if isinstance(links, Mapping) else None
    return (found[0] if found else None) if isinstance(found, list) else found


def _extension(raw: Any) -> Mapping[str, Any]:
    found = raw.get(EXTENSION) if isinstance(raw, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _by_relation(links: list[Any]) -> dict[str, Any]:
    """Return the links of a list whose entries name their relation."""
    found: dict[str, Any] = {}
    for link in links:
        relation = link.get("rel") if isinstance(link, Mapping) else None
        if isinstance(relation, str):
            found.setdefault(relation, []).append(link)
    return {rel: group if len(group) > 1 else group[0] for rel, group in found.items()}
