"""Models with the names and fields that the suite of djangochannelsrestframework uses."""

from django.db import models


class TestModel(models.Model):
    name = models.CharField(max_length=40)


class TestModelWithCustomPK(models.Model):
    name = models.CharField(max_length=40, primary_key=True)
    description = models.CharField(max_length=40, null=True)
