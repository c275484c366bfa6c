import base64
import json

import pytest


def shown(lintel, *options):
    return json.loads(lintel("credentials", "show", *options).output)


def test_credentials_are_kept_and_hidden(lintel):
    assert lintel("credentials", "add", "x.org", "Token s3cret").status == 0
    assert lintel("credentials", "add", "y.org:8000", "s3cret").status == 0
    assert shown(lintel) == [
        {"domain": "x.org", "credentials": "Token ***"},
        {"domain": "y.org:8000", "credentials": "***"},
    ]
    assert shown(lintel, "--reveal")[0]["credentials"] == "Token s3cret"


def test_a_domain_has_one_credential(lintel):
    lintel("credentials", "add", "x.org", "Token a")
    lintel("credentials", "add", "x.org", "Token b")
    assert shown(lintel, "--reveal") == [{"domain": "x.org", "credentials": "Token b"}]


def test_basic_credentials_are_encoded(lintel):
    assert lintel("credentials", "add", "x.org", "jürgen:pä:ss", "--auth", "basic").status == 0
    value = shown(lintel, "--reveal")[0]["credentials"]
    assert base64.b64decode(value.removeprefix("Basic ")).decode() == "jürgen:pä:ss"


def test_secrets_can_come_from_standard_input(lintel):
    lintel("credentials", "add", "x.org", "-", stdin="Token s3cret\n")
    assert shown(lintel, "--reveal")[0]["credentials"] == "Token s3cret"


@pytest.mark.parametrize(
    "arguments",
    [
        ["http://x.org/", "Token a"],
        ["*x.org", "Token a"],
        ["x.org", "a\nb"],
        ["x.org", ""],
        ["x.org", "no-colon", "--auth", "basic"],
        ["x.org", "a:b", "--auth", "digest"],
        ["x.org"],
    ],
)
def test_wrong_usage(lintel, arguments):
    outcome = lintel("credentials", "add", *arguments)
    assert outcome.status == 2
    assert shown(lintel) == []


def test_credentials_are_removed(lintel):
    lintel("credentials", "add", "x.org", "Token a")
    assert lintel("credentials", "remove", "y.org").status == 2
    assert lintel("credentials", "remove", "x.org").status == 0
    assert shown(lintel) == []
