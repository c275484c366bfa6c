"""Categories of warnings for interface that will go away.

The names are those that projects already put into their warning filters.
"""

from __future__ import annotations


class RemovedInDRF319Warning(DeprecationWarning):
    """What it names is gone with the next minor version."""


class RemovedInDRF320Warning(PendingDeprecationWarning):
    """What it names is gone with the minor version after the next."""


RemovedInNextDRFVersionWarning = RemovedInDRF319Warning
RemovedAfterNextDRFVersionWarning = RemovedInDRF320Warning
