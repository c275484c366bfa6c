"""Hold requests and responses against a description.

    description = Description(load("schema.yml").root.value)
    operation = description.find("GET", "/orders/7/")
    departures(description, operation, exchange)

``lintel_contract.plugin`` does this for every exchange of a test run.
"""

from lintel_contract.testing.conformance import Departure, Description, departures
from lintel_contract.testing.exchanges import Exchange
from lintel_contract.testing.ledger import DeparturesError, Known, Ledger, read_known
from lintel_contract.testing.recorder import Recorder
from lintel_contract.testing.summary import report

__all__ = [
    "Departure",
    "DeparturesError",
    "Description",
    "Exchange",
    "Known",
    "Ledger",
    "Recorder",
    "departures",
    "read_known",
    "report",
]
