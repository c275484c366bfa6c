import pytest

from lintel_client import (
    BasicAuthentication,
    Client,
    Download,
    ErrorMessage,
    File,
    HTTPTransport,
    JSONCodec,
    LinkLookupError,
    NetworkError,
    NoCodecAvailable,
    ParameterError,
    ParseError,
    Response,
    SessionAuthentication,
    TextCodec,
    TokenAuthentication,
)
from lintel_document import CoreJSONCodec, Document, Error, Field, Link


@pytest.fixture
def api(service):
    """A service with a document at its root; returns what is at the root."""

    def _api(**links):
        document = Document(service.url(), "API", content={"do": links})
        service.answer("/", document)
        return document

    return _api


@pytest.fixture
def connect():
    opened = []

    def _connect(**options):
        opened.append(Client(**options))
        return opened[-1]

    yield _connect
    for client in opened:
        client.close()


def test_get_returns_the_document(service, api, connect):
    document = api(go=Link(service.url("/go/")))
    assert connect().get(service.url()) == document
    accept = service.last.headers["accept"]
    assert accept.startswith("application/coreapi+json, ")
    assert "application/json" not in accept
    assert service.last.headers["user-agent"].startswith("lintel/")


def test_get_returns_plain_data_as_well(service, connect):
    service.answer("/data", [1, {"b": 1, "a": 2}])
    assert connect().get(service.url("/data")) == [1, {"b": 1, "a": 2}]
    service.answer("/none", b"", status=204)
    assert connect().get(service.url("/none")) is None


def test_a_format_is_forced(service, connect):
    service.answer("/doc", CoreJSONCodec().encode(Document(title="T")), content_type="text/plain")
    document = connect().get(service.url("/doc"), format="corejson")
    assert (document.title, document.url) == ("T", service.url("/doc"))
    with pytest.raises(NoCodecAvailable, match="'nothing'"):
        connect().get(service.url("/doc"), format="nothing")


def test_an_action_sends_its_link(service, api, connect):
    link = Link("/x/{id}/", "post", fields=[Field("id", True, "path"), Field("a", location="form")])
    document = api(go=link)
    service.answer("/x/1/", {"done": True}, status=201)
    result = connect().action(document, ["do", "go"], {"id": 1, "a": ["é", None]})
    assert result == {"done": True}
    assert (service.last.method, service.last.path) == ("POST", "/x/1/")
    assert service.last.json() == {"a": ["é", None]}
    assert "application/json" in service.last.headers["accept"]


def test_mistakes_are_found_before_anything_is_sent(service, api, connect):
    document = api(go=Link("/", fields=[Field("a", required=True)]))
    client = connect()
    with pytest.raises(LinkLookupError):
        client.action(document, ["do", "gone"])
    with pytest.raises(ParameterError):
        client.action(document, ["do", "go"], {"b": 1})
    with pytest.raises(TypeError):
        client.action(document, ["do", "go"], overrides={"colour": "red"})
    assert service.seen == []


def test_overrides_and_missing_validation(service, api, connect):
    document = api(go=Link("/a/", "get"))
    service.answer("/b/", {})
    overrides = {"url": "/b/", "action": "put", "fields": ["x"], "encoding": "multipart/form-data"}
    client = connect()
    client.action(document, ["do", "go"], {"x": 1, "y": 2}, validate=False, overrides=overrides)
    assert (service.last.method, service.last.path) == ("PUT", "/b/")
    assert service.last.headers["content-type"].startswith("multipart/form-data")
    assert b'name="y"' in service.last.body


@pytest.mark.parametrize("value", [{}, [], 0, False, None, ""])
def test_falsy_bodies_arrive(service, api, connect, value):
    document = api(go=Link("/x/", "post", fields=[Field("body", location="body")]))
    service.answer("/x/", {})
    connect().action(document, ["do", "go"], {"body": value})
    assert service.last.json() == value
    assert service.last.headers["content-type"] == "application/json"


def test_header_and_cookie_parameters_arrive(service, api, connect):
    fields = [Field("X-Trace", location="header"), Field("lang", location="cookie")]
    document = api(go=Link("/x/", fields=fields))
    service.answer("/x/", {})
    connect().action(document, ["do", "go"], {"X-Trace": "1", "lang": "el"})
    assert service.last.headers["x-trace"] == "1"
    assert service.last.headers["cookie"] == "lang=el"


