"""Queries of one row that are asked again and again: their text is made once for a connection."""

from lintel.orm.inserts import create_row as create_row
from lintel.orm.rows import UNKNOWN as UNKNOWN
from lintel.orm.rows import known_row as known_row
from lintel.orm.rows import row_of as row_of
from lintel.orm.updates import save_row as save_row
