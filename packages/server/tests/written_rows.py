"""Models of many kinds, values for them, and everything that writing a row leaves behind."""

import datetime
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps.registry import Apps
from django.core.files.storage import InMemoryStorage
from django.db import connections, models, transaction
from django.db.models import F, Value
from django.db.models.functions import Lower, Now
from django.db.models.signals import post_init, post_save, pre_init, pre_save
from hypothesis import strategies as st
from servers import everything_in

NOW = datetime.datetime(2026, 5, 17, 8, 30, 15, 123456, tzinfo=datetime.UTC)
KEY = uuid.UUID(int=7)
FILES = InMemoryStorage()


class Base:
    apps = Apps(["contract_project"])
    app_label = "contract_project"


class Owner(models.Model):
    name = models.CharField(max_length=20, unique=True)

    class Meta(Base):
        db_table = "inserts_owner"


class Doubled(models.IntegerField):
    """Twice as much in the database."""

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        return super().get_db_prep_save(None if value is None else value * 2, connection)


class Counting(models.IntegerField):
    """Counts how often it was asked for its value."""

    def pre_save(self, model_instance: Any, add: bool) -> Any:
        value = super().pre_save(model_instance, add) + 1
        setattr(model_instance, self.attname, value)
        return value


class Lowered(models.CharField):
    """Some of its values are made by the database."""

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        if value == "SHOUT":
            return Lower(Value(value))
        return super().get_db_prep_save(value, connection)


class Kinds(models.Model):
    text = models.CharField(max_length=20, default="")
    slug = models.SlugField(null=True)
    long = models.TextField(db_column="Long text", default="")
    number = models.IntegerField(default=lambda: 3)
    small = models.PositiveSmallIntegerField(null=True)
    big = models.BigIntegerField(null=True)
    ratio = models.FloatField(null=True)
    flag = models.BooleanField(null=True)
    price = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    moment = models.DateTimeField(null=True)
    day = models.DateField(null=True)
    time = models.TimeField(null=True)
    span = models.DurationField(null=True)
    key = models.UUIDField(default=KEY)
    data = models.JSONField(null=True)
    address = models.GenericIPAddressField(null=True)
    file = models.FileField(upload_to="up", null=True, storage=FILES)
    owner = models.ForeignKey(Owner, models.CASCADE, null=True)
    named = models.ForeignKey(Owner, models.CASCADE, null=True, to_field="name", related_name="+")
    doubled = Doubled(null=True)
    lowered = Lowered(max_length=9, null=True)
    made = models.DateTimeField(auto_now_add=True)
    seen = models.DateTimeField(auto_now=True)

    class Meta(Base):
        db_table = "inserts_kinds"


class Keyed(models.Model):
    """Its key is made in Python."""

    id = models.UUIDField(primary_key=True, default=lambda: KEY)
    text = models.CharField(max_length=5, unique=True)
    partner = models.OneToOneField(Owner, models.CASCADE, null=True)

    class Meta(Base):
        db_table = "inserts_keyed"


class Numbered(models.Model):
    class Meta(Base):
        db_table = "inserts_numbered"


class Further(Keyed):
    more = models.IntegerField(default=1)

    class Meta(Base):
        db_table = "inserts_further"


class Stand(Keyed):
    class Meta(Base):
        proxy = True


class Ordered(models.Model):
    owner = models.ForeignKey(Owner, models.CASCADE, null=True)

    class Meta(Base):
        db_table = "inserts_ordered"
        order_with_respect_to = "owner"


class Counted(models.Model):
    times = Counting(default=0)
    text = models.CharField(max_length=20)

    class Meta(Base):
        db_table = "inserts_counted"


class Computed(models.Model):
    number = models.IntegerField(default=1)
    at = models.DateTimeField(db_default=Now())
    raw = models.BinaryField(default=b"\x00\xff")

    class Meta(Base):
        db_table = "inserts_computed"


class Generated(models.Model):
    number = models.IntegerField(default=1)
    twice = models.GeneratedField(
        expression=F("number") * 2, output_field=models.IntegerField(), db_persist=True
    )

    class Meta(Base):
        db_table = "inserts_generated"


class Loud(models.QuerySet):
    def create(self, **values: Any) -> Any:
        return super().create(**{**values, "text": values["text"].upper()})


class Gentle(models.QuerySet):
    def quiet(self) -> Any:
        return self.filter(text="")


class Marked(models.Manager):
    def create(self, **values: Any) -> Any:
        return super().create(**values, slug="marked")


class Fewer(models.Manager):
    def get_queryset(self) -> Any:
        return super().get_queryset().filter(text="few")


class Saved(models.Model):
    text = models.CharField(max_length=20, default="")
    slug = models.SlugField(null=True)

    objects = models.Manager()
    loud = Loud.as_manager()
    gentle = Gentle.as_manager()
    marked = Marked()
    fewer = Fewer()

    class Meta(Base):
        db_table = "inserts_saved"


class SavesItself(Saved):
    def save(self, *args: Any, **kwargs: Any) -> None:
        self.slug = "saved"
        super().save(*args, **kwargs)

    class Meta(Base):
        proxy = True


