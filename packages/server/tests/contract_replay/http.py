"""HTTP cases: exchanges with the sample project, step by step."""

import json
import logging
import warnings
from pathlib import Path
from typing import Any

from django.http import HttpResponse
from django.test import Client

from contract_replay import isolation, target, values
from contract_replay.cases import Case, Suite, read

Facts = dict[str, Any]


def load(facts: Path) -> list[Case]:
    return [
        Case(recorded["id"], recorded["group"], recorded, boot_of(recorded))
        for recorded in read(facts / "http_cases.json")["cases"]
    ]


def boot_of(recorded: Facts) -> str:
    """The settings a case needs before import, with the name of the package filled in."""
    boot = recorded.get("boot_api_settings")
    return "" if boot is None else json.dumps(boot).replace("{pkg}", target.current.package)


def expected(case: Case) -> Any:
    return [values.plain(step["response"]) for step in requests_of(case)]


def requests_of(case: Case) -> list[Facts]:
    return [step for step in case.facts["steps"] if "response" in step]


def play(case: Case) -> Any:
    """Return the responses to the requests of a case, in the recorded form."""
    logging.disable(logging.CRITICAL)
    try:
        with isolation.fresh(case.facts), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return exchange(case.facts)
    finally:
        logging.disable(logging.NOTSET)


def exchange(facts: Facts) -> list[Facts]:
    client = Client(
        enforce_csrf_checks=facts.get("csrf_checks", False), raise_request_exception=False
    )
    responses: list[Facts] = []
    for step in facts["steps"]:
        if "action" in step:
            ACTIONS[step["action"]](client, step)
        else:
            path = followed(step, responses)
            responses.append(described(send(client, step, path), step["response"]))
    return responses


# ---- what a client does between requests ----


def login(client: Client, step: Facts) -> None:
    from django.contrib.auth.models import User

    user = User.objects.get(username=step["username"])
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")


def set_cookie(client: Client, step: Facts) -> None:
    client.cookies[step["name"]] = step["value"]


def advance_clock(client: Client, step: Facts) -> None:
    from contract_project import clock

    clock.advance(step["seconds"])


ACTIONS = {
    "login": login,
    "logout": lambda client, step: client.logout(),
    "cookie": set_cookie,
    "advance_clock": advance_clock,
}


# ---- requests ----


def followed(step: Facts, responses: list[Facts]) -> str:
    """Return the path of a request: its own, or a link in the previous body."""
    if "follow" not in step:
        return values.decode(step["path"])
    url = responses[-1]["json"][step["follow"]]
    return url.removeprefix("http://testserver")


def send(client: Client, step: Facts, path: str) -> HttpResponse:
    headers = {name: values.decode(value) for name, value in step.get("headers", {}).items()}
    content_type = headers.pop("Content-Type", "")
    environ = dict(step.get("environ", {}))
    if content_type:
        environ["CONTENT_TYPE"] = content_type  # the test client drops it from an empty body
    body = body_of(step)
    return client.generic(step["method"], path, body, content_type, headers=headers, **environ)


def body_of(step: Facts) -> bytes:
    if "body_hex" in step:
        return bytes.fromhex(step["body_hex"])
    return (values.decode(step.get("body")) or "").encode()


# ---- responses ----


def described(response: HttpResponse, recorded: Facts) -> Facts:
    """Return a response as it would be recorded; `recorded` decides which kind of body."""
    out: Facts = {"status": response.status_code, "headers": tracked(response)}
    if response.cookies:
        out["cookies"] = sorted(response.cookies)
    return out | described_body(response, recorded)


def tracked(response: HttpResponse) -> dict[str, str]:
    names = read(target.current.facts / "http_cases.json")["tracked_headers"]
    return {name: response.headers[name] for name in names if name in response.headers}


def described_body(response: HttpResponse, recorded: Facts) -> Facts:
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if "html" in recorded and response.headers.get("Content-Type", "").startswith("text/html"):
        return {"html": True}
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return {"body_hex": content.hex()}
    if "json" in recorded:
        return described_json(text)
    return {"text": text} if "body_hex" not in recorded else {"body_hex": content.hex()}


def described_json(text: str) -> Facts:
    """Return the value of a JSON text, and the text as well if it is not compact."""
    try:
        value = json.loads(text)
    except ValueError:
        return {"text": text}
    compact = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return {"json": value} if text == compact else {"json": value, "text": text}


def relax(responses: Any) -> Any:
    """Return responses without parts that are not compared: the order of methods in `Allow`."""
    return [{**response, "headers": sorted_allow(response["headers"])} for response in responses]


def sorted_allow(headers: dict[str, str]) -> dict[str, Any]:
    if "Allow" not in headers:
        return headers
    return {**headers, "Allow": sorted(headers["Allow"].split(", "))}


SUITE = Suite("http_cases", load, expected, play, relax)
