import sys

import pytest

from lintel_document import Codec, CoreJSONCodec, LintelError, NoCodecAvailable
from lintel_document.registry import codec_for_format, installed_codecs, plugin_codecs


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a distribution with a codec plugin on the path."""

    def _install(source, target="plugin_for_test:Lines"):
        (tmp_path / "plugin_for_test.py").write_text(source)
        info = tmp_path / "lines_codec-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lines-codec\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(f"[lintel.codecs]\nlines = {target}\n")
        monkeypatch.syspath_prepend(tmp_path)

    yield _install
    sys.modules.pop("plugin_for_test", None)


PLUGIN = """
from lintel_document.codec import Codec

class Lines(Codec):
    media_type = "text/x-lines"
    format = "lines"
"""


def test_the_native_codec_comes_first():
    assert installed_codecs()[0].name == "corejson"
    assert installed_codecs()[0].package == "lintel-document"


def test_plugins_are_found_by_entry_point(install):
    install(PLUGIN)
    found = {installed.name: installed for installed in plugin_codecs()}["lines"]
    assert found.package == "lines-codec==1.2"
    assert found.codec.media_type == "text/x-lines"
    assert codec_for_format("lines").format == "lines"


def test_a_broken_plugin_is_named(install):
    install("import nothing_of_this_name")
    with pytest.raises(LintelError, match=r"'lines'.*nothing_of_this_name"):
        plugin_codecs()


def test_a_format_is_looked_up_among_the_given_codecs():
    assert isinstance(codec_for_format("corejson"), CoreJSONCodec)
    with pytest.raises(NoCodecAvailable, match="'corejson'; available: "):
        codec_for_format("corejson", [Codec()])
