"""JSON Hyper-Schema, decoding."""

from lintel_codecs.hyperschema.codec import HyperSchemaCodec

__all__ = ["HyperSchemaCodec"]
