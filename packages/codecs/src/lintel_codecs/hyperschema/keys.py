"""Keys for the operations of a group, independent of their order in the file."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from urllib.parse import urlsplit

from lintel_codecs.hyperschema.operations import Operation
from lintel_codecs.relations import Names, honest, short_relation, slug
from lintel_document.links import Link
from lintel_document.methods import is_safe

__all__ = ["keyed"]


def keyed(operations: Iterable[Operation], taken: Iterable[str] = ()) -> dict[str, Link]:
    """Return the links by key: their relation, with the title or path if several share it.

    The one with the shortest URL keeps the plain relation; one that reads, if any does. None that
    writes has a name of reading.
    """
    shared = defaultdict(list)
    for operation in operations:
        shared[_plain_key(operation)].append(operation)
    names = Names(taken)
    keys = {}
    for plain, rivals in sorted(shared.items()):
        rivals.sort(key=_rank)
        keys[id(rivals[0])] = names.unused(plain)
    for plain in sorted(shared):
        rivals = shared[plain]
        for rival, key in zip(rivals[1:], _longer_keys(plain, rivals), strict=True):
            keys[id(rival)] = names.unused(key)
    return {keys[id(each)]: each.link for rivals in shared.values() for each in rivals}


def _plain_key(operation: Operation) -> str:
    link = operation.link
    key = short_relation(operation.plain_key) or slug(link.title)
    return honest(key, link) or _by_path(link)


def _rank(operation: Operation) -> tuple[bool, int, str, str, str, str]:
    link = operation.link
    fields = json.dumps([(field.name, field.location) for field in link.fields])
    return not is_safe(link.action), len(link.url), link.url, link.action, link.title, fields


def _longer_keys(plain: str, rivals: list[Operation]) -> list[str]:
    titles = Counter(slug(rival.link.title) for rival in rivals)
    return [
        f"{plain}_{title}"
        if titles[title] == 1 and _tells(title, rival.link)
        else f"{plain}_{_by_path(rival.link)}"
        for rival in rivals[1:]
        for title in [slug(rival.link.title)]
    ]


def _tells(title: str, link: Link) -> bool:
    return bool(title) and honest(title, link) == title


def _by_path(link: Link) -> str:
    return slug(f"{link.action} {urlsplit(link.url.partition('{?')[0]).path}")
