import json

import pytest

from lintel_client.errors import ErrorMessage, NetworkError
from lintel_client.headers import Headers
from lintel_client.messages import Response
from lintel_client.negotiation import default_decoders
from lintel_client.responses import NO_CONTENT, Reading, decode_response, decoding
from lintel_client.steps import take_steps
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import CoreJSONCodec, Document, Error, Link, NoCodecAvailable, ParseError

CORE = CoreJSONCodec.media_type


def response(body=b"", content_type="application/json", status=200, reason="", **headers):
    if isinstance(body, Document | Error):
        body, content_type = CoreJSONCodec().encode(body), CORE
    elif not isinstance(body, bytes):
        body = json.dumps(body).encode()
    fields = [("Content-Type", content_type)] if content_type else []
    fields += [(name.replace("_", "-"), value) for name, value in headers.items()]
    chunks = [body[at : at + 3] for at in range(0, len(body), 3)]
    return Response(status, Headers(fields), chunks, "http://x.org/a/", reason)


def decode(*arguments, limit=10_000, forced=None, **options):
    return decode_response(response(*arguments, **options), default_decoders(), limit, forced)


def refusal(*arguments, status=400, **options):
    with pytest.raises(ErrorMessage) as caught:
        decode(*arguments, status=status, **options)
    return caught.value


def test_the_content_type_chooses():
    assert decode({"a": 1}) == {"a": 1}
    assert decode(b"a", "text/plain") == "a"
    assert decode({"a": 1}, "application/problem+json") == {"a": 1}
    document = decode(Document("http://x.org/", content={"go": Link("http://x.org/b")}))
    assert document["go"].url == "http://x.org/b"
    assert decode(b'{"_type":"document"}', CORE).url == "http://x.org/a/"
    assert decode(b"\x00", "image/png").read() == b"\x00"


@pytest.mark.parametrize("status", [200, 204, 205, 304])
@pytest.mark.parametrize("content_type", ["application/json", "text/html", "image/png", CORE, ""])
def test_an_empty_body_is_no_content(status, content_type):
    assert decode(b"", content_type, status=status) is NO_CONTENT
    assert repr(NO_CONTENT) == "NO_CONTENT"


def test_without_a_content_type_the_first_decoder_reads():
    assert isinstance(decode(b"{}", ""), Document)


def test_a_forced_decoder_reads_whatever_comes():
    assert isinstance(decode(b"{}", "text/plain", forced=CoreJSONCodec()), Document)


def test_names_of_downloads_come_from_the_header():
    download = decode(b"x", "application/zip", Content_Disposition="attachment; filename=a.zip")
    assert download.name == "a.zip"


def test_large_answers_are_refused():
    with pytest.raises(NetworkError, match="larger than 3 bytes"):
        decode(b'"abc"', limit=3)
    assert decode(b"x" * 100, "image/png", limit=3).read() == b"x" * 100


def test_answers_that_cannot_be_read():
    with pytest.raises(ParseError):
        decode(b"{")
    with pytest.raises(NoCodecAvailable):
        decode_response(response(b"x", "image/png"), [CoreJSONCodec()], 10)


def test_the_body_is_always_closed():
    closed = []
    for status, kind in [(200, "text/plain"), (400, "text/plain"), (200, "image/png")]:
        answer = response(b"x", kind, status=status)
        answer.close = lambda: closed.append(1)
        try:
            decode_response(answer, default_decoders(), 10)
        except ErrorMessage as error:
            closed.append(error.status)
    assert closed == [1, 1, 400, 1]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"detail": "No."}, {"detail": "No."}),
        ({"name": ["a", "b"]}, {"name": ["a", "b"]}),
        (["a", {"b": 1}], {"messages": ["a", {"b": 1}]}),
        ("scalar", {"message": "scalar"}),
        (5, {"message": 5}),
        (None, {}),
        (b"", {}),
        (b"{broken", {"message": "{broken"}),
    ],
)
def test_refusals_hold_what_the_server_said(body, expected):
    error = refusal(body, status=404)
    assert error.error == Error("404 Not Found", expected)
    assert (error.status, error.url) == (404, "http://x.org/a/")
    assert error.headers["content-type"] == "application/json"


def test_the_title_is_the_document_s_or_the_status_line():
    assert refusal(status=400, reason="Nope").error.title == "400 Nope"
    assert refusal(status=599).error.title == "599"
    document = Document("http://x.org/", "Sorry", content={"a": 1, "go": Link("/")})
    assert refusal(document).error == Error("Sorry", {"a": 1})
    assert refusal(Error("Bad", {"a": ["b"]})).error == Error("Bad", {"a": ["b"]})


def test_an_error_document_is_an_error_whatever_the_status():
    error = refusal(Error("Bad", {"a": ["b"]}), status=200)
    assert (error.status, error.error.title) == (200, "Bad")
    assert error.error.get_messages() == ["b"]


def test_a_link_is_no_error_content():
    assert refusal(b'{"_type":"link"}', CORE).error == Error(
        "400 Bad Request", {"message": '{"_type":"link"}'}
    )


@pytest.mark.parametrize("content_type", ["application/problem+json", "image/png", "", "odd"])
def test_errors_of_any_type_can_be_printed(content_type):
    error = refusal({"title": "t", "detail": "d"}, content_type)
    assert "detail" in str(error)


def test_error_pages_are_text_in_their_charset():
    error = refusal("é".encode("latin-1"), "text/html; charset=latin-1", status=500)
    assert error.error["message"] == "é"


@pytest.mark.parametrize(
    ("content_type", "url"),
    [
        ("application/json", "https://a.example/"),
        ("application/yaml", "https://a.example/"),
        ("text/plain", "https://a.example/"),
        ("", "https://a.example/"),
        ("application/octet-stream", "https://a.example/openapi.yaml"),
    ],
)
def test_a_document_is_recognized_by_what_it_says_of_itself(content_type, url):
    content = b'{"openapi": "3.1.0", "info": {"title": "Pets"}, "paths": {"/x": {"get": {}}}}'
    answer = Response(
        200, Headers({"Content-Type": content_type} if content_type else {}), [content], url
    )
    reading = Reading(
        [CoreJSONCodec(), OpenAPICodec(), *default_decoders()[1:]], 10_000, documents=True
    )
    document = take_steps(decoding(answer, reading))
    assert document.title == "Pets"
    assert document["get /x"].url == "https://a.example/x"


@pytest.mark.parametrize("documents", [True, False])
def test_what_only_looks_like_a_document_is_data(documents):
    content = b'{"text": "{\\"openapi\\": \\"3.0\\"}", "swagger": 3}'
    answer = Response(200, Headers({"Content-Type": "application/json"}), [content])
    reading = Reading(
        [CoreJSONCodec(), OpenAPICodec(), *default_decoders()[1:]], 10_000, documents=documents
    )
    assert take_steps(decoding(answer, reading))["swagger"] == 3


def test_results_of_operations_stay_data():
    content = b'{"openapi": "3.1.0", "paths": {}}'
    answer = Response(200, Headers({"Content-Type": "application/json"}), [content])
    reading = Reading([CoreJSONCodec(), OpenAPICodec(), *default_decoders()[1:]], 10_000)
    assert take_steps(decoding(answer, reading)) == {"openapi": "3.1.0", "paths": {}}
