"""The comparison of descriptions of ``lintel_contract``, which django-lintel[test] brings."""

try:
    from lintel_contract import (
        FORMATS,
        RULES,
        Change,
        Direction,
        Document,
        DocumentError,
        Level,
        Rule,
        compare,
        counts,
        load,
        parse,
        summary,
    )
except ImportError as error:
    raise ImportError(
        "lintel.schemadiff needs lintel-contract: pip install 'django-lintel[test]'"
    ) from error

__all__ = [
    "FORMATS",
    "RULES",
    "Change",
    "Direction",
    "Document",
    "DocumentError",
    "Level",
    "Rule",
    "compare",
    "counts",
    "load",
    "parse",
    "summary",
]
