# Names used by the expressions in field_cases.json, model_fields.json and
# openapi_cases.json: everything here plus everything in the serializers module.
import datetime
import decimal
import enum
import os
import re
import types
import uuid
from collections import OrderedDict, namedtuple
from datetime import date, time, timedelta
from decimal import Decimal
from types import SimpleNamespace
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.validators import (
    MaxLengthValidator, MaxValueValidator, MinLengthValidator, MinValueValidator,
    RegexValidator, validate_slug
)
from django.db import models
from django.utils.translation import gettext_lazy

from lintel import serializers, validators
from lintel.fields import *                                    # noqa
from lintel.fields import _UnvalidatedField, empty             # noqa
from lintel.relations import *                                 # noqa
from lintel.relations import Hyperlink, ManyRelatedField       # noqa
from lintel.serializers import *                               # noqa
from lintel.serializers import ListSerializer, ValidationError  # noqa
from lintel.validators import (                                # noqa
    UniqueForDateValidator, UniqueForMonthValidator, UniqueForYearValidator,
    UniqueTogetherValidator, UniqueValidator
)

from contract_project.models import (
    Article, Badge, Entry, Everything, Membership, Profile, Reservation, Snippet,
    StrictMembership, Tag
)

UTC = datetime.timezone.utc
NEW_YORK = ZoneInfo('America/New_York')
KATHMANDU = ZoneInfo('Asia/Kathmandu')
HERE = os.path.dirname(os.path.abspath(__file__))


class Colour(models.TextChoices):
    RED = 'r', 'Red'
    GREEN = 'g', 'Green'


class Level(models.IntegerChoices):
    LOW = 1, 'Low'
    HIGH = 2, 'High'


class Plain(enum.Enum):
    ONE = 1
    TWO = 'two'


def even(value):
    if value % 2:
        raise ValidationError('Must be even.', code='odd')


def shout(value):
    raise DjangoValidationError('No shouting: %(value)s', code='shout', params={'value': value})


def many_problems(value):
    raise ValidationError(['first problem', 'second problem'])


def problem_map(value):
    raise ValidationError({'inner': ['inner problem'], 'other': 'other problem'}, code='mapped')


class NeedsContext:
    requires_context = True

    def __call__(self, value, serializer_field):
        raise ValidationError('Seen by %s.' % type(serializer_field).__name__, code='context')


def bound(field, name='f', context=None, instance=None, partial=False, many=False):
    """The field as it is when it belongs to a serializer."""
    cls = type('Holder', (serializers.Serializer,), {name: field})
    return cls(context=context or {}, instance=instance, partial=partial).fields[name]


def request_for(path='/', host='testserver', version=None, query=''):
    from django.test import RequestFactory
    from lintel.request import Request
    raw = RequestFactory().get(path + query, HTTP_HOST=host)
    request = Request(raw)
    request.version = version
    request.versioning_scheme = None
    return request


def upload(name='a.txt', content=b'hello', content_type='text/plain', size=None):
    out = SimpleUploadedFile('x', content, content_type=content_type)
    out._name = name
    if size is not None:
        out.size = size
    return out


def png(width=1, height=1, name='p.png'):
    import io
    from PIL import Image
    buffer = io.BytesIO()
    Image.new('RGB', (width, height)).save(buffer, 'PNG')
    return upload(name, buffer.getvalue(), 'image/png')


class FileLike:
    """Stands in for a stored file."""
    def __init__(self, name, url=None):
        self.name = name
        if url is not None:
            self.url = url

    def __bool__(self):
        return bool(self.name)


class Raises:
    """An object whose attributes raise."""
    def __init__(self, exception):
        self.__dict__['exception'] = exception

    def __getattr__(self, name):
        raise self.exception


# ---- serializers --------------------------------------------------------

class PointSerializer(serializers.Serializer):
    x = serializers.IntegerField()
    y = serializers.IntegerField(required=False, default=0)


class LineSerializer(serializers.Serializer):
    name = serializers.CharField(max_length=5)
    start = PointSerializer()
    end = PointSerializer(required=False, allow_null=True)


class PathSerializer(serializers.Serializer):
    points = PointSerializer(many=True)
    extra = PointSerializer(many=True, required=False, allow_null=True)


class BoundedPathSerializer(serializers.Serializer):
    points = PointSerializer(many=True, min_length=1, max_length=2)
    solid = PointSerializer(many=True, allow_empty=False, required=False)


class HookedSerializer(serializers.Serializer):
    low = serializers.IntegerField()
    high = serializers.IntegerField()
    word = serializers.CharField(required=False)

    def validate_word(self, value):
        if value == 'bad':
            raise serializers.ValidationError('Bad word.', code='bad_word')
        if value == 'django':
            raise DjangoValidationError('From the host framework.', code='host')
        if value == 'list':
            raise serializers.ValidationError(['one', 'two'])
        return value.upper()

    def validate(self, attrs):
        if attrs['low'] > attrs['high']:
            raise serializers.ValidationError('low above high', code='order')
        if attrs['low'] == -1:
            raise serializers.ValidationError({'low': 'minus one', 'made_up': ['a', 'b']})
        if attrs['low'] == -2:
            raise DjangoValidationError({'low': ['host one'], 'high': ['host two']})
        if attrs['low'] == -3:
            raise DjangoValidationError('host plain', code='host_plain')
        if attrs['low'] == -4:
            raise serializers.ValidationError(['p', 'q'])
        return attrs


