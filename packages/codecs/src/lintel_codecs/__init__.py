"""Codecs beyond Core JSON, found by lintel_client through entry points."""
