import gc
import socket
import threading

import pytest

from lintel_client.errors import NetworkError, RequestTimeout
from lintel_client.headers import Headers
from lintel_client.messages import Request
from lintel_client.transports import HTTPTransport, Transport


@pytest.fixture
def open_transport():
    opened = []

    def _open(*arguments, **options):
        opened.append(HTTPTransport(*arguments, **options))
        return opened[-1]

    yield _open
    for transport in opened:
        transport.close()


def send(transport, url, method="GET", headers=(), body=None, home=""):
    return transport.send(Request(method, url, Headers(headers), body, home))


def test_a_request_arrives_as_it_is(service, open_transport):
    service.answer("/a", {"ok": True}, X_Reply="yes")
    url = service.url("/a?q=%2F&r=a%20b")
    response = send(open_transport(), url, "PUT", {"X-A": "é"}, "ü".encode())
    assert (response.status, response.reason, response.url) == (200, "OK", url)
    assert response.headers["x-reply"] == "yes"
    assert response.read(100) == b'{"ok": true}'
    seen = service.last
    assert (seen.method, seen.path, seen.body) == ("PUT", "/a?q=%2F&r=a%20b", "ü".encode())
    assert seen.headers["x-a"].encode("latin-1").decode() == "é"


def test_redirects_and_errors_are_answers(service, open_transport):
    service.redirect("/r", "/elsewhere")
    assert send(open_transport(), service.url("/r")).status == 302
    assert send(open_transport(), service.url("/missing")).status == 404
    assert [seen.path for seen in service.seen] == ["/r", "/missing"]


def test_credentials_go_to_their_domain_alone(service, open_transport):
    service.answer("/", {})
    transport = open_transport({"127.0.0.1": "Token a", "other.example": "Token b"})
    send(transport, service.url())
    assert service.last.headers["authorization"] == "Token a"
    send(transport, service.url(host="localhost"))
    assert "authorization" not in service.last.headers


def test_a_port_narrows_a_domain(service, open_transport):
    service.answer("/", {})
    send(open_transport({f"127.0.0.1:{service.port}": "Token a"}), service.url())
    assert service.last.headers["authorization"] == "Token a"
    send(open_transport({"127.0.0.1:1": "Token a"}), service.url())
    assert "authorization" not in service.last.headers


@pytest.mark.parametrize("ordered", [list, reversed])
def test_the_most_precise_domain_decides(ordered):
    credentials = {
        "*": "Token all",
        "*.x.org": "Token below",
        "*.a.x.org": "Token near",
        "a.x.org": "Token host",
        "a.x.org:8000": "Token port",
    }
    headers = {domain: {"X-Key": value} for domain, value in credentials.items()}
    ordered_credentials = dict(ordered(credentials.items()))
    transport = HTTPTransport(ordered_credentials, dict(ordered(headers.items())))
    found = {
        host: transport.prepared(Request("GET", f"http://{host}/")).headers
        for host in ("a.x.org:8000", "a.x.org", "b.a.x.org", "b.x.org", "y.org")
    }
    values = [sent.get_all("Authorization") for sent in found.values()]
    assert values == [
        ["Token port"],
        ["Token host"],
        ["Token near"],
        ["Token below"],
        ["Token all"],
    ]
    assert [sent.get_all("X-Key") for sent in found.values()] == values
    transport.close()


def test_credentials_of_a_transport_leave_those_of_a_call_to_other_hosts():
    request = Request("GET", "http://x.org/", Headers({"Authorization": "Token call"}))
    for credentials in ({"y.org": "Token a"}, {"*": "Token a"}, {"*.org": "Token a"}):
        transport = HTTPTransport(credentials)
        assert transport.prepared(request).headers.get_all("Authorization") == ["Token call"]
        transport.close()


def test_a_pattern_may_set_the_headers_that_every_request_has():
    transport = HTTPTransport(headers={"*": {"User-Agent": "mine"}})
    request = Request("GET", "http://x.org/", Headers({"User-Agent": "lintel"}))
    assert transport.prepared(request).headers.get_all("User-Agent") == ["mine"]
    transport.close()


