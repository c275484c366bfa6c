import pytest

from lintel_client.codecs import JSONCodec, TextCodec
from lintel_client.downloads import DownloadCodec
from lintel_client.negotiation import (
    accept_data,
    accept_documents,
    choose_decoder,
    decoder_for_format,
    default_decoders,
)
from lintel_document import Codec, CoreJSONCodec, NoCodecAvailable


class HAL(Codec):
    media_type = "application/hal+json"
    format = "hal"

    def decode(self, content, **options):
        return content


DECODERS = [CoreJSONCodec(), HAL(), JSONCodec(), TextCodec(), DownloadCodec()]


def test_defaults_go_from_specific_to_anything():
    formats = [codec.format for codec in default_decoders()]
    assert formats[0] == "corejson"
    assert formats[-3:] == ["json", "text", "download"]


def test_every_document_format_is_asked_for():
    assert accept_documents(DECODERS) == (
        "application/coreapi+json, application/vnd.coreapi+json, application/hal+json, */*;q=0.1"
    )


def test_operations_ask_for_json_as_well():
    assert accept_data(DECODERS) == (
        "application/coreapi+json, application/vnd.coreapi+json, application/hal+json, "
        "application/json, */*;q=0.1"
    )


@pytest.mark.parametrize(
    ("content_type", "format"),
    [
        ("application/coreapi+json", "corejson"),
        ("application/vnd.coreapi+json; charset=utf-8", "corejson"),
        ("Application/HAL+JSON; profile=x", "hal"),
        ("application/vnd.shop.v2+hal+json; charset=utf-8", "hal"),
        ("application/json", "json"),
        ("application/problem+json", "json"),
        ("text/html; charset=utf-8", "text"),
        ("image/png", "download"),
        ("image/svg+xml", "download"),
        ("", "corejson"),
    ],
)
def test_content_types_choose_a_decoder(content_type, format):
    assert choose_decoder(DECODERS, content_type).format == format


def test_without_a_match_the_types_are_listed():
    with pytest.raises(NoCodecAvailable, match="'image/png'; the installed ones read"):
        choose_decoder([JSONCodec()], "image/png")


def test_formats_are_looked_up_among_the_decoders_first():
    assert decoder_for_format(DECODERS, "hal") is DECODERS[1]
    assert decoder_for_format([JSONCodec()], "corejson").format == "corejson"
    with pytest.raises(NoCodecAvailable, match="'nothing'; available: json"):
        decoder_for_format([JSONCodec()], "nothing")
