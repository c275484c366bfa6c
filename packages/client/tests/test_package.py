"""The public interface of the package: its names and their documentation."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import lintel_client

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "client.md"


@pytest.mark.parametrize("name", lintel_client.__all__)
def test_every_public_name_exists_and_is_documented(name):
    assert getattr(lintel_client, name)
    assert name in dir(lintel_client)
    assert re.search(rf"`{name}\b", PAGE.read_text()), f"docs/client.md does not describe {name}"


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="nothing"):
        getattr(lintel_client, "nothing")  # noqa: B009 (the point is the lookup)


def test_one_version():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert lintel_client.__version__ == project["project"]["version"]
    assert lintel_client.__version__ == version("lintel-client")


def test_the_example_without_a_server_runs():
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    offline = [example for example in examples if "Canned" in example]
    assert len(offline) == 1
    done = subprocess.run([sys.executable, "-c", offline[0]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
