"""Login and logout for the browsable interface.

    path("api-auth/", include("lintel.urls"))

Both are Django's views, which check CSRF tokens.
"""

from django.contrib.auth import views
from django.urls import URLPattern, path

app_name = "rest_framework"

urlpatterns: list[URLPattern] = [
    path(
        "login/", views.LoginView.as_view(template_name="rest_framework/login.html"), name="login"
    ),
    path("logout/", views.LogoutView.as_view(), name="logout"),
]
