"""HAL and HAL-FORMS, both ways."""

from lintel_codecs.hal.codec import HALCodec

__all__ = ["HALCodec"]
