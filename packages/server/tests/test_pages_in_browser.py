"""Pages as a browser shows them."""

import re
import subprocess
import tempfile

import pytest
from contract_project.models import Badge
from django.urls import path

from lintel import generics, renderers, serializers
from lintel.test import APIClient

CHROMIUM = [
    *(
        "chromium",
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
    ),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


class BadgeSerializer(serializers.ModelSerializer):
    class Meta:
        model = Badge
        fields = ["code", "zone"]


class Detail(generics.RetrieveUpdateDestroyAPIView):
    queryset = Badge.objects.all()
    serializer_class = BadgeSerializer
    renderer_classes = [renderers.BrowsableAPIRenderer, renderers.JSONRenderer]


urlpatterns = [path("badges/<int:pk>/", Detail.as_view())]


def shown(url):
    """The page as it stands after its scripts have run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*CHROMIUM, f"--user-data-dir={folder}", "--dump-dom", url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def forms(page):
    """The method of each form that a script has to send, and whether it is hidden."""
    found = re.findall(r"<form[^>]*data-method[^>]*>", page)
    return {re.search('data-method="([A-Z]+)"', each)[1]: " hidden" in each for each in found}


@pytest.mark.urls(__name__)
def test_forms_that_need_the_script_are_there_with_the_script_alone(live_server, transactional_db):
    badge = Badge.objects.create(code="a")
    url = f"{live_server.url}/badges/{badge.pk}/"
    assert forms(shown(url)) == {"OPTIONS": False, "DELETE": False, "PUT": False}
    served = APIClient().get(f"/badges/{badge.pk}/", HTTP_ACCEPT="text/html").content.decode()
    assert forms(served) == {"OPTIONS": True, "DELETE": True, "PUT": True}
