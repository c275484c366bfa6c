"""Knowledge of Django's ORM: for repeated queries, the SQL is compiled once."""

from lintel.orm.rows import UNKNOWN as UNKNOWN
from lintel.orm.rows import known_row as known_row
from lintel.orm.rows import row_of as row_of
