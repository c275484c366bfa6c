"""Models with the names and fields that the suite of drf-tweaks uses."""

from django.db import models


class Named(models.Model):
    name = models.CharField(max_length=40)

    class Meta:
        abstract = True


class SampleModel(models.Model):
    a = models.CharField(max_length=40)
    b = models.CharField(max_length=40, null=True, blank=True)


class SampleModelWithFK(models.Model):
    parent = models.ForeignKey(SampleModel, models.CASCADE)


class SampleModelForAutofilter(models.Model):
    fk = models.ForeignKey(SampleModel, models.CASCADE, related_name="with_index")
    non_indexed_fk = models.ForeignKey(
        SampleModel, models.CASCADE, related_name="without_index", db_index=False
    )
    indexed_int = models.IntegerField(db_index=True)
    non_indexed_int = models.IntegerField()
    indexed_char = models.CharField(max_length=40, db_index=True)
    non_indexed_char = models.CharField(max_length=40)
    indexed_text = models.TextField(db_index=True)
    non_indexed_text = models.TextField()
    indexed_url = models.URLField(db_index=True)
    non_indexed_url = models.URLField()
    indexed_email = models.EmailField(db_index=True)
    non_indexed_email = models.EmailField()
    nullable_field = models.IntegerField(null=True, db_index=True)
    unique_text = models.CharField(max_length=40, unique=True)


class AutoOptimization3Model(Named):
    sample = models.ForeignKey(SampleModel, models.CASCADE)


class AutoOptimization2Model(Named):
    fk_3_1 = models.ForeignKey(AutoOptimization3Model, models.CASCADE, related_name="reverse_2_1")
    fk_3_2 = models.ForeignKey(AutoOptimization3Model, models.CASCADE, related_name="reverse_2_2")
    sample = models.ForeignKey(SampleModel, models.CASCADE)


class AutoOptimization1Model(Named):
    fk_2 = models.ForeignKey(AutoOptimization2Model, models.CASCADE, related_name="reverse_1")
    sample_m2m = models.ManyToManyField(SampleModel)


class ThirdLevelModelForNestedFilteringTest(Named):
    pass


class SecondLevelModelForContextPassingTest(Named):
    third = models.ForeignKey(ThirdLevelModelForNestedFilteringTest, models.CASCADE, null=True)


class TopLevelModelForContextPassingTest(Named):
    second = models.ForeignKey(SecondLevelModelForContextPassingTest, models.CASCADE)