class SourceSerializer(serializers.Serializer):
    renamed = serializers.CharField(source='original')
    deep = serializers.CharField(source='outer.inner')
    deep_two = serializers.IntegerField(source='outer.other', required=False)


class WholeSerializer(serializers.Serializer):
    inner = PointSerializer(source='*')
    tail = serializers.CharField(required=False)


class FlagsSerializer(serializers.Serializer):
    required = serializers.CharField()
    optional = serializers.CharField(required=False)
    defaulted = serializers.CharField(default='dflt')
    called = serializers.CharField(default=lambda: 'called')
    nullable = serializers.CharField(allow_null=True)
    nullable_optional = serializers.CharField(allow_null=True, required=False)
    blankable = serializers.CharField(allow_blank=True)
    read = serializers.CharField(read_only=True)
    read_default = serializers.CharField(read_only=True, default='ro')
    write = serializers.CharField(write_only=True)
    hidden = serializers.HiddenField(default='secret')
    hidden_created = serializers.HiddenField(default=serializers.CreateOnlyDefault('new'))


class MethodSerializer(serializers.Serializer):
    double = serializers.SerializerMethodField()
    named = serializers.SerializerMethodField(method_name='other')

    def get_double(self, obj):
        return obj['n'] * 2

    def other(self, obj):
        return {'n': obj['n']}


class FormSerializer(serializers.Serializer):
    """For form (QueryDict) input."""
    text = serializers.CharField(required=False, allow_blank=True)
    nullable = serializers.CharField(required=False, allow_null=True)
    number = serializers.IntegerField(required=False, allow_null=True)
    flag = serializers.BooleanField(required=False)
    choice = serializers.ChoiceField(choices=['a', 'b'], required=False, allow_blank=True)
    multi = serializers.MultipleChoiceField(choices=['a', 'b', 'c'], required=False)
    items = serializers.ListField(child=serializers.IntegerField(), required=False)
    mapping = serializers.DictField(child=serializers.CharField(), required=False)
    point = PointSerializer(required=False)
    points = PointSerializer(many=True, required=False)
    blob = serializers.JSONField(required=False)
    day = serializers.DateField(required=False, allow_null=True)


class StrictFormSerializer(serializers.Serializer):
    text = serializers.CharField()
    flag = serializers.BooleanField()
    items = serializers.ListField(child=serializers.IntegerField())
    mapping = serializers.DictField()
    point = PointSerializer()
    points = PointSerializer(many=True)
    multi = serializers.MultipleChoiceField(choices=['a', 'b', 'c'])


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ['id', 'name']


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ['id', 'created', 'title', 'code', 'linenos', 'language', 'style', 'rating',
                  'owner', 'tags']


class SnippetDepthSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ['id', 'title', 'tags']
        depth = 1


class SnippetNestedSerializer(serializers.ModelSerializer):
    tags = TagSerializer(many=True)

    class Meta:
        model = Snippet
        fields = ['id', 'title', 'code', 'tags']


class SnippetRelationsSerializer(serializers.ModelSerializer):
    owner = serializers.SlugRelatedField(slug_field='username', queryset=User.objects.all())
    owner_name = serializers.CharField(source='owner.username', read_only=True)
    tag_names = serializers.SlugRelatedField(slug_field='name', many=True, source='tags',
                                             queryset=Tag.objects.all())
    tag_text = serializers.StringRelatedField(many=True, source='tags')

    class Meta:
        model = Snippet
        fields = ['id', 'owner', 'owner_name', 'tag_names', 'tag_text']


class ReservationSerializer(serializers.ModelSerializer):
    class Meta:
        model = Reservation
        fields = ['id', 'room', 'slot', 'note']


class ReservationReadOnlyRoomSerializer(serializers.ModelSerializer):
    class Meta:
        model = Reservation
        fields = ['id', 'room', 'slot']
        read_only_fields = ['room']


class MembershipSerializer(serializers.ModelSerializer):
    class Meta:
        model = Membership
        fields = ['id', 'team', 'number']


class StrictMembershipSerializer(serializers.ModelSerializer):
    class Meta:
        model = StrictMembership
        fields = ['id', 'team', 'number']


class BadgeSerializer(serializers.ModelSerializer):
    class Meta:
        model = Badge
        fields = ['id', 'code', 'zone', 'active']


class ArticleSerializer(serializers.ModelSerializer):
    class Meta:
        model = Article
        fields = ['id', 'published', 'slug', 'series', 'column']


class EverythingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Everything
        fields = '__all__'


class UserProfileSerializer(serializers.ModelSerializer):
    bio = serializers.CharField(source='profile.bio')

    class Meta:
        model = User
        fields = ['id', 'username', 'bio']
