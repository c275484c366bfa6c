"""Renderers of the OpenAPI document, as YAML and as JSON."""

from typing import Any

from lintel import compat
from lintel.renderers.data import BaseRenderer, Context, encode_text
from lintel.utils import encoders, json


class OpenAPIRenderer(BaseRenderer):
    """YAML; needs PyYAML (``django-lintel[openapi]``)."""

    media_type: str | None = "application/vnd.oai.openapi"
    charset: str | None = None
    format: str | None = "openapi"

    def __init__(self) -> None:
        if not compat.yaml:
            raise AssertionError(
                "Using OpenAPIRenderer, but `pyyaml` is not installed. Install "
                "django-lintel[openapi], or use JSONOpenAPIRenderer."
            )

    def render(
        self, data: Any, media_type: str | None = None, renderer_context: Context = None
    ) -> bytes:
        """Repeated parts are written twice, without anchors."""
        # Through JSON, so that dates, lazy texts and so on become plain values.
        plain = json.loads(json.dumps(data, cls=encoders.JSONEncoder))
        text: str = compat.yaml.dump(
            plain, default_flow_style=False, sort_keys=False, Dumper=_plain_dumper()
        )
        return text.encode()


def _plain_dumper() -> type:
    class PlainDumper(compat.yaml.SafeDumper):
        def ignore_aliases(self, data: object) -> bool:
            return True

    return PlainDumper


class JSONOpenAPIRenderer(BaseRenderer):
    media_type: str | None = "application/vnd.oai.openapi+json"
    charset: str | None = None
    encoder_class: Any = encoders.JSONEncoder
    format: str | None = "openapi-json"
    ensure_ascii: bool = False

    def render(
        self, data: Any, media_type: str | None = None, renderer_context: Context = None
    ) -> bytes:
        text = json.dumps(data, cls=self.encoder_class, indent=2, ensure_ascii=self.ensure_ascii)
        return encode_text(text)
