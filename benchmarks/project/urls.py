"""The endpoints of the contender that this process is."""

import os
from importlib import import_module

_PLAIN = os.environ["BENCHMARK_FRAMEWORK"] == "plain"
urlpatterns = import_module(f"benchmarks.project.{'plain' if _PLAIN else 'framework'}").urlpatterns
