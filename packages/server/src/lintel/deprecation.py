"""Categories of warnings about names that will be removed.

The names are those that projects already use in their warning filters.
"""


class RemovedInDRF319Warning(DeprecationWarning):
    """Warns that a name will be removed in the next minor version."""


class RemovedInDRF320Warning(PendingDeprecationWarning):
    """Warns that a name will be removed in the minor version after the next."""


RemovedInNextDRFVersionWarning = RemovedInDRF319Warning
RemovedAfterNextDRFVersionWarning = RemovedInDRF320Warning
