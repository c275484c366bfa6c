"""lintel under the name rest_framework: each test runs in an interpreter of its own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from other_processes import folder_with

ROOT = Path(__file__).parents[3]
FILTER_PROGRAM = Path(__file__).with_name("django_filter_program.py")
FORMS_PROGRAM = Path(__file__).with_name("django_filter_forms_program.py")
REAL = "djangorestframework==3.18.3"

SETTINGS = """
from lintel import dropin

dropin.enable()

SECRET_KEY = "not secret: a test"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.staticfiles",
    "rest_framework",
    "rest_framework.authtoken",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "tokens.sqlite3"}}
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
STATIC_URL = "/static/"
ROOT_URLCONF = "urls"
REST_FRAMEWORK = {"DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"]}
"""

URLS = """
from django.urls import path
from rest_framework.decorators import api_view
from rest_framework.response import Response


@api_view()
def hello(request):
    return Response({"hello": str(request.user)})


urlpatterns = [path("hello/", hello)]
"""


@pytest.fixture(scope="session")
def real_package() -> Path:
    """A directory that holds the package lintel stands in for, kept between runs."""
    return Path(folder_with(REAL))


@pytest.fixture(params=["alone", "beside the real package"])
def path_entries(request: pytest.FixtureRequest) -> list[Path]:
    """Directories to import from: without and with the real package."""
    if request.param == "alone":
        return []
    return [request.getfixturevalue("real_package")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that was written for rest_framework and calls enable() in its settings."""
    (tmp_path / "settings.py").write_text(SETTINGS)
    (tmp_path / "urls.py").write_text(URLS)
    return tmp_path


def python(code: str, entries: list[Path], cwd: Path | None = None) -> str:
    """What the code prints in a new interpreter; warnings are errors there as well."""
    done = attempt(code, entries, cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def attempt(
    code: str, entries: list[Path], cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    known = filter(None, [os.environ.get("PYTHONPATH")])
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, entries), *known])}
    environ["DJANGO_SETTINGS_MODULE"] = "settings"
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
    return subprocess.run(
        command, env=environ, cwd=cwd, capture_output=True, text=True, check=False
    )


def enabled(code: str) -> str:
    """The code behind a call of enable()."""
    return "from lintel import dropin; dropin.enable()\n" + textwrap.dedent(code)


def test_the_package_and_its_modules_are_those_of_lintel(path_entries):
    assert python(
        enabled(
            """
            import sys, lintel, rest_framework, rest_framework.exceptions
            from rest_framework import status
            from rest_framework.exceptions import APIException
            import lintel.exceptions, lintel.status
            assert rest_framework is lintel
            assert rest_framework.exceptions is lintel.exceptions
            assert status is lintel.status
            assert APIException is lintel.exceptions.APIException
            assert sys.modules["rest_framework.exceptions"] is sys.modules["lintel.exceptions"]
            assert sys.modules["rest_framework"] is sys.modules["lintel"]
            module = lintel.exceptions
            print(module.__name__, module.__spec__.name, APIException.__module__)
            """
        ),
        path_entries,
    ) == ("lintel.exceptions lintel.exceptions lintel.exceptions")


@pytest.mark.parametrize("first", ["lintel", "rest_framework"])
def test_the_order_of_the_two_names_does_not_matter(first):
    second = {"lintel": "rest_framework", "rest_framework": "lintel"}[first]
    python(
        enabled(
            f"""
            from importlib import import_module
            for name in ["exceptions", "utils.urls", "status", "management.commands"]:
                assert import_module("{first}." + name) is import_module("{second}." + name), name
            """
        ),
        [],
    )


def test_no_module_runs_twice_and_all_are_reachable_by_both_names(project, path_entries):
    admin = '"django.contrib.admin.apps.SimpleAdminConfig",'  # the admin of tokens needs it
    text = SETTINGS.replace('"rest_framework",', f'{admin} "rest_framework",')
    (project / "settings.py").write_text(text)
    count = python(
        """
        import django; django.setup()
        import importlib, pkgutil, sys
        import lintel, rest_framework
        names = [found.name for found in pkgutil.walk_packages(lintel.__path__, "lintel.")]
        walked = pkgutil.walk_packages(rest_framework.__path__, "rest_framework.")
        aliases = [found.name for found in walked]
        assert aliases == [name.replace("lintel", "rest_framework", 1) for name in names]
        for name, alias in zip(names, aliases):
            try:
                module = importlib.import_module(alias)
            except ImportError as error:  # it needs a package that the tests do without
                assert name == "lintel.accounts" and "django-lintel[accounts]" in str(error)
                continue
            assert module is importlib.import_module(name), name
            assert module.__name__ == name and module.__spec__.name == name, name
        files = [m.__file__ for n, m in sys.modules.items() if n.startswith("lintel.")]
        assert len(files) == len(set(files))
        print(len(names))
        """,
        path_entries,
        project,
    )
    assert int(count) > 50


