"""Measurements of lintel and its peers: CPU time, interleaved runs, ratios."""