def test_uploads_arrive(service, api, connect, tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(range(256)))
    document = api(go=Link("/x/", "put", "application/octet-stream", fields=["file"]))
    service.answer("/x/", {})
    with path.open("rb") as file:
        connect().action(document, ["do", "go"], {"file": file})
    assert service.last.body == bytes(range(256))
    assert service.last.headers["content-disposition"] == 'attachment; filename="a.bin"'
    connect().action(document, ["do", "go"], {"file": File("b.png", b"x")})
    assert service.last.headers["content-type"] == "image/png"


def test_results_of_every_kind(service, api, connect):
    document = api(go=Link("/x/"))
    client = connect()
    service.answer("/x/", "Καλημέρα", content_type="text/html; charset=utf-8")
    assert client.action(document, ["do", "go"]) == "Καλημέρα"
    service.answer("/x/", b"\x00\xff", content_type="image/png")
    download = client.action(document, ["do", "go"])
    assert isinstance(download, Download)
    assert download.read() == b"\x00\xff"
    service.answer("/x/", b"", status=204, content_type="")
    assert client.action(document, ["do", "go"]) is None


def test_a_deleted_document_leaves_the_document_it_was_in(service, connect):
    inner = Document(service.url("/1/"), content={"remove": Link(service.url("/1/"), "delete")})
    outer = Document(service.url(), content={"notes": [inner]})
    service.answer("/1/", b"", status=204)
    assert connect().action(outer, ["notes", 0, "remove"])["notes"] == []


def test_refusals_carry_everything(service, api, connect):
    document = api(go=Link("/x/", "post"))
    service.answer("/x/", {"name": ["Too long."]}, status=400, X_Request_Id="r1", Retry_After="5")
    with pytest.raises(ErrorMessage) as caught:
        connect().action(document, ["do", "go"])
    error = caught.value
    assert (error.status, error.reason, error.url) == (400, "Bad Request", service.url("/x/"))
    assert error.headers["x-request-id"] == "r1"
    assert error.error == Error("400 Bad Request", {"name": ["Too long."]})
    assert error.messages == {"name": ["Too long."]}
    assert error.retry_after == 5


def test_answers_that_cannot_be_read(service, connect):
    service.answer("/broken", "{")
    with pytest.raises(ParseError):
        connect().get(service.url("/broken"))
    service.answer("/long", "x" * 1000, content_type="text/plain")
    with pytest.raises(NetworkError, match="larger than 10 bytes"):
        connect(max_body=10).get(service.url("/long"))
    with pytest.raises(NoCodecAvailable):
        connect(decoders=[JSONCodec()]).get(service.url("/long"))


# Redirects and credentials


def test_redirects_are_followed_and_the_last_url_counts(service, connect):
    service.redirect("/start", "/end")
    service.answer("/end", b'{"_type": "document"}', content_type="application/coreapi+json")
    assert connect().get(service.url("/start")).url == service.url("/end")


def test_credentials_do_not_follow_to_another_host(service, connect):
    service.redirect("/start", service.url("/end", host="localhost"))
    service.answer("/end", {})
    for auth in (TokenAuthentication("Token", "a"), BasicAuthentication("a", "b")):
        connect(auth=auth).get(service.url("/start"))
        assert "authorization" in service.seen[-2].headers
        assert "authorization" not in service.last.headers


def test_headers_of_a_transport_do_not_follow_to_another_host(service, connect):
    service.redirect("/start", service.url("/end", host="localhost"))
    service.answer("/end", {})
    transport = HTTPTransport(
        {"127.0.0.1": "Token a"}, {"127.0.0.1": {"X-Key": "k"}, "X-Call": "c"}
    )
    connect(transports=[transport]).get(service.url("/start"))
    first, last = service.seen
    assert {"authorization", "x-key", "x-call"} <= set(first.headers)
    assert not {"authorization", "x-key", "x-call"} & set(last.headers)


def test_header_parameters_do_not_follow_to_another_host(service, api, connect):
    document = api(go=Link("/x/", fields=[Field("X-Key", location="header")]))
    service.redirect("/x/", service.url("/end", host="localhost"))
    service.answer("/end", {})
    connect().action(document, ["do", "go"], {"X-Key": "k"})
    assert "x-key" not in service.last.headers


def test_links_to_another_host_get_no_credentials(service, api, connect):
    document = api(go=Link(service.url("/x/", host="localhost")), stay=Link("/x/"))
    service.answer("/x/", {})
    client = connect(auth=TokenAuthentication("Token", "a"))
    client.action(document, ["do", "go"])
    assert "authorization" not in service.last.headers
    client.action(document, ["do", "stay"])
    assert service.last.headers["authorization"] == "Token a"


