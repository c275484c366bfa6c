"""A person at a browser, who signs in: opens pages, fills in their forms, follows redirects.

``python browser.py URL`` allows what the page at URL asks for.
"""

import html
import re
import sys
from urllib.parse import urlsplit

import httpx2

HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)"[^>]*value="([^"]*)"')


def allow(url: str, button: str = "allow") -> None:
    """Answer the question at a URL, and go back to the program that asks; "" is a refusal."""
    with httpx2.Client() as client:
        page = client.get(url)
        chosen = {button: "Authorize"} if button else {}
        answer = client.post(url, data={**_hidden(page), **chosen})
        httpx2.get(answer.headers["Location"])


def enter(server: str, code: str, action: str = "accept") -> None:
    """Enter the code of a device at a server, and accept or deny."""
    with httpx2.Client(follow_redirects=True) as client:
        page = client.get(f"{server}/o/device/")
        page = client.post(page.url, data={**_hidden(page), "user_code": code})
        client.post(page.url, data={**_hidden(page), "action": action}).raise_for_status()


def _hidden(page: httpx2.Response) -> dict[str, str]:
    page.raise_for_status()
    return {name: html.unescape(value) for name, value in HIDDEN.findall(page.text)}


if __name__ == "__main__":
    if not urlsplit(sys.argv[1]).path.startswith("/o/"):
        raise SystemExit("This is no page of the authorization server")
    allow(sys.argv[1])
