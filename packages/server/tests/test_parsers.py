"""Parsers: what they accept, and the messages for what they reject."""

import io
import json

import pytest
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.core.files.uploadhandler import (
    FileUploadHandler,
    MemoryFileUploadHandler,
    StopUpload,
    TemporaryFileUploadHandler,
)
from django.test import RequestFactory, override_settings
from hypothesis import given
from hypothesis import strategies as st

from lintel import parsers
from lintel.exceptions import ParseError
from lintel.request import Request
from lintel.utils.json import MAX_DEPTH


def read(body, charset="", own=parsers.JSONParser):
    content_type = f"{own.media_type}{charset}"
    django_request = RequestFactory().generic("POST", "/", body, content_type=content_type)
    return Request(django_request, parsers=[own()]).data


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_json_is_read_as_the_standard_library_reads_it(value):
    text = json.dumps(value)
    assert repr(read(text.encode() or b" ")) == repr(json.loads(text))


@pytest.mark.parametrize(
    "body",
    [b"{", b" ", b'{"a": 1,}', b"[1 2]", b'{"a": tru}', b'"open', b"01", b"1.", b"{}x", b"'a'",
     b'"\t"', b'"\\x"', b"\x00", b"[1]\x00", b"nul", b"[,]", b'{1: 2}', b'{"a"', b"\xef\xbb\xbf{}"],
)  # fmt: skip
def test_malformed_json_is_explained_by_the_standard_library(body):
    with pytest.raises(ValueError) as expected:  # noqa: PT011 -- any text will do
        json.loads(body.decode())
    with pytest.raises(ParseError) as refused:
        read(body)
    assert str(refused.value) == f"JSON parse error - {expected.value}"


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e400", "-1e999"])
def test_numbers_that_json_does_not_know_are_refused(text):
    with pytest.raises(ParseError, match="Out of range float values are not JSON compliant"):
        read(f"[{text}]".encode())
    with override_settings(REST_FRAMEWORK={"STRICT_JSON": False}):
        assert repr(read(text.encode())) == repr(json.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        "18446744073709551616",
        "-9223372036854775809",
        "1" * 40,
        "[" + "9" * 19 + "]",
        "-0",
        "1" * 4300,
    ],
)
def test_integers_are_exact_however_long(text):
    assert repr(read(text.encode())) == repr(json.loads(text))


@given(
    st.integers(0, 9),
    st.integers(-(10**24), 10**24),
    st.text(st.sampled_from("0123456789-T:. "), max_size=40),
)
def test_integers_are_exact_wherever_they_are(offset, number, text):
    body = f'{" " * offset}[{{"{text}": {number}}}, "{text}"]'
    assert read(body.encode()) == [{text: number}, text]


def test_an_integer_too_long_for_python_is_a_clean_error():
    with pytest.raises(ParseError, match="JSON parse error - Exceeds the limit"):
        read(b"1" * 5000)


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_deep_nesting_is_refused(opening):
    with pytest.raises(ParseError, match=r"nested too deeply|Expecting value"):
        read(opening * 100_000)
    with pytest.raises(ParseError, match="nested too deeply"):
        read(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1))
    assert read(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)


@given(st.integers(MAX_DEPTH - 2, MAX_DEPTH + 2), st.integers(0, 2**10), st.text(max_size=30))
def test_depth_is_counted_whatever_the_brackets_are(depth, objects, text):
    data = text
    for level in range(depth):
        data = {"a": data} if objects >> level % 10 & 1 else [data]
    body = json.dumps(data, separators=(",", ":")).encode()
    if depth <= MAX_DEPTH:
        assert read(body) == data
    else:
        with pytest.raises(ParseError, match="nested too deeply"):
            read(body)


def test_many_containers_side_by_side_are_not_deep():
    assert len(read(b"[" + b"[{}]," * 2000 + b"1]")) == 2001


def test_the_last_of_equal_keys_counts():
    assert read(b'{"a": 1, "a": 2}') == {"a": 2}


def test_nul_and_half_a_surrogate_pair_are_text():
    assert read(b'"x\\u0000y"') == "x\x00y"
    assert read(b'"\\ud800"') == "\ud800"


@pytest.mark.parametrize("body", [b'"\xff"', b'"\xed\xa0\x80"', b"{}\xc3", b"\xc3"])
def test_bytes_that_are_no_text_are_refused(body):
    with pytest.raises(ParseError, match="JSON parse error - "):
        read(body)


@pytest.mark.parametrize("charset", ["bz2", "base64", "rot13", "undefined", "zlib"])
@pytest.mark.parametrize("own", [parsers.JSONParser, parsers.FormParser])
def test_a_charset_that_is_none_is_refused(charset, own):
    with pytest.raises(ParseError, match=f'Unsupported charset "{charset}"'):
        read(b"{}", f"; charset={charset}", own)


@pytest.mark.parametrize("charset", ["utf-8", "latin-1", "utf-16", "utf-32", "utf-8-sig"])
def test_other_charsets_are_decoded(charset):
    assert read('{"a": "é"}'.encode(charset), f"; charset={charset}") == {"a": "é"}


def test_text_in_the_wrong_charset_is_refused():
    with pytest.raises(ParseError, match="tream does not start with BOM"):
        read(b"{}", "; charset=utf-16")


