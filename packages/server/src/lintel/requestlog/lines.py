"""Log records as lines of JSON, with the id of their request."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from lintel.problems.bodies import REQUEST_ID
from lintel.requestlog.identity import current_request_id

#: The attribute of a record that holds further members of its line.
MEMBERS = "lintel_members"

#: How much of a text is written: nobody reads more, and a line should stay one packet.
MAX_TEXT = 8_000


class JSONFormatter(logging.Formatter):
    """Writes a record as one line: time, level, logger, message, request_id, exception."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage()[:MAX_TEXT],
        }
        request_id = current_request_id() or _of_request(record)
        if request_id:
            line["request_id"] = request_id
        line.update(getattr(record, MEMBERS, {}))
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)[-MAX_TEXT:]
        return json.dumps(line, default=str)


def _of_request(record: logging.LogRecord) -> str:
    """Return the id of the request that a record of Django is about, once it has been answered."""
    meta = getattr(getattr(record, "request", None), "META", {})
    return str(meta.get(REQUEST_ID, ""))


def json_logging(level: str = "INFO") -> dict[str, Any]:
    """Return a value for Django's LOGGING: everything from a level on, as JSON on stderr."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "lintel.requestlog.JSONFormatter"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level},
        # Django's own handlers would write the same a second time, or send mail.
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
        },
    }
