"""A service with health views for a server: ``lintel.serving`` and nothing that needs tables."""

import sys
import time
from pathlib import Path

from django.conf import settings

sys.path.insert(0, str(Path(__file__).parent))
settings.configure(
    SECRET_KEY="tests",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="health_service",
    WSGI_APPLICATION="health_service.application",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=["lintel"],
    REST_FRAMEWORK={"HEALTH_CHECKS": ["lintel.health.databases"]},
    USE_TZ=True,
)

from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.urls import include, path  # noqa: E402

from lintel.serving import get_wsgi_application  # noqa: E402


def slow(request: HttpRequest) -> HttpResponse:
    time.sleep(0.02)
    return HttpResponse("done")


urlpatterns = [path("health/", include("lintel.health.urls")), path("slow/", slow)]
application = get_wsgi_application()
