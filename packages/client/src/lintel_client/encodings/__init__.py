"""Compressed content of responses, decoded in bounded pieces and seen to be whole."""

from lintel_client.encodings.inflating import Inflater, inflater_for

__all__ = ["Inflater", "inflater_for"]
