"""Names that strict settings would refuse, logged while a project tries them out.

``STRICT_QUERY_PARAMS = "report"`` and ``EXTRA_INPUT = "report"`` write one line for each request or
object with such names, as warnings of the logger ``lintel.reports``.
"""

import logging
from collections.abc import Iterable

#: The value of both settings.
REPORT = "report"

#: How much of a client's own text is written down.
MAX_NAMED = 20
MAX_NAME_LENGTH = 100

_LOGGER = logging.getLogger(__name__)


def report(what: str, owner: object, names: Iterable[object]) -> None:
    """Log the names, if there are any, under the class of ``owner``."""
    first = [repr(str(name)[:MAX_NAME_LENGTH]) for name in names][:MAX_NAMED]
    if first:
        cls = type(owner)
        place = f"{cls.__module__}.{cls.__qualname__}"
        _LOGGER.warning("Unknown %s of %s: %s", what, place, ", ".join(first))
