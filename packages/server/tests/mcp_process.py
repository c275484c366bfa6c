"""The applications of ``mcp_service.py`` for a server in a process of its own."""

import sys
from pathlib import Path

from django.conf import settings

sys.path.insert(0, str(Path(__file__).parent))
settings.configure(
    SECRET_KEY="tests",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="mcp_service",
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "lintel"],
    USE_TZ=True,
)

from django.core.asgi import get_asgi_application  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402

from lintel import serving  # noqa: E402

wsgi = get_wsgi_application()
asgi = get_asgi_application()
own_asgi = serving.get_asgi_application()
