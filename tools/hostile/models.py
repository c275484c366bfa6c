"""Rows with a column of each usual type."""

import uuid

from django.contrib.auth import get_user_model
from django.db import models


class Label(models.Model):
    name = models.CharField(max_length=20, unique=True)

    class Meta:
        db_table = "hostile_label"


class Note(models.Model):
    title = models.CharField(max_length=40)
    slug = models.SlugField(unique=True, null=True, blank=True)
    number = models.IntegerField(default=0)
    price = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    ratio = models.FloatField(null=True, blank=True)
    is_open = models.BooleanField(default=True)
    day = models.DateField(null=True, blank=True)
    moment = models.DateTimeField(null=True, blank=True)
    length = models.DurationField(null=True, blank=True)
    identity = models.UUIDField(default=uuid.uuid4)
    link = models.URLField(blank=True)
    mail = models.EmailField(blank=True)
    address = models.GenericIPAddressField(null=True, blank=True)
    kind = models.CharField(max_length=5, choices=[("a", "A"), ("b", "B")], default="a")
    extra = models.JSONField(default=dict, blank=True)
    photo = models.FileField(null=True, blank=True)
    owner = models.ForeignKey(get_user_model(), models.CASCADE, null=True, blank=True)
    labels = models.ManyToManyField(Label, blank=True)

    class Meta:
        db_table = "hostile_note"
