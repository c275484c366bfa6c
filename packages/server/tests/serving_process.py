"""The applications of ``lintel.serving`` for a server: ``serving_service.py`` with middleware."""

import sys
from pathlib import Path

from django.conf import settings

sys.path.insert(0, str(Path(__file__).parent))
settings.configure(
    SECRET_KEY="tests",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="serving_service",
    MIDDLEWARE=["serving_service.Hooks", "django.middleware.common.CommonMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "lintel"],
    USE_TZ=True,
)

from lintel.serving import get_asgi_application, get_wsgi_application  # noqa: E402

wsgi = get_wsgi_application()
asgi = get_asgi_application()
