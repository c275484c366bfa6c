"""What a project writes when it names its models to type checkers; checked by mypy and pyright."""

from typing import Any, assert_type

from django.contrib.auth.models import User
from django.db.models import QuerySet

from lintel import authentication, generics, serializers, viewsets
from lintel.request import Request
from lintel.response import Response


class UserSerializer(serializers.ModelSerializer[User]):
    class Meta:
        model = User
        fields = ["id", "username"]

    def create(self, validated_data: dict[str, Any]) -> User:
        return super().create(validated_data)

    def update(self, instance: User, validated_data: dict[str, Any]) -> User:
        return super().update(instance, validated_data)


class UserList(generics.ListCreateAPIView[User]):
    queryset = User.objects.all()
    serializer_class = UserSerializer

    def get_queryset(self) -> QuerySet[User]:
        return super().get_queryset().filter(is_active=True)

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        return super().get(request, *args, **kwargs)


class AnyUserSerializer(serializers.UnionSerializer):
    serializers = {"user": UserSerializer}

    @property
    def classes(self) -> list[Any]:
        return [self.serializers.get("user"), *self.serializers.values()]


class CachedTokens(authentication.TokenAuthentication):
    def authenticate_credentials(self, key: str) -> tuple[User, object]:
        token = self.get_model().objects.select_related("user").get(key=key)
        return token.user, token


class UserViewSet(viewsets.ModelViewSet[User]):
    queryset = User.objects.all()
    serializer_class = UserSerializer


class Bare(generics.GenericAPIView):
    """Without a model, everything is possible."""

    serializer_class = serializers.Serializer


assert_type(UserSerializer(User()).instance, User | None)
assert_type(UserSerializer(data={}).save(), User)
assert_type(UserList().get_object(), User)
assert_type(UserViewSet().get_queryset(), QuerySet[User])
assert_type(Bare().get_object(), Any)
assert_type(serializers.ModelSerializer().save(), Any)
assert_type(Response({}).data, Any)
