import datetime

from django.contrib.auth.models import Permission, User
from lintel.authtoken.models import Token

from contract_project.models import (
    Article, Badge, Entry, Membership, Profile, Reservation, Snippet, StrictMembership, Tag
)

UTC = datetime.timezone.utc
PASSWORDS = {'alice': 'alice-pw', 'bob': 'bob-pw', 'carol': 'carol-pw', 'dave': 'dave-pw',
             'erin': 'erin-pw'}


def load():
    """alice: superuser and staff; carol: staff; bob: plain; dave: inactive;
    erin: plain with the model permissions view, add and change on Snippet."""
    for number, (name, password) in enumerate(PASSWORDS.items(), start=1):
        user = User.objects.create(
            id=number, username=name, email=name + '@example.com',
            is_superuser=name == 'alice', is_staff=name in ('alice', 'carol'),
            is_active=name != 'dave',
            date_joined=datetime.datetime(2024, 1, number, tzinfo=UTC))
        user.set_password(password)
        user.save()
        Token.objects.create(user=user, key='%s-token-0123456789abcdef0123456789' % name,
                             created=datetime.datetime(2024, 1, 1, tzinfo=UTC))
        Profile.objects.create(user=user, bio='bio of ' + name)
    erin = User.objects.get(username='erin')
    for action in ('view', 'add', 'change'):
        erin.user_permissions.add(Permission.objects.get(codename=action + '_snippet'))

    tags = [Tag.objects.create(id=i, name=n) for i, n in enumerate(['red', 'green', 'blue'], 1)]
    rows = [
        (1, 'alpha', 'print(1)', 'python', 1, '4.5', tags[:2]),
        (2, 'beta', 'alert(2)', 'js', 2, None, tags[1:]),
        (3, '', 'plain text \u00e9\u4e2d', 'text', 2, '0.5', []),
    ]
    for pk, title, code, language, owner, rating, tag_list in rows:
        snippet = Snippet.objects.create(
            id=pk, title=title, code=code, language=language, owner_id=owner, rating=rating,
            created=datetime.datetime(2024, 2, pk, 10, 0, 0, tzinfo=UTC))
        snippet.tags.set(tag_list)

    # 23 rows; rows 6 to 15 share one timestamp
    for pk in range(1, 24):
        day = 6 if 6 <= pk <= 15 else pk
        Entry.objects.create(id=pk, name='entry-%02d' % pk, score=pk % 4,
                             created=datetime.datetime(2024, 3, day, 12, 0, 0, tzinfo=UTC))

    Reservation.objects.create(id=1, room='A', slot=1, note='first')
    Reservation.objects.create(id=2, room='A', slot=2)
    Membership.objects.create(id=1, team='x', number=1)
    Membership.objects.create(id=2, team='x', number=None)
    StrictMembership.objects.create(id=1, team='x', number=1)
    StrictMembership.objects.create(id=2, team='x', number=None)
    Badge.objects.create(id=1, code='b1', zone='north', active=True)
    Badge.objects.create(id=2, code='b2', zone='north', active=False)
    Article.objects.create(id=1, published=datetime.date(2024, 4, 10), slug='one',
                           series='s1', column='c1')
