"""What is known of Django's ORM: queries that are asked again and again, their text made once."""

from lintel.orm.rows import UNKNOWN as UNKNOWN
from lintel.orm.rows import known_row as known_row
from lintel.orm.rows import row_of as row_of
