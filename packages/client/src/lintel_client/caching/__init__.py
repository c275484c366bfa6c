"""A private cache of responses to GET (RFC 9111)."""

from lintel_client.caching.cache import Cache

__all__ = ["Cache"]
