"""Compare two descriptions of a service: what changed, and what that means for its clients.

    changes = compare(load("v1.0:schema.yml"), load("schema.yml"))

OpenAPI 2.0, 3.0, 3.1 and 3.2 are read, also one beside the other. ``lintel_contract.plugin``
checks the requests and responses of tests against a description.
"""

from lintel_contract.comparison import compare
from lintel_contract.findings import Change, Direction
from lintel_contract.loading import load, parse
from lintel_contract.places import Document, DocumentError
from lintel_contract.report import FORMATS, counts, summary
from lintel_contract.rules import RULES, Level, Rule

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
