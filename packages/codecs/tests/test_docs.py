"""The examples of the page run unchanged."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "codecs.md"


def test_the_examples_run():
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert examples
    for example in examples:
        done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
