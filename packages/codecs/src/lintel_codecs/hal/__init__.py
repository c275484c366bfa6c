"""HAL and HAL-FORMS, reading and writing."""

from lintel_codecs.hal.codec import HALCodec

__all__ = ["HALCodec"]