def test_headers_are_bound_to_a_domain_or_to_the_call(service, open_transport):
    service.answer("/", {})
    transport = open_transport(headers={"localhost": {"X-Key": "k"}, "X-Call": "c"})
    send(transport, service.url(), home=service.url())
    assert "x-key" not in service.last.headers
    assert service.last.headers["x-call"] == "c"
    send(transport, service.url(host="localhost"), home=service.url())
    assert service.last.headers["x-key"] == "k"
    assert "x-call" not in service.last.headers


def test_a_header_of_the_call_wins_over_that_of_a_domain():
    transport = HTTPTransport(headers={"x.org": {"X-Tenant": "kept", "Accept": "text/csv"}})
    request = Request("GET", "http://x.org/", Headers([("Accept", "*/*"), ("x-tenant", "said")]))
    prepared = transport.prepared(request).headers
    assert (prepared.get_all("X-Tenant"), prepared["Accept"]) == (["said"], "text/csv")


def test_prepared_shows_what_will_be_sent():
    transport = HTTPTransport({"x.org": "Token a"})
    request = Request("GET", "http://x.org/")
    assert transport.prepared(request).headers["Authorization"] == "Token a"
    assert "Authorization" not in request.headers
    transport.close()


@pytest.mark.parametrize(
    "options",
    [
        {"credentials": {"http://x.org/": "a"}},
        {"credentials": {"x.org": "a\r\nb"}},
        {"headers": {"x.org": {"a b": "c"}}},
        {"headers": {"*x.org": {"A": "c"}}},
        {"headers": {"A": "b\nc"}},
    ],
)
def test_settings_that_are_not_valid(options):
    with pytest.raises(ValueError, match=r"not a domain|line break|header name"):
        HTTPTransport(**options)


def test_cookies_are_not_kept(service, open_transport):
    service.answer("/", {}, Set_Cookie="sessionid=1")
    transport = open_transport()
    send(transport, service.url()).read(10)
    send(transport, service.url())
    assert "cookie" not in service.last.headers


def test_a_refused_connection_is_a_network_error(open_transport):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(NetworkError, match=rf"http://127.0.0.1:{port} failed"):
        send(open_transport(), f"http://127.0.0.1:{port}/secret-path")


def test_a_silent_server_is_a_timeout(open_transport):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(RequestTimeout, match="did not answer in time"):
            send(open_transport(timeout=0.05), f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize(
    "answer", [b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"]
)
def test_broken_answers_are_network_errors(answer, open_transport):
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(NetworkError, match="failed"):
            send(open_transport(timeout=5), url).read(100)
        thread.join()


def test_a_proxy_is_used(service, open_transport):
    service.answer("http://api.example/a", {"from": "proxy"})
    transport = open_transport(proxy=service.url(""))
    assert send(transport, "http://api.example/a").read(100) == b'{"from": "proxy"}'


def test_the_environment_names_a_proxy_unless_it_is_not_trusted(
    service, open_transport, monkeypatch
):
    service.answer("http://api.invalid/a", {})
    monkeypatch.setenv("HTTP_PROXY", service.url(""))
    assert send(open_transport(), "http://api.invalid/a").status == 200
    with pytest.raises(NetworkError):
        send(open_transport(trust_env=False), "http://api.invalid/a")


def test_a_bad_proxy_is_named():
    with pytest.raises(NetworkError, match="proxy"):
        HTTPTransport(proxy="nonsense://x")


def test_a_bad_proxy_of_the_environment_is_a_network_error(service, open_transport, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "nonsense://x")
    with pytest.raises(NetworkError, match="not valid"):
        send(open_transport(), service.url())


def test_https_checks_certificates(service, open_transport):
    with pytest.raises(NetworkError):
        send(open_transport(), service.url().replace("http:", "https:"))


def test_dropping_a_transport_closes_it(service):
    service.answer("/", {})
    transport = HTTPTransport()
    send(transport, service.url()).read(10)
    client = transport._client(service.url())
    del transport
    gc.collect()
    assert client.is_closed


def test_it_fits_the_seam():
    transport = HTTPTransport()
    assert isinstance(transport, Transport)
    transport.close()