def test_specs_are_found_without_importing():
    python(
        enabled(
            """
            import sys
            from importlib.util import find_spec
            import rest_framework.status
            spec = find_spec("rest_framework.exceptions")
            assert spec.origin.endswith("exceptions.py") and "lintel" in spec.origin
            assert find_spec("rest_framework.status").name == "lintel.status"
            assert find_spec("rest_framework.schemas").submodule_search_locations
            assert find_spec("rest_framework.no_such_module") is None
            """
        ),
        [],
    )


def test_a_module_that_lintel_lacks_is_missing_even_beside_the_real_package(path_entries):
    done = attempt(enabled("import rest_framework.no_such_module"), path_entries)
    assert "No module named 'rest_framework.no_such_module'" in done.stderr


def test_reloading_a_module_keeps_the_two_names_together():
    python(
        enabled(
            """
            import importlib, sys
            import rest_framework.status
            again = importlib.reload(rest_framework.status)
            assert again is sys.modules["lintel.status"] is sys.modules["rest_framework.status"]
            """
        ),
        [],
    )


def test_enabling_twice_is_harmless():
    python(
        enabled(
            """
            import sys
            before = list(sys.meta_path)
            assert dropin.is_enabled()
            dropin.enable()
            assert sys.meta_path == before
            import rest_framework
            dropin.enable()
            """
        ),
        [],
    )


def test_enabling_after_the_real_package_was_imported_is_refused(real_package):
    python(
        """
        import rest_framework
        from lintel import dropin
        try:
            dropin.enable()
        except dropin.DropinError as error:
            assert "rest_framework" in str(error) and "settings module" in str(error), error
            assert rest_framework.__file__ in str(error)
        else:
            raise SystemExit("was not refused")
        assert not dropin.is_enabled()
        """,
        [real_package],
    )


def test_without_enable_the_name_is_left_alone(real_package):
    assert (
        python(
            "import lintel, rest_framework; print(rest_framework is lintel)",
            [real_package],
        )
        == "False"
    )


def test_versions_are_those_of_the_api(path_entries):
    python(
        enabled(
            """
            from importlib import metadata
            import rest_framework
            assert rest_framework.VERSION == rest_framework.__version__ == "3.18.3"
            assert metadata.version("djangorestframework") == "3.18.3"
            assert metadata.version("DjangoRESTframework") == "3.18.3"
            assert metadata.metadata("djangorestframework")["Name"] == "djangorestframework"
            assert metadata.version("django-lintel") != "3.18.3"
            place = metadata.distribution("djangorestframework").locate_file("rest_framework")
            assert str(place.parent / "lintel" / "__init__.py") == rest_framework.__file__
            listed = [each.metadata["Name"] for each in metadata.distributions()]
            assert listed.count("djangorestframework") == EXPECTED
            """.replace("EXPECTED", str(len(path_entries)))
        ),
        path_entries,
    )


@pytest.mark.parametrize("spelling", ["rest_framework", "lintel"])
def test_the_application_is_installed_under_either_spelling(project, path_entries, spelling):
    settings = SETTINGS.replace('"rest_framework', f'"{spelling}')
    (project / "settings.py").write_text(
        settings.replace(f"{spelling}.permissions", "lintel.permissions")
    )
    python(
        """
        import django; django.setup()
        from django.apps import apps
        for name in ["rest_framework", "rest_framework.authtoken", "lintel", "lintel.authtoken"]:
            assert apps.is_installed(name), name
        assert not apps.is_installed("rest_framework_simplejwt")
        assert apps.get_app_config("authtoken").name == "lintel.authtoken"
        from lintel.authtoken.models import Token
        from rest_framework.authtoken.models import Token as Alias
        assert Token is Alias is apps.get_model("authtoken.Token")
        """,
        path_entries,
        project,
    )


def test_templates_tags_and_static_files_are_found(project, path_entries):
    python(
        """
        import django; django.setup()
        import lintel, os
        from django.contrib.staticfiles import finders
        from django.template import Context, Template, loader
        home = os.path.dirname(lintel.__file__)
        assert loader.get_template("rest_framework/schema.js").origin.name.startswith(home)
        assert loader.get_template("rest_framework/docs/index.html").origin.name.startswith(home)
        assert finders.find("rest_framework/docs/js/docs.js").startswith(home)
        page = Template("{% load rest_framework %}{% add_query_param request 'a' 1 %}")
        from django.test import RequestFactory
        assert "a=1" in page.render(Context({"request": RequestFactory().get("/")}))
        """,
        path_entries,
        project,
    )


def test_a_project_answers_requests_and_its_settings_resolve(project, path_entries):
    python(
        """
        import django; django.setup()
        import lintel.permissions
        from lintel.settings import api_settings
        assert api_settings.DEFAULT_PERMISSION_CLASSES == [lintel.permissions.IsAuthenticated]
        from django.core.management import call_command
        call_command("migrate", verbosity=0)
        call_command("check")
        from django.contrib.auth.models import User
        from django.test import override_settings
        from rest_framework.test import APIClient
        client = APIClient()
        with override_settings(ALLOWED_HOSTS=["testserver"]):
            refused = client.get("/hello/")
            assert refused.status_code in (401, 403), refused.status_code
            client.force_authenticate(User(username="ann"))
            assert client.get("/hello/").json() == {"hello": "ann"}
        """,
        path_entries,
        project,
    )