def test_forms_keep_what_is_repeated_and_replace_what_cannot_be_decoded():
    data = read(b"a=1&a=2&b=%ff", own=parsers.FormParser)
    assert data.getlist("a") == ["1", "2"]
    assert data["b"] == "\ufffd"


@pytest.mark.parametrize("body", [b"a=\xff\xfe-&b=1", b"\x00=\xff", b"a=" + b"\xc3" * 99])
@pytest.mark.parametrize("charset", ["punycode", "idna", "utf-7", "utf-16", "unicode_escape"])
def test_a_form_in_an_odd_charset_never_crashes(charset, body):
    try:
        data = read(body, f"; charset={charset}", parsers.FormParser)
    except (ParseError, TooManyFieldsSent):
        return
    assert all(isinstance(name, str) for name in data)


@pytest.mark.parametrize(
    ("boundary", "text"),
    [
        ("", "Invalid boundary in multipart: None"),
        ("; boundary=", "Invalid boundary in multipart: "),
        ("; boundary=é", "Invalid non-ASCII Content-Type"),
    ],
)
def test_a_malformed_multipart_header_is_refused(boundary, text):
    with pytest.raises(ParseError, match=f"Multipart form parse error - {text}"):
        read(b"--b--", boundary, parsers.MultiPartParser)


@pytest.mark.parametrize("length", [2**63, 10**30])
def test_a_form_longer_than_any_stream_is_refused(length):
    body, kind = b"--b--", "multipart/form-data; boundary=b"
    django_request = RequestFactory().generic("POST", "/", body, kind, CONTENT_LENGTH=str(length))
    with pytest.raises(RequestDataTooBig):
        _ = Request(django_request, [parsers.MultiPartParser()]).data


def upload(
    body=b"raw",
    disposition="attachment; filename=a.txt",
    handlers=None,
    kwargs=None,
    content_type="text/plain",
):
    extra = {} if disposition is None else {"HTTP_CONTENT_DISPOSITION": disposition}
    django_request = RequestFactory().generic("POST", "/", body, content_type, **extra)
    if handlers is not None:
        django_request.upload_handlers = [handler(django_request) for handler in handlers]
    context = {"kwargs": kwargs or {}}
    request = Request(django_request, [parsers.FileUploadParser()], parser_context=context)
    return request.data["file"]


def content(uploaded):
    with uploaded:
        return uploaded.read()


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="two words.txt"', "two words.txt"),
        ("attachment; filename=a; filename*=utf-8'en'%E2%82%AC.txt", "€.txt"),
        ("inline; FILENAME=x", "x"),
        ("attachment; filename=../../up.txt", "up.txt"),
        ('attachment; filename=" "', " "),
        ("attachment; filename*=utf-8''9%E2%80%AFam%00%0A.png", "9\u202fam.png"),
    ],
)
def test_an_upload_is_named_by_its_header(disposition, name):
    uploaded = upload(disposition=disposition)
    assert (uploaded.name, content(uploaded)) == (name, b"raw")


@pytest.mark.parametrize(
    "disposition",
    [None, "", "inline", "nonsense", "attachment; filename=", "attachment; filename=..",
     "attachment; filename=a/", "attachment; filename*=zz''b", "attachment; filename*=utf-8''%00"],
)  # fmt: skip
def test_an_upload_without_a_name_is_refused(disposition):
    with pytest.raises(ParseError, match="Missing filename"):
        upload(disposition=disposition)


def test_the_url_names_an_upload_first():
    assert upload(kwargs={"filename": "url.txt"}).name == "url.txt"


def test_an_upload_is_bytes_of_any_charset():
    assert content(upload(b"\xff", content_type="text/plain; charset=bz2")) == b"\xff"


def test_an_upload_goes_to_the_first_handler_that_makes_a_file():
    class Upper(FileUploadHandler):
        def receive_data_chunk(self, raw_data, start):
            return raw_data.upper()

        def file_complete(self, file_size):
            return None

    assert content(upload(handlers=[Upper, MemoryFileUploadHandler])) == b"RAW"
    assert content(upload(handlers=[TemporaryFileUploadHandler])) == b"raw"


def test_a_large_upload_is_no_matter_of_memory():
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=2, FILE_UPLOAD_MAX_MEMORY_SIZE=2):
        assert content(upload(b"12345")) == b"12345"


def test_an_upload_that_no_handler_takes_is_refused():
    class Refusing(MemoryFileUploadHandler):
        def receive_data_chunk(self, raw_data, start):
            raise StopUpload

    with pytest.raises(ParseError, match="none of upload handlers"):
        upload(handlers=[Refusing])


def test_a_file_is_closed_with_the_request():
    django_request = RequestFactory().post("/", b"raw", content_type="text/plain")
    django_request.upload_handlers = [TemporaryFileUploadHandler(django_request)]
    context = {"kwargs": {"filename": "a.txt"}}
    uploaded = Request(django_request, [parsers.FileUploadParser()], parser_context=context).data
    django_request.close()
    assert uploaded["file"].closed


def test_parsers_read_plain_streams():
    assert parsers.JSONParser().parse(io.BytesIO(b"[1]")) == [1]
    assert parsers.JSONParser().parse(io.StringIO("[1]")) == [1]
    assert parsers.FormParser().parse(io.BytesIO(b"a=1"))["a"] == "1"
    with pytest.raises(NotImplementedError, match="must be overridden"):
        parsers.BaseParser().parse(io.BytesIO())
