"""Responses without an end, read item by item: server-sent events, JSON lines, JSON sequences."""
