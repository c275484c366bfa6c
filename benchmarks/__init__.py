"""Measurements of lintel beside its peers: CPU time, interleaved runs, ratios."""
