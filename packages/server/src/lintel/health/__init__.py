"""Whether this process is alive, has started, and can take requests; and how it stops taking them.

    path("health/", include("lintel.health.urls"))

``live`` asks nothing, ``ready`` asks the checks of HEALTH_CHECKS, each within HEALTH_TIMEOUT
seconds, ``started`` passes for good once they have passed. None of them needs credentials.
"""

from lintel.health.checks import Heartbeat as Heartbeat
from lintel.health.checks import beat as beat
from lintel.health.checks import caches as caches
from lintel.health.checks import databases as databases
from lintel.health.checks import migrations as migrations
from lintel.health.draining import begin_draining as begin_draining
from lintel.health.draining import end_draining as end_draining
from lintel.health.draining import is_draining as is_draining
from lintel.health.views import live as live
from lintel.health.views import ready as ready
from lintel.health.views import started as started
from lintel.patches import carry_on_patches

carry_on_patches(__name__)
