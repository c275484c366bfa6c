import pytest

from lintel_document import Codec, CoreJSONCodec, EncodeError, ParseError


class ReadOnly(Codec):
    media_type = "text/x-lines"
    format = "lines"

    def decode(self, content, **options):
        return content.decode().splitlines()


def test_what_is_implemented_tells_the_abilities():
    assert CoreJSONCodec().get_abilities() == ("encode", "decode")
    assert ReadOnly().get_abilities() == ("decode",)
    assert Codec().get_abilities() == ()


def test_declared_abilities_win():
    codec = ReadOnly()
    codec.abilities = ("data",)
    assert codec.get_abilities() == ("data",)


def test_the_media_type_stands_for_a_missing_list():
    assert ReadOnly().get_media_types() == ["text/x-lines"]
    assert len(CoreJSONCodec().get_media_types()) == 2


def test_load_and_dump_are_other_names():
    codec = CoreJSONCodec()
    assert codec.load(codec.dump({"a": 1})) == {"a": 1}
    assert codec.load(b'{"_type": "document"}', base_url="https://x.org/").url == "https://x.org/"
    assert ReadOnly().load(b"a\nb") == ["a", "b"]


def test_a_missing_ability_says_so():
    with pytest.raises(EncodeError, match="'lines' cannot encode"):
        ReadOnly().encode({})
    with pytest.raises(ParseError, match="cannot decode"):
        Codec().decode(b"")
