"""How users and snippets look on the wire."""

from django.contrib.auth.models import User
from pygments.lexers import get_all_lexers
from pygments.styles import get_all_styles

from lintel import serializers
from snippets.models import Snippet

# Choices belong to the API, not to the table, so a new Pygments needs no migration.
LANGUAGES = sorted((aliases[0], name) for name, aliases, _, _ in get_all_lexers() if aliases)
STYLES = sorted((name, name) for name in get_all_styles())


class SnippetSerializer(serializers.HyperlinkedModelSerializer):
    """A snippet; ``code`` is stored to the byte, so nothing is trimmed from it."""

    owner = serializers.ReadOnlyField(source="owner.username")
    highlight = serializers.HyperlinkedIdentityField(view_name="snippet-highlight", format="html")
    code = serializers.CharField(trim_whitespace=False, style={"base_template": "textarea.html"})

    language = serializers.ChoiceField(choices=LANGUAGES, default="python")
    style = serializers.ChoiceField(choices=STYLES, default="friendly")

    class Meta:
        model = Snippet
        fields = [
            "url",
            "pk",
            "highlight",
            "owner",
            "created",
            "title",
            "code",
            "linenos",
            "language",
            "style",
        ]


class UserSerializer(serializers.HyperlinkedModelSerializer):
    """A user with links to all snippets that they own."""

    snippets = serializers.HyperlinkedRelatedField(
        many=True, view_name="snippet-detail", read_only=True
    )

    class Meta:
        model = User
        fields = ["url", "id", "username", "snippets"]
