"""What a ``Local`` of asgiref holds for the running thread and context.

Django keeps the active time zone and the opened caches in such objects. Asking one takes four calls
and a lock, and where nothing is held it raises and formats an AttributeError. The variable behind
it says the same at once. With an asgiref that keeps its values elsewhere, callers ask Django.
"""

from __future__ import annotations

from enum import Enum
from threading import get_ident
from typing import Any

from asgiref import local as asgiref_local

#: How asgiref marks what belongs to a thread; None if this version does not.
_Storage: Any = getattr(asgiref_local, "_Storage", None)


class Unknown(Enum):
    """The type of UNKNOWN."""

    UNKNOWN = "unknown"


#: Only asgiref itself can tell.
UNKNOWN = Unknown.UNKNOWN


def held(local: Any, name: str) -> Any:
    """Return what ``local`` holds under a name, None if nothing, or UNKNOWN."""
    try:
        storage = local._storage._data.get(None)
    except AttributeError:
        return UNKNOWN
    if storage is None:
        return None
    # Another thread may have inherited the context.
    if type(storage) is _Storage and storage.thread_id == get_ident():
        return storage.data.get(name)
    return UNKNOWN
