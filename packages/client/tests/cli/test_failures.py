"""How errors are reported to people, through the commands that cause them."""

import json

import pytest


def test_field_errors_are_listed(lintel, snippets, service):
    service.answer("/s/", {"code": ["Blank."], "tags": {"0": ["Odd."]}}, status=400)
    outcome = lintel("action", "snippets", "create", "-s", "code=")
    assert outcome.status == 1
    assert outcome.output == ""
    assert outcome.errors == "Error: 400 Bad Request\n    code: Blank.\n    tags: 0: Odd.\n"


def test_401_tells_how_to_authenticate(lintel, snippets, service):
    service.answer("/s/", {"detail": "Who?"}, status=401, WWW_Authenticate='Basic realm="api"')
    outcome = lintel("action", "snippets", "list")
    assert outcome.status == 1
    assert outcome.errors == (
        'Error: 401 Unauthorized\n    WWW-Authenticate: Basic realm="api"\n    detail: Who?\n'
    )


@pytest.mark.parametrize(
    ("stored", "advice"),
    [
        (["credentials", "add", "127.0.0.1", "Token old"], "sign in again with lintel login, or"),
        ([], ""),
    ],
)
def test_401_tells_which_credentials_were_refused(lintel, snippets, service, stored, advice):
    assert not stored or lintel(*stored).status == 0
    service.answer("/s/", {"detail": "Expired."}, status=401)
    errors = lintel("action", "snippets", "list").errors
    assert ("The stored credentials for 127.0.0.1 were refused" in errors) == bool(stored)
    assert advice in errors
    assert "old" not in errors
    own = lintel("action", "snippets", "list", "-H", "Authorization: Token mine").errors
    assert "stored credentials" not in own
    assert "refused" not in lintel("action", "snippets", "list", "--no-auth").errors


def test_401_tells_that_a_key_was_refused(lintel, snippets, service, tmp_path):
    about = {"type": "apiKey", "in": "header", "name": "X-Key"}
    description = {
        "openapi": "3.1.0",
        "info": {"title": "Keys", "version": "1"},
        "servers": [{"url": service.url()}],
        "components": {"securitySchemes": {"key": about}},
        "security": [{"key": []}],
        "paths": {"/s/": {"get": {"operationId": "read", "responses": {}}}},
    }
    (tmp_path / "api.json").write_text(json.dumps(description))
    assert lintel("load", str(tmp_path / "api.json"), "--url", service.url()).status == 0
    assert lintel("credentials", "add", "127.0.0.1", "k-1", "--security", "key").status == 0
    service.answer("/s/", {"detail": "Expired."}, status=401)
    errors = lintel("action", "read").errors
    assert service.last.headers["x-key"] == "k-1"
    assert f"The credentials for 127.0.0.1:{service.port} were refused" in errors


def test_429_tells_when_to_come_back(lintel, snippets, service):
    service.answer("/s/", {"detail": "Slow down."}, status=429, Retry_After="7")
    assert "Retry-After: 7 seconds" in lintel("action", "snippets", "list").errors


def test_the_id_of_the_request_leads_to_the_log_of_the_service(lintel, snippets, service):
    service.answer("/s/", {"detail": "No."}, status=500, X_Request_ID="r-1")
    expected = "Error: 500 Internal Server Error\n    detail: No.\n    request_id: r-1\n"
    assert lintel("action", "snippets", "list").errors == expected
    problem = {"title": "Conflict", "status": 409, "detail": "Gone.", "request_id": "r-1"}
    kind = "application/problem+json"
    service.answer("/s/", problem, status=409, X_Request_ID="r-1", content_type=kind)
    assert lintel("action", "snippets", "list").errors.count("r-1") == 1


@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_all_refusals_exit_with_1(lintel, snippets, service, status):
    service.answer("/s/", {"detail": "No."}, status=status)
    outcome = lintel("action", "snippets", "list")
    assert (outcome.status, outcome.output) == (1, "")
    assert str(status) in outcome.errors
    assert "detail: No." in outcome.errors


def test_error_pages_are_cut(lintel, snippets, service):
    service.answer("/s/", "x" * 5000, status=500, content_type="text/plain")
    outcome = lintel("action", "snippets", "list")
    assert "more characters)" in outcome.errors
    assert len(outcome.errors) < 2200


def test_error_documents_with_a_title_name_the_status(lintel, snippets, service):
    body = '{"_type": "error", "_meta": {"title": "Sorry"}, "a": ["b"]}'
    service.answer("/s/", body, status=400, content_type="application/coreapi+json")
    assert lintel("action", "snippets", "list").errors == (
        "Error: 400 Bad Request Sorry\n    a: b\n"
    )


def test_unknown_keys_name_near_misses(lintel, snippets, service):
    before = len(service.seen)
    outcome = lintel("action", "snippets", "lst")
    assert outcome.status == 2
    assert outcome.errors == "Error: 'snippets' has no key 'lst'. Did you mean list?\n"
    assert len(service.seen) == before


def test_parameter_errors_are_listed(lintel, snippets, service):
    before = len(service.seen)
    outcome = lintel("action", "snippets", "create", "-p", "langage=el")
    assert outcome.status == 2
    assert outcome.errors == (
        "Error: Some parameters are missing or wrong:\n"
        "    langage: Unknown parameter. Did you mean language?\n"
        "    code: This parameter is required.\n"
    )
    assert len(service.seen) == before


@pytest.mark.parametrize("body", ["{broken", "NaN"])
def test_answers_that_cannot_be_read(lintel, snippets, service, body):
    service.answer("/s/", body)
    outcome = lintel("action", "snippets", "list")
    assert outcome.status == 3
    assert "Malformed JSON" in outcome.errors


@pytest.mark.parametrize("depth", [500, 900, 950, 970, 980, 990])
def test_answers_that_are_almost_too_deep(lintel, snippets, service, depth):
    """The limit depends on the Python version; beyond it there is a message, not a crash."""
    service.answer("/s/", "[" * depth + "]" * depth)
    outcome = lintel("action", "snippets", "list")
    assert outcome.status == (3 if "nested too deeply" in outcome.errors else 0)


def test_answers_that_are_too_deep(lintel, snippets, service):
    service.answer("/s/", "[" * 200_000 + "]" * 200_000)
    outcome = lintel("action", "snippets", "list")
    assert outcome.status == 3
    assert "nested too deeply" in outcome.errors
