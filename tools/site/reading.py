"""What the site changes in the pages of the repository, so that they are about the reader's work.

Pages on the site lack what only maintainers need, and show pictures in the scheme of the reader.
"""

import re

_MAINTAINERS = re.compile(
    r"^<!-- for maintainers -->\n.*?^<!-- end -->\n", re.MULTILINE | re.DOTALL
)
_PICTURE = re.compile(
    r'<picture>.*?srcset="([^"]+)".*?alt="([^"]*)" src="([^"]+)".*?</picture>', re.DOTALL
)
_LEDGER = re.compile(r"^\| (?:what \| why|<a id=|--- \| --- \| --- \| --- \| ---).*$", re.MULTILINE)

#: The columns of the table of differences that readers see: what, why, and the setting.
COLUMNS = 3


def for_readers(text: str) -> str:
    text = _MAINTAINERS.sub("", text)
    text = _LEDGER.sub(_narrowed, text)
    return _PICTURE.sub(_images, text)


def _narrowed(row: re.Match[str]) -> str:
    cells = row[0].strip("| ").split(" | ")
    return f"| {' | '.join(cells[:COLUMNS])} |"


def _images(picture: re.Match[str]) -> str:
    """Two images, of which the theme shows one; the switch of the site decides, not the system."""
    dark, text, light = picture.groups()
    made = (
        f"```{{image}} {place}\n:class: only-{scheme}\n:alt: {text}\n```"
        for scheme, place in (("light", light), ("dark", dark))
    )
    return "\n\n".join(made)
