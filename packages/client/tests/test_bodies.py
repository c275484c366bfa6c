import io
import json
from email import message_from_bytes, policy

import pytest

from lintel_client.bodies import encode_body
from lintel_client.errors import UnsupportedEncoding
from lintel_client.files import File
from lintel_client.parameters import FORM, JSON, MULTIPART, OCTET_STREAM, Parameters


def body_of(encoding, **values):
    return encode_body(encoding, Parameters(**values))


def parts_of(body):
    """Parse a multipart body with the parser of the standard library."""
    headers = dict(body.headers)
    head = f"Content-Type: {headers['Content-Type']}\r\n\r\n".encode()
    return list(message_from_bytes(head + body.content, policy=policy.HTTP).iter_parts())


@pytest.mark.parametrize("encoding", ["", JSON])
def test_json_is_the_default(encoding):
    body = body_of(encoding, form={"a": "é", "b": [1, None]})
    assert body.content == '{"a":"é","b":[1,null]}'.encode()
    assert body.headers == (("Content-Type", "application/json"),)


@pytest.mark.parametrize("value", [{}, [], 0, False, None, ""])
def test_falsy_bodies_are_sent(value):
    assert json.loads(body_of(JSON, body=value).content) == value


@pytest.mark.parametrize("encoding", ["", JSON, FORM, MULTIPART, OCTET_STREAM, "text/odd"])
def test_without_values_there_is_no_body(encoding):
    assert body_of(encoding) == encode_body("", Parameters())
    assert body_of(encoding).content is None


def test_a_whole_body_wins_over_form_values():
    assert body_of("", form={"a": 1}, body=[2]).content == b"[2]"


def test_forms_are_urlencoded():
    body = body_of(FORM, form={"a b": "é&=", "c": ["1", "2"]})
    assert body.content == b"a+b=%C3%A9%26%3D&c=1&c=2"
    assert body.headers == (("Content-Type", FORM),)
    assert body_of(FORM, body={"a": "1"}).content == b"a=1"


def test_multipart_forms_hold_text_and_files():
    body = body_of(
        MULTIPART,
        form={
            "text": "é",
            "many": ["1", "2"],
            "file": File("a.png", b"\x89PNG\r\n"),
            "stream": io.BytesIO(b"x"),
        },
    )
    parts = parts_of(body)
    names = [part.get_param("name", header="content-disposition") for part in parts]
    assert names == ["text", "many", "many", "file", "stream"]
    assert [part.get_filename() for part in parts] == [None, None, None, "a.png", "stream"]
    assert parts[0].get_payload(decode=True) == "é".encode()
    assert parts[3].get_content_type() == "image/png"
    assert parts[3].get_payload(decode=True) == b"\x89PNG\r\n"


def test_multipart_is_used_even_without_files():
    assert body_of(MULTIPART, form={"a": "1"}).headers[0][1].startswith(MULTIPART)


def test_names_cannot_break_out_of_a_part():
    file = File('x"\r\nX-Evil: 1.txt', b"")
    content = body_of(MULTIPART, form={'a"\r\nX-Evil: 1': file}).content
    assert b"\r\nX-Evil" not in content
    assert b'name="a%22%0D%0AX-Evil: 1"' in content


def test_content_types_cannot_break_out_of_a_part():
    with pytest.raises(ValueError, match="line break"):
        body_of(MULTIPART, form={"a": File("a", b"", "text/plain\r\nX: 1")})


def test_equal_forms_have_equal_bytes():
    form = {"a": "1", "b": File("b", b"2")}
    assert body_of(MULTIPART, form=form) == body_of(MULTIPART, form=form)
    assert body_of(MULTIPART, form=form) != body_of(MULTIPART, form={"a": "2"})


@pytest.mark.parametrize("place", ["form", "body"])
def test_uploads_name_their_file_and_type(place):
    file = File('a"b.png', b"\x00\xff")
    body = body_of(OCTET_STREAM, **{place: {"f": file} if place == "form" else file})
    assert body.content == b"\x00\xff"
    assert dict(body.headers) == {
        "Content-Type": "image/png",
        "Content-Disposition": 'attachment; filename="a\\"b.png"',
    }


def test_bytes_are_an_upload_without_a_name():
    body = body_of(OCTET_STREAM, body=b"")
    assert body.content == b""
    assert body.headers == (("Content-Type", OCTET_STREAM),)


def test_unknown_encodings_are_named():
    with pytest.raises(UnsupportedEncoding, match=r"'text/odd'; available: application/json"):
        body_of("text/odd", form={"a": 1})
