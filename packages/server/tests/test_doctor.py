"""``python -m lintel doctor``."""

import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lintel import doctor
from lintel.doctor.comparing import differences
from lintel.doctor.recordings import recorded_requests
from lintel.doctor.settings_files import enables

SETTINGS = """
SECRET_KEY = "x" * 60
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ROOT_URLCONF = "shop.urls"
REST_FRAMEWORK = {"DEFAULT_PAGINATION_CLASS": None}
"""

URLS = """
from rest_framework import routers, serializers
from rest_framework.viewsets import ModelViewSet

urlpatterns = []
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for name, text in {"__init__": "", "settings": SETTINGS, "urls": URLS}.items():
        path = tmp_path / "shop" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def consult(folder: Path, *options: str, command: str = "doctor") -> tuple[int, str]:
    chosen = [] if "--settings" in options else ["--settings", "shop.settings"]
    places = [os.environ.get("PYTHONPATH", ""), str(folder / "installed")]
    ended = subprocess.run(
        [sys.executable, "-m", "lintel", command, *chosen, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


def test_a_sound_project_may_move(shop: Path) -> None:
    status, report = consult(shop)
    assert status == 0, report
    assert "[ok] Django starts with lintel in place of djangorestframework" in report
    assert "[??] still to do: " in report
    assert "from lintel import dropin; dropin.enable()" in report
    assert "[ok] this project imports 3 names of rest_framework: lintel has all of them" in report
    assert "[??] drf-nested-routers" in report
    assert "     rest_framework.compat.patterns" in report
    assert re.search(r"\[ok\] djangorestframework_simplejwt .* lintel has all of them", report)
    assert "No obstacles found." in report
    assert (
        "[??] the project could not be tried without lintel: djangorestframework is not" in report
    )


def test_answers_that_changed_are_listed_with_the_setting_that_keeps_them(shop: Path) -> None:
    (shop / "requirements.txt").write_text("djangorestframework==3.16.1\n")
    status, report = consult(shop)
    assert status == 0, report
    assert "[??] the project ran on djangorestframework 3.16.1 (requirements.txt); " in report
    assert "     list-errors (3.18): errors of a list are a list" in report
    assert '     to keep them: REST_FRAMEWORK = {"COMPATIBLE_WITH": "3.16"}' in report
    settings = shop / "shop" / "settings.py"
    settings.write_text(SETTINGS.replace("None}", 'None, "COMPATIBLE_WITH": "3.16"}'))
    status, report = consult(shop)
    assert "[ok] answers are those of djangorestframework 3.16.1 (requirements.txt)" in report


def test_the_version_that_is_installed_counts_not_the_one_that_lintel_speaks(shop: Path) -> None:
    (shop / "requirements.txt").write_text("djangorestframework>=3.14\n")
    place = shop / "installed" / "djangorestframework-3.16.1.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text("Name: djangorestframework\nVersion: 3.16.1\n")
    _, report = consult(shop)
    assert "[??] the project ran on djangorestframework 3.16.1 (installed); " in report


def test_what_is_missing_is_named(shop: Path) -> None:
    (shop / "shop" / "extra.py").write_text("from rest_framework.compat import coreapy\n")
    settings = shop / "shop" / "settings.py"
    settings.write_text(
        f"from lintel import dropin\n\ndropin.enable()\n{SETTINGS}"
        'REST_FRAMEWORK = {"PAGE_SIZ": 3, "OPENAPI_VERSION": "2"}\n'
    )
    status, report = consult(shop)
    assert status == 1
    assert "[ok] the settings call dropin.enable()" in report
    assert "[!!] this project imports 4 names of rest_framework: lintel lacks 1" in report
    assert "     rest_framework.compat.coreapy" in report
    assert "[??] lintel.W001: " in report
    assert "[!!] lintel.E008: " in report
    assert "No obstacles found." not in report


def test_a_project_that_does_not_start_says_why(shop: Path) -> None:
    settings = shop / "shop" / "settings.py"
    settings.write_text(SETTINGS.replace('"rest_framework"]', '"rest_framework", "shoop"]'))
    status, report = consult(shop)
    assert status == 1
    assert "[!!] Django does not start: ModuleNotFoundError: No module named 'shoop'" in report
    assert "Traceback" not in report


def test_the_settings_are_those_of_manage_py_unless_others_are_given(shop: Path) -> None:
    manage = 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")\n'
    (shop / "manage.py").write_text(f"import os\n\n{manage}")
    ended = run(shop, without_variable=True)
    assert ended.returncode == 0, ended.stderr
    assert "[ok] Django starts with lintel" in ended.stdout


def test_settings_that_are_not_whole_are_named_with_those_that_are(shop: Path) -> None:
    (shop / "empty.py").write_text("SECRET_KEY = 'x'\n")
    (shop / "manage.py").write_text('DJANGO_SETTINGS_MODULE = "shop.settings"\n')
    status, report = consult(shop, "--settings", "empty")
    assert (status, "Traceback" in report) == (1, False)
    assert "[!!] empty has no ROOT_URLCONF" in report
    assert "     manage.py uses shop.settings: --settings shop.settings" in report


def test_a_reader_that_stops_early_sees_no_traceback(shop: Path) -> None:
    ended = run(shop, shell=" | head -n 1")
    assert ended.stdout.count("\n") == 1
    assert "Traceback" not in ended.stderr


def run(
    folder: Path, without_variable: bool = False, shell: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the doctor without ``--settings``: the variable names them, unless it is left out."""
    variables = {**os.environ, "DJANGO_SETTINGS_MODULE": "shop.settings"}
    if without_variable:
        del variables["DJANGO_SETTINGS_MODULE"]
    return subprocess.run(
        f"{sys.executable} -m lintel doctor{shell}",
        shell=True,
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


OWN_VIEWS = """
from lintel.response import Response
from lintel.views import APIView
from django.urls import path


class Free(APIView):
    allowed_query_params = ["day"]

    def get(self, request):
        dict(request.query_params)
        return Response(request.query_params["day"])


class Search(APIView):
    allowed_query_params = ["q"]

    def get(self, request):
        return Response([request.query_params["q"], request.query_params.get("page")])


class Open(APIView):
    def get(self, request):
        return Response(dict(request.query_params))


urlpatterns = [
    path("free/", Free.as_view()), path("search/", Search.as_view()), path("o/", Open.as_view())
]
"""


def test_a_project_that_is_written_for_lintel_has_nothing_to_move(shop: Path) -> None:
    settings = shop / "shop" / "settings.py"
    settings.write_text(SETTINGS.replace("rest_framework", "lintel"))
    (shop / "shop" / "urls.py").write_text(OWN_VIEWS)
    status, report = consult(shop)
    assert status == 0, report
    assert "[ok] the project itself is written for lintel" in report
    assert "still to do" not in report
    assert "No obstacles found. Run your tests.\n" in report
    assert "shop.urls.Free" not in report
    assert 'shop.urls.Search: allowed_query_params = ["page"]' in report
    assert "shop.urls.Open: allowed_query_params: the names that the called code reads" in report


def test_names_that_the_framework_lacks_too_are_no_fault(shop: Path) -> None:
    installed = shop / "installed"
    framework = installed / "djangorestframework-3.18.3.dist-info"
    other = installed / "others-1.0.dist-info"
    for path, text in {
        framework / "METADATA": "Name: djangorestframework\nVersion: 3.18.3\n",
        installed / "rest_framework" / "compat.py": "# no patterns\nfrom a import known as kept\n",
        other / "METADATA": "Name: others\nVersion: 1.0\n",
        other / "RECORD": "others.py,,\n",
        installed / "others.py": "from rest_framework.compat import patterns_of_django\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (installed / "rest_framework" / "__init__.py").write_text("")
    _, report = consult(shop)
    assert "[ok] others 1.0 imports 1 name of rest_framework: lintel has all of them that" in report
    assert "     rest_framework.compat.patterns_of_django" in report
    (installed / "others.py").write_text("from rest_framework.compat import kept\n")
    assert "[??] others 1.0 imports 1 name of rest_framework: lintel lacks 1" in consult(shop)[1]


def test_imports_are_read_and_those_with_a_fallback_left_out() -> None:
    source = """
import rest_framework.views, os
from rest_framework import *
from rest_framework.fields import CharField as Text

def late():
    from rest_framework.compat import coreapi

try:
    from rest_framework.nothing import gone
except ImportError:
    gone = None

from . import rest_framework
from rest_framework_nested import routers
"""
    assert doctor.imported_names(source) == {
        "rest_framework.views",
        "rest_framework",
        "rest_framework.fields.CharField",
        "rest_framework.compat.coreapi",
    }


def test_settings_have_to_be_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE")
    with pytest.raises(SystemExit):
        doctor.main([])
    assert "use --settings project.settings" in capsys.readouterr().err


# Settings in several files

ENABLED = "from lintel import dropin\n\ndropin.enable()\n"


@pytest.fixture
def two_settings(shop: Path) -> Path:
    """Settings of development and production over a common base; a server names production's."""
    base = (shop / "shop" / "settings.py").read_text()
    (shop / "shop" / "settings.py").unlink()
    files = {"__init__": "", "base": base, "dev": "from .base import *\n"}
    files["production"] = "from shop.settings.base import *\n"
    for name, text in files.items():
        path = shop / "shop" / "settings" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    named = 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings.production")\n'
    (shop / "shop" / "wsgi.py").write_text(f"import os\n\n{named}")
    return shop


def test_the_file_that_production_imports_too_is_named(two_settings: Path) -> None:
    status, report = consult(two_settings, "--settings", "shop.settings.dev")
    assert status == 0, report
    base = two_settings / "shop" / "settings" / "base.py"
    assert "still to do: shop.settings.dev, shop.settings.production do not call" in report
    assert f"put at the top of {base}: from lintel import dropin" in report
    assert "shop/wsgi.py uses shop.settings.production" in report
    with (base.parent / "dev.py").open("a") as file:
        file.write("from .local import *\n")
    (base.parent / "local.py").write_text("LOCAL = True\n")
    assert (
        f"put at the top of {base}: " in consult(two_settings, "--settings", "shop.settings.dev")[1]
    )
    base.write_text(ENABLED + base.read_text())
    assert (
        "[ok] the settings call dropin.enable()"
        in consult(two_settings, "--settings", "shop.settings.dev")[1]
    )


def test_production_that_stays_behind_is_named(two_settings: Path) -> None:
    folder = two_settings / "shop" / "settings"
    (folder / "dev.py").write_text(f"{ENABLED}from .base import *\n")
    report = consult(two_settings, "--settings", "shop.settings.dev")[1]
    assert "still to do: shop.settings.production does not call dropin.enable()" in report


@pytest.mark.parametrize(
    ("text", "is_call"),
    [
        (ENABLED, True),
        ("from lintel.dropin import enable as replace\nreplace()", True),
        ("import lintel.dropin\nlintel.dropin.enable()", True),
        ("# dropin.enable()", False),
        ("from lintel import dropin", False),
        ("from feature import dropin\ndropin.enable()", False),
        ("def broken(", False),
    ],
)
def test_calls_are_read_not_words(tmp_path: Path, text: str, is_call: bool) -> None:
    path = tmp_path / "settings.py"
    path.write_text(text)
    assert enables(path) is is_call


# Whose fault it is

VIEWS = """
from django.contrib.auth.models import User
from django.http import JsonResponse
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import views
from rest_framework.viewsets import ReadOnlyModelViewSet
from rest_framework.serializers import ModelSerializer


class UserSerializer(ModelSerializer):
    class Meta:
        model = User
        fields = ["id", "username"]


@extend_schema(tags=["users"])
class Users(ReadOnlyModelViewSet):
    queryset = User.objects.all()
    serializer_class = UserSerializer

    def check(self):
        query = self.request.GET
        dict(self.request.GET)
        return query.get("q"), query["size"], "all" in self.request.query_params

    @extend_schema(tags=["users"])
    def list(self, request):
        return super().list(request)


def page(request):
    return JsonResponse({"page": request.GET.get("page")})


def which(request):
    User.objects.create(username="new")
    own = views.__name__.startswith("lintel")
    count = User.objects.count()
    if request.method == "POST":
        return JsonResponse({"sent": request.body.decode(), "users": count})
    return JsonResponse({"price": 1.5 if own else "1.50", "users": count, "deep": [{"a": own}]})


urlpatterns = [
    path("which/", which),
    path("users/", Users.as_view({"get": "list"})),
    path("same/", lambda request: JsonResponse({"host": request.get_host()})),
]
"""


@pytest.fixture
def with_other(shop: Path) -> Path:
    """The project, with another package of the name ``rest_framework`` installed."""
    installed = shop / "installed"
    for name, text in {
        "rest_framework/__init__": "",
        "rest_framework/views": "",
        "rest_framework/viewsets": "class ReadOnlyModelViewSet:\n    as_view = lambda *a: id",
        "rest_framework/serializers": "class ModelSerializer: ...",
        "drf_spectacular/__init__": "",
        "drf_spectacular/utils": "def extend_schema(**kwargs):\n    return lambda view: view",
    }.items():
        path = installed / f"{name}.py"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    (shop / "shop" / "urls.py").write_text(VIEWS)
    settings = shop / "shop" / "settings.py"
    settings.write_text(settings.read_text().replace(":memory:", str(shop / "db.sqlite3")))
    migrate = "import django; django.setup(); from django.core.management import call_command"
    subprocess.run(
        [sys.executable, "-c", f"{migrate}; call_command('migrate', verbosity=0)"],
        cwd=shop,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "shop.settings",
            "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(installed)]),
        },
        check=True,
        timeout=120,
    )
    return shop


def test_faults_that_are_older_than_the_move_are_not_blamed_on_it(with_other: Path) -> None:
    settings = with_other / "shop" / "settings.py"
    whole = settings.read_text()
    settings.write_text(whole.replace('"rest_framework"]', '"rest_framework", "shoop"]'))
    status, report = consult(with_other)
    assert status == 1
    assert report.startswith("[!!] Django does not start without lintel either: ModuleNotFound")
    assert "this is not caused by the move" in report
    assert len(report.splitlines()) == 2
    settings.write_text(whole)
    urls = with_other / "shop" / "urls.py"
    urls.write_text(urls.read_text().replace('path("same/"', 'path("/same/"'))
    status, report = consult(with_other)
    assert "[ok] Django starts as it is, before the move" in report
    assert "[??] the system checks have 1 message, as they do without lintel" in report
    assert status == 0, report


def test_addresses_that_cannot_be_imported_are_a_finding(shop: Path) -> None:
    (shop / "shop" / "urls.py").write_text("from rest_framework import views\n1 / 0\n")
    (shop / "Dockerfile").write_text("ENV DJANGO_SETTINGS_MODULE=shop.settings\n")
    status, report = consult(shop)
    assert (status, "Traceback" in report) == (1, False)
    assert "[!!] the system checks fail: ZeroDivisionError: division by zero" in report
    assert "Dockerfile uses shop.settings" in report


def test_what_the_sources_say_and_what_comes_next(with_other: Path) -> None:
    status, text = consult(with_other, "--json")
    report = json.loads(text)
    assert (status, report["obstacles"], report["settings"]) == (0, 0, "shop.settings")
    by_topic = {each["topic"]: each for each in report["findings"]}
    assert by_topic["decorators"]["text"] == "2 decorators of drf_spectacular: extend_schema 2"
    (parameters,) = by_topic["query_parameters"]["details"]
    assert parameters.startswith("shop.urls.Users: allowed_query_params = [")
    assert parameters.endswith("] and the names that the called code reads from the query")
    assert sorted(re.findall(r'"(\w+)"', parameters)) == ["all", "q", "size"]
    assert by_topic["lists"]["details"] == ["list() is the view's own: shop.urls.Users"]
    steps = " ".join(by_topic["next"]["details"])
    assert '"STRICT_QUERY_PARAMS": "report"' in steps
    assert "OPENAPI_OPERATION_IDS" not in steps
    assert set(by_topic) >= {"start", "settings", "names", "checks"}


def test_a_project_with_drf_spectacular_may_keep_its_names(with_other: Path) -> None:
    settings = with_other / "shop" / "settings.py"
    text = settings.read_text().replace('"rest_framework"]', '"rest_framework", "drf_spectacular"]')
    settings.write_text(text)
    assert '     "OPENAPI_OPERATION_IDS": "path",  # operations keep' in consult(with_other)[1]


# Comparing


def recording(folder: Path, *requests: dict[str, object]) -> str:
    entries = [{"request": {"headers": [], **each}} for each in requests]
    (folder / "recorded.har").write_text(json.dumps({"log": {"entries": entries}}))
    return "recorded.har"


def test_answers_of_both_frameworks_are_compared(with_other: Path) -> None:
    site = "https://shop.example"
    sent = {"mimeType": "text/plain", "text": "hi"}
    har = recording(
        with_other,
        {"method": "GET", "url": f"{site}/which/?a=1"},
        {"method": "GET", "url": f"{site}/same/"},
        {"method": "POST", "url": f"{site}/which/", "postData": sent},
    )
    settings = with_other / "shop" / "settings.py"
    settings.write_text(ENABLED + settings.read_text())
    status, report = consult(with_other, har, command="compare")
    assert (status, report.splitlines()) == (
        1,
        [
            "GET /which/?a=1",
            '     body/price: "1.50" before, 1.5 with lintel',
            "     body/deep/0/a: false before, true with lintel",
            "2 requests, 1 answered differently",
        ],
    )
    status, report = consult(with_other, har, "--writes", "--prefix", "/same", command="compare")
    assert (status, report) == (0, "1 request, 0 answered differently\n")


def test_what_cannot_be_compared_says_why(shop: Path) -> None:
    status, report = consult(shop, "none.har", command="compare")
    assert (status, report) == (2, "none.har cannot be read: No such file or directory\n")
    status, report = consult(shop, "shop/urls.py", command="compare")
    assert (status, report.startswith("shop/urls.py is not a recording: ")) == (2, True)
    status, report = consult(shop, recording(shop), command="compare")
    assert status == 2
    assert report.startswith("The project does not answer with Django REST framework: Module")


def test_requests_are_read_from_lines_too(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    lines = [
        {"method": "get", "url": "/a/?b=1", "headers": {"Accept": "text/plain", "Host": "x"}},
        {"method": "PUT", "url": "/a/", "body": {"b": 1}},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    first, second = recorded_requests(path, "/", writes=True)
    assert first["method"] == "GET"
    assert first["path"] == "/a/?b=1"
    assert first["headers"] == {"accept": "text/plain", "host": "x"}
    assert (second["body"], second["type"]) == ('{"b": 1}', "application/json")
    assert len(recorded_requests(path, "/", writes=False)) == 1
    for wrong in ("[]", "[1]", '{"log": {"entries": 3}}', '{"log": {"entries": [{}]}}', "\0"):
        path.write_text(wrong)
        with pytest.raises(ValueError, match="not a recording"):
            recorded_requests(path, "/", writes=False)


def test_pages_and_dates_may_differ() -> None:
    def answer(body: str, **headers: str) -> dict[str, object]:
        return {"status": 200, "headers": headers, "body": body}

    assert list(differences(answer("[1, 2]"), answer("[1]"))) == [
        "body: [1, 2] before, [1] with lintel"
    ]
    assert list(differences(answer("1"), answer("true"))) == ["body: 1 before, true with lintel"]
    one, other = answer("", allow="OPTIONS, GET"), answer("", allow="GET, OPTIONS")
    assert list(differences(one, other)) == []
    assert list(differences(answer("", allow="GET", date="1"), answer("", date="2"))) == [
        'allow: "GET" before, nothing with lintel'
    ]
    now = datetime.datetime.now(datetime.UTC)
    moments = [json.dumps((now - datetime.timedelta(seconds=age)).isoformat()) for age in (9, 1)]
    assert list(differences(*map(answer, moments))) == []
    old = json.dumps((now - datetime.timedelta(days=1)).isoformat())
    assert len(list(differences(answer(old), answer(moments[0])))) == 1
    page = {"content-type": "text/html; charset=utf-8"}
    assert list(differences(answer("<a>", **page), answer("<b>", **page))) == []
    (long,) = differences(answer("a" * 1000), answer("b"))
    assert len(long) < 200
