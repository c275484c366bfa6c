"""One line of JSON for each request, and an id that leads from an answer to its line.

MIDDLEWARE = ["lintel.requestlog.RequestLogMiddleware", ...]
LOGGING = lintel.requestlog.json_logging()
"""

from lintel.patches import carry_on_patches
from lintel.requestlog.identity import bound as bound
from lintel.requestlog.identity import current_request_id as current_request_id
from lintel.requestlog.lines import JSONFormatter as JSONFormatter
from lintel.requestlog.lines import json_logging as json_logging
from lintel.requestlog.middleware import RequestLogMiddleware as RequestLogMiddleware

carry_on_patches(__name__)
