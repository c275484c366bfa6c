"""Models with the names and fields that the suite of django-hashid-field uses."""

from django.db import models
from hashid_field import BigHashidAutoField, HashidAutoField, HashidField


class Artist(models.Model):
    id = HashidAutoField(primary_key=True)
    name = models.CharField(max_length=40)


class Record(models.Model):
    id = BigHashidAutoField(primary_key=True)
    name = models.CharField(max_length=40)
    artist = models.ForeignKey(Artist, models.CASCADE, null=True, related_name="records")
    reference_id = HashidField()


class Track(models.Model):
    id = BigHashidAutoField(primary_key=True, salt="some salt", min_length=10)
