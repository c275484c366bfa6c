"""The answer of every shortcut that does not apply."""

from enum import Enum
from typing import Literal


class _Answer(Enum):
    PLAIN = "plain"


#: "Do it yourself": only the plain way knows.
PLAIN = _Answer.PLAIN

Plain = Literal[_Answer.PLAIN]