def test_a_database_of_the_real_package_is_taken_over(project, real_package):
    """Tables and recorded migrations of the token application serve lintel as they are."""
    own = (project / "settings.py").read_text()
    (project / "settings.py").write_text(
        own.replace("dropin.enable()", "").replace("from lintel import dropin", "")
    )
    python(
        """
        import django; django.setup()
        from django.core.management import call_command
        call_command("migrate", verbosity=0)
        from django.contrib.auth.models import User
        from rest_framework.authtoken.models import Token
        assert not Token.__module__.startswith("lintel")
        Token.objects.create(user=User.objects.create_user("ann"), key="a" * 40)
        """,
        [real_package],
        project,
    )
    (project / "settings.py").write_text(own)
    python(
        """
        import django; django.setup()
        from django.core.management import call_command
        call_command("migrate", check_unapplied=True, verbosity=0)
        call_command("makemigrations", check_changes=True, verbosity=0)
        call_command("check")
        from rest_framework.authtoken.models import Token
        assert Token.__module__ == "lintel.authtoken.models"
        assert Token.objects.get(key="a" * 40).user.username == "ann"
        """,
        [real_package],
        project,
    )


def test_migrations_and_commands_have_both_names(project):
    python(
        """
        import django; django.setup()
        import importlib
        names = [
            "0001_initial", "0002_auto_20160226_1747", "0003_tokenproxy",
            "0004_alter_tokenproxy_options",
        ]
        for name in names:
            module = importlib.import_module(f"rest_framework.authtoken.migrations.{name}")
            assert module is importlib.import_module(f"lintel.authtoken.migrations.{name}")
        from rest_framework.management.commands import generateschema
        from rest_framework.authtoken.management.commands import drf_create_token
        from django.core.management import get_commands
        assert {"generateschema", "drf_create_token"} <= set(get_commands())
        """,
        [],
        project,
    )


def test_migration_modules_may_be_named_by_either_name(project):
    modules = '{"authtoken": "rest_framework.authtoken.migrations"}'
    (project / "settings.py").write_text(f"{SETTINGS}\nMIGRATION_MODULES = {modules}\n")
    python(
        """
        import django; django.setup()
        from django.core.management import call_command
        call_command("migrate", verbosity=0)
        call_command("makemigrations", check_changes=True, verbosity=0)
        """,
        [],
        project,
    )


def test_pickles_of_the_real_package_are_read(real_package, tmp_path):
    stored = tmp_path / "stored.pickle"
    python(
        f"""
        import pickle
        from rest_framework.exceptions import ErrorDetail
        data = pickle.dumps({{"name": [ErrorDetail("Too long.", code="max_length")]}})
        open({str(stored)!r}, "wb").write(data)
        """,
        [real_package],
    )
    assert b"rest_framework" in stored.read_bytes()
    python(
        enabled(
            f"""
            import pickle
            from lintel.exceptions import ErrorDetail
            detail = pickle.load(open({str(stored)!r}, "rb"))["name"][0]
            assert type(detail) is ErrorDetail and detail.code == "max_length", detail
            """
        ),
        [],
    )


def test_a_package_of_the_ecosystem_runs_on_lintel(project):
    """django-filter imports rest_framework, which is not installed here at all."""
    python(
        """
        import django; django.setup()
        import lintel.filters
        from django_filters import rest_framework as filters
        assert issubclass(filters.DjangoFilterBackend, object)
        from django.contrib.auth.models import User
        from rest_framework import generics, serializers

        class Users(generics.ListAPIView):
            queryset = User.objects.order_by("pk")
            filter_backends = [filters.DjangoFilterBackend]
            filterset_fields = ["username"]
            permission_classes = []
            serializer_class = type("Names", (serializers.Serializer,), {
                "username": serializers.CharField(),
            })

        from django.core.management import call_command
        call_command("migrate", verbosity=0)
        for name in ["ann", "bob"]:
            User.objects.create_user(name)
        from rest_framework.test import APIRequestFactory
        response = Users.as_view()(APIRequestFactory().get("/?username=bob"))
        assert response.data == [{"username": "bob"}], response.data
        """,
        [],
        project,
    )


@pytest.mark.parametrize("program", [FILTER_PROGRAM, FORMS_PROGRAM])
def test_the_filter_backend_of_django_filter_in_all_its_uses(project, program):
    """Shorthands and filter sets, errors, orderings, pages, the HTML form, strict parameters, and
    whether it makes forms.
    """
    text = SETTINGS.replace('"rest_framework",\n', '"rest_framework",\n    "django_filters",\n', 1)
    (project / "settings.py").write_text(text + "\nALLOWED_HOSTS = ['*']\n")
    run = f"import django, runpy; django.setup(); runpy.run_path({str(program)!r})"
    python(run, [], project)
