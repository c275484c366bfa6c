"""Knowledge of Django's ORM: for repeated queries, the SQL is compiled once."""

from lintel.fast.rows import UNKNOWN as UNKNOWN
from lintel.fast.rows import known_row as known_row
from lintel.fast.rows import row_of as row_of