class Dressed(models.Model):
    """Saves itself in a way of its own, which only its instances know."""

    text = models.CharField(max_length=20, default="")

    class Meta(Base):
        db_table = "inserts_dressed"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.text == "own":
            self.save_base = self._save_changed

    def __str__(self) -> str:
        return "dressed"

    def _save_changed(self, **kwargs: Any) -> None:
        self.text = "changed"
        super().save_base(**kwargs)

    @property
    def shout(self) -> str:
        return self.text.upper()

    @shout.setter
    def shout(self, text: str) -> None:
        self.text = text.lower()


MODELS = [
    Owner,
    Kinds,
    Keyed,
    Numbered,
    Further,
    Ordered,
    Counted,
    Computed,
    Generated,
    Saved,
    Dressed,
]


@contextmanager
def tables(alias: str, blocker: Any) -> Iterator[str]:
    """All tables in this database, with two owners, for the time of the block."""
    with everything_in(alias, blocker):
        with connections[alias].schema_editor() as editor:
            for model in MODELS:
                editor.create_model(model)
        with transaction.atomic(using=alias):
            Owner.objects.bulk_create(Owner(name=f"owner-{n}") for n in (1, 2))
        yield alias
        connections[alias].__dict__.pop("_lintel_statements", None)
        with connections[alias].schema_editor() as editor:
            for model in reversed(MODELS):
                editor.delete_model(model)


# ---- what a call leaves behind ----


@contextmanager
def listening() -> Iterator[list[Any]]:
    heard: list[Any] = []

    def hear(signal: Any, sender: Any, **told: Any) -> None:
        instance = told.pop("instance", None)
        told.pop("args", None)
        told["kwargs"] = sorted(told.get("kwargs", ()))
        heard.append((sender, instance and state_of(instance), told))

    signals = (pre_init, post_init, pre_save, post_save)
    for signal in signals:
        signal.connect(hear)
    try:
        yield heard
    finally:
        for signal in signals:
            signal.disconnect(hear)


def state_of(instance: Any) -> Any:
    """The attributes; a number that the database gave is only known to be there."""
    names = [name for name in vars(instance) if not name.startswith("_")]
    values = {name: getattr(instance, name) for name in names}
    if type(values.get("id")) is int:
        values["id"] = int
    state = instance._state
    mode = getattr(state, "fetch_mode", None)
    loaded = {name: one and one.pk for name, one in state.fields_cache.items()}
    return type(instance), repr(sorted(values.items())), loaded, state.adding, state.db, mode


def outcome(alias: str, make: Any) -> Any:
    """Instance or error, the row, the queries and the signals; nothing of it stays."""
    queries: list[Any] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        queries.append((sql, repr(params), many))
        return execute(sql, params, many, context)

    connection = connections[alias]
    with transaction.atomic(using=alias):
        with listening() as heard, connection.execute_wrapper(note):
            try:
                made = make()
                result = state_of(made)
            except Exception as error:
                made, result = None, (type(error), str(error).partition("DETAIL")[0])
        broken = connection.needs_rollback
        connection.needs_rollback = False
        row = None if made is None or broken else row_in(connection, made)
        transaction.set_rollback(True, using=alias)
    for name in FILES.listdir("up")[1] if FILES.exists("up") else ():
        FILES.delete(f"up/{name}")
    return result, row, queries, heard, broken


def row_in(connection: Any, instance: Any) -> Any:
    table = connection.ops.quote_name(type(instance)._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table} ORDER BY 1 DESC")
        names = [column[0] for column in cursor.description]
        rows = cursor.fetchall()
    return [{**dict(zip(names, row, strict=True)), "id": None} for row in rows]


# ---- values ----

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9)
OWNERS = st.sampled_from([1, 2])
ZONES = st.sampled_from([datetime.UTC, datetime.timezone(datetime.timedelta(hours=9))])
MOMENTS = st.datetimes(
    datetime.datetime(1900, 1, 2), datetime.datetime(2100, 1, 1), timezones=ZONES
)
VALUES: dict[str, Any] = {
    "text": TEXTS,
    "slug": st.none() | TEXTS,
    "long": TEXTS,
    "number": st.integers(-(2**31), 2**31 - 1) | st.just("12") | st.just(True),
    "small": st.none() | st.integers(0, 32767),
    "big": st.integers(-(2**63), 2**63 - 1),
    "ratio": st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.just(3),
    "flag": st.none() | st.booleans() | st.just("True") | st.just(1),
    "price": st.none() | st.decimals(-999999, 999999, places=2) | st.just("2.5") | st.just(2),
    "moment": st.none() | MOMENTS | st.just("2026-01-01T00:00:00Z"),
    "day": st.none() | st.dates() | st.just("2026-01-01") | st.just(NOW),
    "time": st.none() | st.times() | st.just("12:30"),
    "span": st.none() | st.timedeltas(datetime.timedelta(-9), datetime.timedelta(999)),
    "key": st.uuids() | st.just(str(KEY)),
    "data": st.none() | st.dictionaries(TEXTS, st.integers(0, 9) | st.none()) | st.lists(TEXTS),
    "address": st.none() | st.ip_addresses().map(str),
    "owner_id": st.none() | OWNERS | OWNERS.map(str),
    "named_id": st.none() | OWNERS.map("owner-{}".format),
    "doubled": st.none() | st.integers(0, 99),
    "lowered": st.sampled_from([None, "quiet", "SHOUT"]),
    "made": MOMENTS,
}
