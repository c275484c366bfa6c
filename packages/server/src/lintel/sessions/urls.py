"""The addresses of the views of sessions, below one of the project."""

from django.urls import URLPattern, path

from lintel.sessions import views

app_name = "sessions"

urlpatterns: list[URLPattern] = [
    path("", views.SessionView.as_view(), name="session"),
    path("csrf/", views.CSRFView.as_view(), name="csrf"),
    path("login/", views.LoginView.as_view(), name="login"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
]
