import io

import pytest

from lintel_client.files import File, attachment, form_part_name, is_file, opened


def test_files_and_readable_objects_are_files(tmp_path):
    assert is_file(File("a", b""))
    assert is_file(io.BytesIO())
    assert not is_file("path")
    assert not is_file(b"bytes")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (File("a.png", b"x"), ("a.png", b"x", "image/png")),
        (File("a.png", b"x", "text/x"), ("a.png", b"x", "text/x")),
        (
            File("/dir/é.unknownkind", "é"),
            ("é.unknownkind", "é".encode(), "application/octet-stream"),
        ),
        (io.BytesIO(b"x"), ("", b"x", "application/octet-stream")),
        (io.StringIO("é"), ("", "é".encode(), "application/octet-stream")),
        (b"x", ("", b"x", "application/octet-stream")),
    ],
)
def test_opened(value, expected):
    file = opened(value)
    assert (file.name, file.content, file.content_type) == expected


def test_an_open_file_is_called_by_its_base_name(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"x")
    with path.open("rb") as stream:
        assert opened(stream).name == "a.txt"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.txt", 'attachment; filename="a.txt"'),
        ('a"b\\c.txt', 'attachment; filename="a\\"b\\\\c.txt"'),
        ("é.txt", "attachment; filename=\"_.txt\"; filename*=UTF-8''%C3%A9.txt"),
        ("a\r\nX: 1", "attachment; filename=\"aX: 1\"; filename*=UTF-8''a%0D%0AX%3A%201"),
    ],
)
def test_names_are_escaped(name, expected):
    assert attachment(name) == expected


def test_names_of_form_parts_are_escaped():
    assert form_part_name('a"b\r\nc') == "a%22b%0D%0Ac"
