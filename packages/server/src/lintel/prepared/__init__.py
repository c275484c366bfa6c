"""Queries of one row that are asked again and again: their text is made once for a connection."""

from lintel.prepared.inserts import create_row as create_row
from lintel.prepared.rows import UNKNOWN as UNKNOWN
from lintel.prepared.rows import known_row as known_row
from lintel.prepared.rows import row_of as row_of
from lintel.prepared.updates import save_row as save_row
