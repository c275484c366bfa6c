"""Files that a failed save leaves behind: none, unless something still refers to them."""

import errno
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps.registry import Apps
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.db import IntegrityError, connections, models, transaction
from django.test import override_settings
from django.utils.module_loading import import_string
from servers import everything_in

from lintel import serializers

#: The classes that storages are of, by their names.
SEEN: list[Any] = []


class FullStorage(FileSystemStorage):
    """A disk without room for more than ten bytes of a file."""

    def _save(self, name: str, content: Any) -> str:
        SEEN.append(import_string(f"{type(self).__module__}.{type(self).__qualname__}"))
        if content.size <= 10:
            return super()._save(name, content)

        def chunks() -> Iterator[bytes]:
            yield b"0123456789"
            raise OSError(errno.ENOSPC, "No space left on device")

        content.chunks = chunks
        return super()._save(name, content)


class OverwritingStorage(FullStorage):
    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name

    def _save(self, name: str, content: Any) -> str:
        Path(self.path(name)).write_bytes(content.read())
        return name


STORAGE, OVERWRITING = FullStorage(), OverwritingStorage()


class Paper(models.Model):
    title = models.CharField(max_length=9, unique=True)
    first = models.FileField(upload_to="up", storage=STORAGE, blank=True)
    second = models.FileField(upload_to="up", storage=STORAGE, blank=True)
    kept = models.FileField(upload_to="up", storage=OVERWRITING, blank=True)

    class Meta:
        apps = Apps(["contract_project"])
        app_label = "contract_project"


class PaperSerializer(serializers.ModelSerializer):
    class Meta:
        model = Paper
        fields = ("title", "first", "second", "kept")
        extra_kwargs = {"title": {"validators": []}}


@pytest.fixture(scope="module")
def _table(sqlite_file: str, django_db_blocker: Any) -> Iterator[str]:
    with everything_in(sqlite_file, django_db_blocker):
        with connections[sqlite_file].schema_editor() as editor:
            editor.create_model(Paper)
        yield sqlite_file
        with connections[sqlite_file].schema_editor() as editor:
            editor.delete_model(Paper)


@pytest.fixture
def folder(_table: str, tmp_path: Path, settings: Any) -> Iterator[Path]:
    settings.MEDIA_ROOT = tmp_path
    (tmp_path / "up").mkdir()
    yield tmp_path / "up"
    Paper.objects.all().delete()


def upload(name: str, size: int = 5) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, b"x" * size)


def saving(instance: Any = None, **values: Any) -> Any:
    serializer = PaperSerializer(instance, data=values, partial=instance is not None)
    serializer.is_valid(raise_exception=True)
    return serializer


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_torn_file_and_those_before_it_are_removed(folder: Path) -> None:
    (folder / "a.txt").write_text("of somebody else")
    serializer = saving(title="a", first=upload("a.txt"), second=upload("b.txt", 50))
    with pytest.raises(OSError, match="No space left"):
        serializer.save()
    assert names(folder) == ["a.txt"]
    assert (folder / "a.txt").read_text() == "of somebody else"
    assert not Paper.objects.exists()


def test_an_upload_from_a_temporary_file_is_removed(folder: Path) -> None:
    sent = TemporaryUploadedFile("big.txt", "text/plain", 5, None)
    sent.write(b"12345")
    sent.seek(0)
    with pytest.raises(OSError, match="No space left"):
        saving(title="a", first=sent, second=upload("b.txt", 50)).save()
    sent.close()
    assert names(folder) == []


def test_files_of_a_row_that_the_database_refuses_are_removed(folder: Path) -> None:
    saving(title="a", first=upload("a.txt")).save()
    with pytest.raises(IntegrityError):
        saving(title="a", first=upload("b.txt")).save()
    with pytest.raises(IntegrityError), transaction.atomic(Paper.objects.db):
        saving(title="a", first=upload("b.txt")).save()
    assert names(folder) == ["a.txt"]


def test_an_update_that_fails_keeps_the_old_file(folder: Path) -> None:
    paper = saving(title="a", first=upload("a.txt")).save()
    with pytest.raises(OSError, match="No space left"):
        saving(paper, first=upload("b.txt"), second=upload("c.txt", 50)).save()
    assert names(folder) == ["a.txt"]
    assert Paper.objects.get().first.name == "up/a.txt"


def test_a_failed_save_may_be_repeated(folder: Path) -> None:
    saving(title="a").save()
    paper = Paper(title="b")
    serializer = saving(paper, title="a", first=upload("b.txt"))
    with pytest.raises(IntegrityError):
        serializer.save()
    assert names(folder) == []
    paper.title = "b"
    paper.save()
    assert names(folder) == ["b.txt"]
    assert paper.first.storage is STORAGE


def test_files_that_a_row_holds_stay(folder: Path) -> None:
    class Two(PaperSerializer):
        def create(self, validated_data: Any) -> Any:
            super().create(validated_data)
            raise RuntimeError("after the first row")

    serializer = Two(data={"title": "a", "first": upload("a.txt")})
    serializer.is_valid(raise_exception=True)
    with pytest.raises(RuntimeError):
        serializer.save()
    assert names(folder) == ["a.txt"]
    assert Paper.objects.get().first.name == "up/a.txt"
    assert (folder / "a.txt").read_bytes() == b"xxxxx"


