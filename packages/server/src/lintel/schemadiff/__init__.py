"""Compare two descriptions of a service: what changed, and what that means for its clients.

    changes = compare(load("v1.0:schema.yml"), load("schema.yml"))

Nothing here needs Django. OpenAPI 2.0, 3.0, 3.1 and 3.2 are read, also one beside the other.
"""

from lintel.schemadiff.comparison import compare
from lintel.schemadiff.findings import Change, Direction
from lintel.schemadiff.loading import load, parse
from lintel.schemadiff.places import Document, DocumentError
from lintel.schemadiff.report import FORMATS, counts, summary
from lintel.schemadiff.rules import RULES, Level, Rule

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
