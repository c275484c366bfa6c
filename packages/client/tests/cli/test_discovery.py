"""The description of an API is found from its host."""

import pytest

from lintel_document import Document, Link

DESCRIPTION = {
    "openapi": "3.1.0",
    "info": {"title": "Found", "version": "1"},
    "paths": {"/x/": {"get": {"operationId": "x"}}},
}
CATALOG = "/.well-known/api-catalog"
LINKSET = "application/linkset+json"


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """As long as a busy machine takes: only some tests are about the time."""
    monkeypatch.setattr("lintel_client.cli.discovering.SECONDS", 60.0)


@pytest.fixture
def hurried(patient, monkeypatch):
    monkeypatch.setattr("lintel_client.cli.discovering.SECONDS", 1.0)


@pytest.fixture
def page(service):
    """A host whose root is a page for people."""
    service.answer("/", "<!doctype html><title>Hello</title>", content_type="text/html")
    return service


def catalog(service, *targets):
    descriptions = [{"href": target} for target in targets]
    linkset = {"linkset": [{"anchor": service.url(), "service-desc": descriptions}]}
    service.answer(CATALOG, linkset, content_type=LINKSET)


def paths(service):
    return [seen.path for seen in service.seen]


def test_a_description_itself_is_taken_without_another_request(service, lintel):
    service.answer("/", Document(service.url(), "Here", content={"x": Link("/x/")}))
    outcome = lintel("get", service.url())
    assert (outcome.status, outcome.errors, paths(service)) == (0, "", ["/"])


def test_the_link_header_of_a_page(service, lintel):
    link = '</about>; rel="service-doc", <../desc>; rel="alternate service-desc"'
    service.answer("/app/", "Hello", content_type="text/html", Link=link)
    service.answer("/desc", DESCRIPTION)
    outcome = lintel("get", service.url("/app/"))
    assert outcome.output.startswith("<Found")
    assert f"Found by the Link header of the page: {service.url('/desc')}" in outcome.errors
    assert paths(service) == ["/app/", "/desc"]
    assert lintel("show").output.startswith("<Found")


def test_the_catalog_of_the_host(page, lintel):
    catalog(page, "/gone", "/desc")
    page.answer("/desc", DESCRIPTION)
    outcome = lintel("get", page.url())
    assert f"Found by the catalog {page.url(CATALOG)}: {page.url('/desc')}" in outcome.errors
    assert paths(page) == ["/", CATALOG, "/gone", "/desc"]


@pytest.mark.parametrize("path", ["/openapi.json", "/api/schema/", "/swagger.json"])
def test_the_usual_paths(page, lintel, path):
    page.answer(path, DESCRIPTION)
    outcome = lintel("get", page.url(""))
    assert outcome.output.startswith("<Found")
    assert f"Found by its usual path: {page.url(path)}" in outcome.errors


@pytest.mark.parametrize("status", [401, 404])
def test_a_root_that_refuses_still_has_a_description(service, lintel, status):
    service.answer("/", {"detail": "No."}, status=status)
    assert lintel("get", service.url()).status == 1
    service.answer("/openapi.json", DESCRIPTION)
    assert lintel("get", service.url()).output.startswith("<Found")


def test_damaged_catalogs_name_nothing(page, lintel):
    page.answer("/openapi.json", DESCRIPTION)
    for linkset in ([], {"linkset": 1}, {"linkset": [1, {"service-desc": {}}]}, "x"):
        page.answer(CATALOG, linkset, content_type=LINKSET)
        assert lintel("get", page.url()).output.startswith("<Found")


def test_another_host_is_named_and_not_asked(page, lintel):
    other = page.url("/desc", host="localhost")
    page.answer("/desc", DESCRIPTION)
    catalog(page, other)
    outcome = lintel("get", page.url(), "-H", "X-Key: secret")
    assert outcome.status == 2
    assert f"names a description on another host: lintel get {other}" in outcome.errors
    assert "/desc" not in paths(page)


@pytest.mark.parametrize("path", [CATALOG, "/openapi.json", "/desc"])
def test_redirects_to_other_hosts_are_not_followed(page, lintel, path):
    if path == "/desc":
        catalog(page, "/desc")
    page.answer("/elsewhere", DESCRIPTION)
    page.redirect(path, page.url("/elsewhere", host="localhost"))
    outcome = lintel("get", page.url())
    assert "did not return an API description" in outcome.errors
    assert "/elsewhere" not in paths(page)
    page.redirect(path, "/elsewhere")
    if path != CATALOG:
        assert lintel("get", page.url()).output.startswith("<Found")


def test_a_host_that_leads_to_another_one_is_searched_there(page, lintel):
    www = page.url("/", host="localhost")
    for path in ("/", "/openapi.json"):
        page.mishaps[path] = [lambda handler, path=path: handler.fail(301, Location=www + path[1:])]
    page.answer("/openapi.json", DESCRIPTION)
    outcome = lintel("get", page.url())
    assert outcome.output.startswith("<Found")
    assert f"Found by its usual path: {www}openapi.json" in outcome.errors


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "javascript:alert(1)", "ftp://x.example/"]
)
def test_only_urls_of_the_web_are_named(page, lintel, target):
    catalog(page, target)
    outcome = lintel("get", page.url())
    assert outcome.status == 0
    assert target not in outcome.errors


def test_a_page_without_a_description_is_printed(page, lintel):
    outcome = lintel("get", page.url())
    assert "Hello" in outcome.output
    assert "did not return an API description" in outcome.errors
    page.seen.clear()
    assert lintel("get", page.url(), "--format", "text").status == 0
    page.answer("/news/", {"a": 1})
    assert lintel("get", page.url("/news/")).status == 0
    assert paths(page) == ["/", "/news/"]


def test_a_slow_host_is_not_asked_for_long(page, hurried, lintel):
    def slow(handler):
        page.over.wait(0.4)
        return handler.fail(404)

    for path in (CATALOG, "/openapi.json", "/schema/", "/api/schema/", "/openapi.yaml"):
        page.mishaps[path] = [slow]
    outcome = lintel("get", page.url())
    assert "took longer than 1 s" in outcome.errors
    assert "/swagger.json" not in paths(page)


def test_a_host_that_sends_byte_by_byte_is_not_waited_for(page, hurried, lintel):
    def trickles(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/linkset+json")
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        for _ in range(60):
            handler.wfile.write(b" ")
            if page.over.wait(0.3):
                break
        return handler.drop()

    page.mishaps[CATALOG] = [trickles]
    outcome = lintel("get", page.url())
    page.over.set()
    assert "took longer than 1 s" in outcome.errors
    assert paths(page) == ["/", CATALOG]


def test_a_catalog_of_thousands_is_not_tried_to_its_end(page, lintel):
    page.answer("/desc", DESCRIPTION)
    catalog(page, *["/gone"] * 100, "/desc")
    assert lintel("get", page.url()).output.startswith("<Found")
    page.seen.clear()
    catalog(page, *[f"/gone/{number}" for number in range(3000)])
    outcome = lintel("get", page.url())
    assert f"{page.url(CATALOG)} names 3000 descriptions; 16 were tried" in outcome.errors
    assert len([path for path in paths(page) if path.startswith("/gone/")]) == 16


@pytest.mark.parametrize("target", ["\ud800", "//[", "http://127.0.0.1:99999/", "http://u:p@x/"])
def test_catalogs_with_urls_that_are_none(page, lintel, target):
    page.answer("/openapi.json", DESCRIPTION)
    catalog(page, target)
    assert lintel("get", page.url()).output.startswith("<Found")
