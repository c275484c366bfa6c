"""Views for load balancers and orchestrators: 200 or 503, as JSON.

They are plain views of Django: no authentication, no permissions, no throttles, no schema.
"""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from lintel.health.asking import Result, rounds
from lintel.health.draining import is_draining
from lintel.health.operators import is_operator

#: Seconds after which a client may ask again.
RETRY_AFTER = 1


@require_safe
def live(request: HttpRequest) -> JsonResponse:
    """200 as long as this process answers: restart it if not."""
    return _answer(True, "alive")


@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """200 if all checks pass and the service is not about to stop: send requests here."""
    if is_draining():
        return _answer(False, "draining")
    results = rounds.results()
    passed = all(result.passed for result in results)
    return _answer(passed, "ready" if passed else "unavailable", _details(request, results))


@require_safe
def started(request: HttpRequest) -> JsonResponse:
    """200 once all checks have passed in this process: ask the other two only after it."""
    if not _start.passed:
        _start.passed = all(result.passed for result in rounds.results())
    return _answer(_start.passed, "started" if _start.passed else "starting")


class _Start:
    passed = False


_start = _Start()


def _answer(passed: bool, status: str, details: dict[str, object] | None = None) -> JsonResponse:
    response = JsonResponse({"status": status, **(details or {})}, status=200 if passed else 503)
    response["Cache-Control"] = "no-store"
    if not passed:
        response["Retry-After"] = str(RETRY_AFTER)
    return response


def _details(request: HttpRequest, results: list[Result]) -> dict[str, object] | None:
    """What each check said, for addresses in HEALTH_OPERATORS."""
    if not is_operator(request):
        return None
    return {"checks": {result.name: _detail(result) for result in results}}


def _detail(result: Result) -> dict[str, object]:
    detail: dict[str, object] = {"status": "passed" if result.passed else "failed"}
    if result.error:
        detail["error"] = result.error
    return {**detail, "seconds": round(result.seconds, 3)}