def test_a_document_cannot_claim_the_credentials_of_another_host(service, connect):
    """Not with its own URL, nor with an embedded document, nor after a redirect."""
    elsewhere = service.url("/", host="localhost")
    inner = Document(elsewhere, content={"go": Link(elsewhere + "x/")})
    service.answer("/claims", Document(elsewhere, content={"go": Link(elsewhere + "x/")}))
    service.answer("/embeds", Document(service.url("/embeds"), content={"inner": inner}))
    service.redirect("/leads", service.url("/claims", host="localhost"))
    service.answer("/x/", {})
    client = connect(auth=TokenAuthentication("Token", "a"))
    client.action(client.get(service.url("/claims")), ["go"])
    assert "authorization" not in service.last.headers
    client.action(client.get(service.url("/leads")), ["go"])
    assert "authorization" not in service.last.headers
    client.action(client.get(service.url("/embeds")), ["inner", "go"])
    assert "authorization" not in service.last.headers
    client.reload(Document(service.url("/x/", host="localhost")))
    assert "authorization" not in service.last.headers


def test_a_document_from_elsewhere_can_be_called(service, api, connect):
    """Without any `get`, a document that the caller passes is the home of its links."""
    document = api(go=Link("/x/"))
    service.answer("/x/", {})
    connect(auth=TokenAuthentication("Token", "a")).action(document, ["do", "go"])
    assert service.last.headers["authorization"] == "Token a"


def test_a_session_logs_in_and_stays(service, api, connect):
    document = api(login=Link("/login/", "post"), go=Link("/x/", "post"))
    service.answer("/login/", {}, Set_Cookie="csrftoken=t; Path=/")
    service.answer("/x/", {})
    client = connect(auth=SessionAuthentication())
    client.action(document, ["do", "login"])
    client.action(document, ["do", "go"])
    assert service.last.headers["cookie"] == "csrftoken=t"
    assert service.last.headers["x-csrftoken"] == "t"


# The rest


def test_request_builds_without_sending(service, api, connect):
    document = api(go=Link("/x/", "post", fields=["a"]))
    client = connect(auth=TokenAuthentication("Token", "t"))
    request = client.request(document, ["do", "go"], {"a": 1})
    assert (request.method, request.url) == ("POST", service.url("/x/"))
    assert request.body == b'{"a":1}'
    assert request.headers["Authorization"] == "Token t"
    assert service.seen == []


def test_reload(service, api, connect):
    document = api()
    assert connect().reload(document) == document
    with pytest.raises(ValueError, match="without a URL"):
        connect().reload(Document())


class Canned:
    """A transport that is no network."""

    schemes = ("mem",)

    def send(self, request):
        return Response(200, body=[request.url.encode()], url=request.url)


def test_a_transport_is_one_method(connect):
    client = connect(transports=[Canned()], decoders=[TextCodec()])
    assert client.get("mem://host/path") == "mem://host/path"
    with pytest.raises(NetworkError, match="No transport serves 'http' URLs; available: mem"):
        client.get("http://x.org/")


@pytest.mark.parametrize("options", [{"decoders": []}, {"transports": []}])
def test_a_client_needs_decoders_and_transports(options):
    with pytest.raises(ValueError, match="at least one"):
        Client(**options)


def test_a_client_closes_its_connections(service):
    service.answer("/", {})
    with Client() as client:
        client.get(service.url())
        inner = client.transports[0]._client(service.url())
    assert inner.is_closed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"auth": "Token abc"}, r"auth must be such as TokenAuthentication\(...\), not str"),
        ({"retry": 3}, r"retry must be such as Retry\(total=3\), not int"),
        ({"version": 2}, "version must be such as 'v2' or .*, not int"),
        ({"decoders": ["json"]}, r"A decoder must be a codec: JSONCodec\(\), not str"),
        ({"decoders": [JSONCodec]}, "A decoder must be an object, not the class JSONCodec"),
        ({"transports": ["http"]}, r"A transport must be one with schemes and send\(\), not str"),
        ({"hooks": [print]}, r"A hook must be an object with before\(\) or after\(\), not builtin"),
    ],
)
def test_arguments_of_another_type_are_refused(options, message):
    with pytest.raises(TypeError, match=message):
        Client(**options)


def test_options_of_another_type_are_refused(connect):
    with pytest.raises(TypeError, match="retry must be such as"):
        connect().get("http://127.0.0.1:1/", retry=3)
    with pytest.raises(TypeError, match="headers must be such as"):
        connect().get("http://127.0.0.1:1/", headers="X: a")


def test_an_unknown_option_of_a_call_is_named(connect):
    with pytest.raises(TypeError, match="unknown option 'tiemout'; calls take timeout, headers"):
        connect().get("http://127.0.0.1:1/", tiemout=3)
