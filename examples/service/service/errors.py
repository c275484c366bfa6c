"""URLs without a view respond like those with one."""

from typing import Any

from lintel.exceptions import NotFound
from lintel.request import Request
from lintel.views import APIView


class Missing(APIView):
    """404 in the format that the caller accepts, whatever the method."""

    authentication_classes = []
    permission_classes = []
    throttle_classes = []
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise NotFound


not_found = Missing.as_view()