def test_items_of_a_list_and_nested_saves(folder: Path) -> None:
    items = [
        {"title": "a", "first": upload("a.txt")},
        {"title": "b", "first": upload("b.txt"), "second": upload("c.txt", 50)},
    ]
    serializer = PaperSerializer(data=items, many=True)
    serializer.is_valid(raise_exception=True)
    with pytest.raises(OSError, match="No space left"):
        serializer.save()
    assert names(folder) == ["a.txt"]

    class Outer(serializers.Serializer):
        inner = PaperSerializer()

        def create(self, validated_data: Any) -> Any:
            with transaction.atomic(Paper.objects.db):
                Paper.objects.create(**validated_data["inner"])
                raise RuntimeError("after the row")

    outer = Outer(data={"inner": {"title": "n", "first": upload("n.txt")}})
    outer.is_valid(raise_exception=True)
    with pytest.raises(RuntimeError):
        outer.save()
    assert names(folder) == ["a.txt"]


def test_files_that_a_storage_overwrote_stay(folder: Path) -> None:
    (folder / "k.txt").write_text("before")
    saving(title="a").save()
    with pytest.raises(IntegrityError):
        saving(title="a", kept=upload("k.txt")).save()
    assert names(folder) == ["k.txt"]


def test_files_passed_to_save_and_successful_saves(folder: Path) -> None:
    paper = saving(title="a", first=upload("a.txt")).save(second=ContentFile(b"y", "s.txt"))
    assert names(folder) == ["a.txt", "s.txt"]
    assert (paper.first.storage, paper.second.storage) == (STORAGE, STORAGE)
    with pytest.raises(OSError, match="No space left"):
        saving(title="b").save(second=ContentFile(b"y" * 50, "t.txt"))
    assert names(folder) == ["a.txt", "s.txt"]


LIMITED = """
import resource, signal, sys
import django
from django.conf import settings

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    MEDIA_ROOT=sys.argv[1], INSTALLED_APPS=["django.contrib.contenttypes"],
)
django.setup()
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, models
from lintel import serializers

class Paper(models.Model):
    first = models.FileField()
    second = models.FileField()
    class Meta:
        app_label = "contenttypes"

class PaperSerializer(serializers.ModelSerializer):
    class Meta:
        model = Paper
        fields = ("first", "second")

with connection.schema_editor() as editor:
    editor.create_model(Paper)
data = {
    "first": SimpleUploadedFile("a", b"x" * 1000),
    "second": SimpleUploadedFile("b", b"x" * 1_000_000),
}
serializer = PaperSerializer(data=data)
serializer.is_valid(raise_exception=True)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    serializer.save()
except OSError as error:
    print(error.strerror)
"""


def test_a_file_that_the_system_cuts_off_is_removed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LIMITED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "File too large\n"
    assert names(tmp_path) == []


class Hiding(models.Manager[Any]):
    def get_queryset(self) -> Any:
        return super().get_queryset().none()


class HiddenPaper(Paper):
    hidden = Hiding()

    class Meta:
        proxy = True
        apps = Paper._meta.apps
        app_label = "contract_project"
        base_manager_name = "hidden"


class ToDefault:
    """Sends rows elsewhere than their creator asked for."""

    def db_for_write(self, model: Any, **hints: Any) -> str:
        return "default"


def failing_after(write: Any, model: Any = Paper) -> Any:
    """Return a serializer that fails when its row has been written."""

    class Failing(PaperSerializer):
        class Meta(PaperSerializer.Meta):
            pass

        def create(self, validated_data: Any) -> Any:
            write(validated_data)
            raise RuntimeError("after the row")

    Failing.Meta.model = model
    serializer = Failing(data={"title": "a", "first": upload("a.txt")})
    serializer.is_valid(raise_exception=True)
    return serializer


def test_a_row_that_managers_hide_keeps_its_file(folder: Path) -> None:
    with pytest.raises(RuntimeError):
        failing_after(lambda values: HiddenPaper(**values).save(), HiddenPaper).save()
    assert Paper.objects.exists()
    assert names(folder) == ["a.txt"]


def test_a_row_in_a_chosen_database_keeps_its_file(folder: Path) -> None:
    alias = Paper.objects.db
    serializer = failing_after(lambda values: Paper(**values).save(using=alias))
    with connections["default"].cursor() as cursor:
        cursor.execute("CREATE TABLE contract_project_paper (id, title, first, second, kept)")
        with override_settings(DATABASE_ROUTERS=[ToDefault()]), pytest.raises(RuntimeError):
            serializer.save()
        cursor.execute("DROP TABLE contract_project_paper")
    assert Paper.objects.exists()
    assert names(folder) == ["a.txt"]


def test_packages_find_the_class_of_a_storage_while_it_saves(folder: Path) -> None:
    """They store its name, or send it to a worker, which imports it."""
    saving(title="a", first=upload("a.txt")).save()
    assert SEEN.pop() is FullStorage
