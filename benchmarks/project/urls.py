"""The endpoints of this process's contender."""

import os
from importlib import import_module

MODULES = {"plain": "plain", "ninja": "ninja", "dmr": "modern"}
_MODULE = MODULES.get(os.environ["BENCHMARK_FRAMEWORK"], "framework")
urlpatterns = import_module(f"benchmarks.project.{_MODULE}").urlpatterns
