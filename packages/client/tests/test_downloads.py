import gc

import pytest

from lintel_client.downloads import DownloadCodec, safe_file_name


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"content_disposition": 'attachment; filename="a b.txt"'}, "a b.txt"),
        (
            {"content_disposition": "attachment; filename*=UTF-8''%C3%A9.txt; filename=e.txt"},
            "é.txt",
        ),
        (
            {"content_disposition": "attachment; filename=e.txt; filename*=iso-8859-1''%E9.txt"},
            "é.txt",
        ),
        ({"content_disposition": "attachment; filename*=odd''%E9.txt; filename=y.txt"}, "y.txt"),
        ({"content_disposition": 'attachment; filename="../../etc/passwd"'}, "passwd"),
        ({"content_disposition": 'attachment; filename="C:\\\\dir\\\\a.txt"'}, "a.txt"),
        ({"content_disposition": 'attachment; filename=".bashrc"'}, "bashrc"),
        ({"content_disposition": "attachment", "base_url": "http://x/a/b.pdf?q=1"}, "b.pdf"),
        ({"base_url": "http://x/a/b/", "content_type": "application/pdf"}, "b.pdf"),
        ({"base_url": "http://x/%2e%2e%2fa", "content_type": "image/png"}, "a.png"),
        ({"base_url": "http://x/", "content_type": "application/zip; a=b"}, "download.zip"),
        ({"content_disposition": 'attachment; filename="<>"', "base_url": "http://x/f"}, "f"),
        ({}, "download"),
    ],
)
def test_names_come_from_header_url_and_type(options, name):
    assert DownloadCodec().decode(b"x", **options).name == name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("a/b\\c.txt", "c.txt"),
        ("..", ""),
        ("a\x00b\n.txt", "ab.txt"),
        ("$(rm -rf).txt", "rm -rf.txt"),
        ("-rf", "-rf"),
        ("é 1_2-3.tar.gz", "é 1_2-3.tar.gz"),
    ],
)
def test_names_are_made_safe(name, safe):
    assert safe_file_name(name) == safe


def test_long_names_are_cut_but_keep_their_suffix():
    name = safe_file_name("é" * 1000 + ".txt")
    assert len(name.encode()) == 150
    assert name.endswith("é.txt")
    assert DownloadCodec().decode(b"x", base_url="http://x/" + "é" * 1000).read() == b"x"


def test_a_temporary_file_goes_away_with_its_object():
    download = DownloadCodec().decode(b"\x00\xff", content_type="Image/PNG; a=b")
    path = download.path
    assert (download.read(), download.content_type) == (b"\x00\xff", "image/png")
    assert path.stat().st_mode & 0o077 == 0
    with open(download, "rb") as by_path, download.open() as by_method:
        assert by_path.read() == by_method.read()
    del download
    gc.collect()
    assert not path.exists()


def test_files_in_a_folder_stay_and_are_never_overwritten(tmp_path):
    codec = DownloadCodec(tmp_path)
    options = {"content_disposition": "attachment; filename=a.txt"}
    for content in (b"1", b"2", b"3"):
        codec.decode(content, **options)
    gc.collect()
    found = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert found == {"a.txt": b"1", "a (1).txt": b"2", "a (2).txt": b"3"}


def test_a_broken_stream_leaves_no_file(tmp_path):
    def chunks():
        yield b"half"
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        DownloadCodec(tmp_path).decode_stream(chunks())
    assert list(tmp_path.iterdir()) == []


def test_no_link_in_the_folder_leads_a_file_elsewhere(tmp_path):
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "a.txt").symlink_to(elsewhere)
    options = {"content_disposition": "attachment; filename=../folder/a.txt"}
    assert DownloadCodec(folder).decode(b"1", **options).path == folder / "a (1).txt"
    assert not elsewhere.exists()
    assert (folder / "a.txt").is_symlink()
