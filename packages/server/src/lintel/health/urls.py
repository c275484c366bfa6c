"""``path("health/", include("lintel.health.urls"))``: ``live/``, ``ready/`` and ``started/``."""

from django.urls import URLPattern, path

from lintel.health.views import live, ready, started

app_name = "health"

urlpatterns: list[URLPattern] = [
    path("live/", live, name="live"),
    path("ready/", ready, name="ready"),
    path("started/", started, name="started"),
]
