"""Every example of docs/client.md runs against the example service and prints what is shown."""

import contextlib
import io
import re

import pytest
from service_process import PASSWORD, REPOSITORY, Service

from lintel_client import Client
from lintel_client.stubs import python_models

pytestmark = pytest.mark.xdist_group("service")

PAGE = (REPOSITORY / "docs" / "client.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.S | re.M)
PRINTED = re.compile(r"^\s*print\(.*\)  # (.+)$", re.M)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs(service: Service, number: int, tmp_path, monkeypatch) -> None:
    example = EXAMPLES[number].replace("127.0.0.1:8000", service.address)
    example = example.replace('"password": "..."', f'"password": "{PASSWORD}"')
    monkeypatch.chdir(tmp_path)
    if "from api import" in example:
        with Client() as client:
            described = client.get(f"http://{service.address}/rides/schema/3.2/")
        (tmp_path / "api.py").write_text(python_models(described))
        monkeypatch.syspath_prepend(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(example, f"docs/client.md, example {number}", "exec"), {"__name__": "example"})
    lines = printed.getvalue().splitlines()
    for expected in PRINTED.findall(example):
        assert expected in lines
