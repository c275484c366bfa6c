"""A separate process for the views of ``async_views.py``: uvicorn on loopback, SQLite in a file.

    python async_service.py DATABASE SOCKET

listens on a socket (the number of an open file) after creating its tables, the user alice
and her token.
"""

import sys
from pathlib import Path

import django
import uvicorn
from django.conf import settings
from django.core.management import call_command

TOKEN = "0123456789abcdef"


def configure(database: str) -> None:
    settings.configure(
        SECRET_KEY="tests",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="async_views",
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "lintel",
            "lintel.authtoken",
            "contract_project",
        ],
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": database,
                "OPTIONS": {"timeout": 30, "transaction_mode": "IMMEDIATE"},
            }
        },
    )
    django.setup()


def fill() -> None:
    from django.contrib.auth.models import User

    from lintel.authtoken.models import Token

    call_command("migrate", run_syncdb=True, verbosity=0)
    Token.objects.create(key=TOKEN, user=User.objects.create_user("alice"))


def main(database: str, socket: int) -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    configure(database)
    fill()
    from django.core.asgi import get_asgi_application

    uvicorn.run(get_asgi_application(), fd=socket, log_level="warning", lifespan="off")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
