"""The public interface of the package: names, documentation, and forbidden imports."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import lintel_document

README = Path(__file__).parents[1] / "README.md"
PAGE = Path(__file__).parents[3] / "docs" / "document.md"


def test_every_public_name_exists_and_is_documented():
    page = PAGE.read_text()
    for name in lintel_document.__all__:
        assert hasattr(lintel_document, name)
        assert re.search(rf"`{name}\b", page), f"docs/document.md does not describe {name}"


def test_every_schema_type_is_documented():
    page = PAGE.read_text()
    for name in lintel_document.schemas.__all__:
        assert f"schemas.{name}`" in page, f"docs/document.md does not describe schemas.{name}"


def test_it_stands_alone():
    script = (
        "import sys, lintel_document\n"
        "print([m for m in sys.modules if m.split('.')[0] in "
        "('lintel', 'lintel_client', 'lintel_codecs', 'django', 'httpx2')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("page", [README, PAGE], ids=lambda page: page.name)
def test_the_examples_run(page):
    examples = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert examples
    for example in examples:
        done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    if "```json" in page.read_text():
        assert done.stdout in page.read_text()
