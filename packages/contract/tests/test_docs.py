"""The examples of the page and of the README run; a comment behind an expression is its value."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[3]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.S | re.M)
EXAMPLES = BLOCK.findall((REPOSITORY / "docs" / "contract.md").read_text())
README = (REPOSITORY / "packages" / "contract" / "README.md").read_text()


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_of_the_page_has_the_value_that_it_shows(number: int) -> None:
    example = EXAMPLES[number]
    *statements, last = ast.parse(example).body
    assert isinstance(last, ast.Expr)
    names: dict[str, Any] = {}
    exec(compile(ast.Module(statements, []), "docs/contract.md", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "docs/contract.md", "eval"), names)
    assert value == ast.literal_eval(example.rpartition("  # ")[2].strip())


def test_the_example_of_the_readme_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = BLOCK.findall(README)
    exec(compile(example, "README.md", "exec"), {})
    shown = example.rpartition("  # ")[2].strip()
    assert capsys.readouterr().out.splitlines() == shown.split(", then ")
