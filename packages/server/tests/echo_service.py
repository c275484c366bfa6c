"""A view that sends back what it gets, for servers in a process of their own."""

from typing import Any

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path

settings.configure(
    SECRET_KEY="tests",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    DATA_UPLOAD_MAX_MEMORY_SIZE=1000,
    REST_FRAMEWORK={"UNAUTHENTICATED_USER": None},
)
django.setup()

from lintel.renderers import JSONRenderer  # noqa: E402  after the settings
from lintel.response import Response  # noqa: E402
from lintel.views import APIView  # noqa: E402


class Echo(APIView):
    authentication_classes: list[Any] = []
    renderer_classes = [JSONRenderer]

    def post(self, request: Any) -> Response:
        files = {name: each.read().decode() for name, each in request.FILES.items()}
        data = {name: str(value) for name, value in request.data.items() if name not in files}
        return Response({"data": data, "files": files, "seen": dict(request._request.POST.items())})

    put = patch = delete = post


urlpatterns = [path("", Echo.as_view())]
application = get_wsgi_application()
