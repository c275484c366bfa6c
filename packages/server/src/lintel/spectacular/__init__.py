"""The vocabulary of drf-spectacular, for projects without that package.

Module by module, its public names stand for what ``lintel.schemas`` has. After
``lintel.dropin.enable()`` the name ``drf_spectacular`` leads here, unless the package is installed.
"""
