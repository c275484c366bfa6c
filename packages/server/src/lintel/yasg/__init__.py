"""The vocabulary of drf-yasg, for projects without that package: decorators, schemas, views.

After ``lintel.dropin.enable()`` the name ``drf_yasg`` leads here, unless the package is installed.
"""
