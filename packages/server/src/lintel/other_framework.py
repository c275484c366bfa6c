"""The package whose API this one speaks: its names, and what is built on it itself."""

OTHER_DISTRIBUTION = "djangorestframework"
#: Its import name, and the name for both.
OTHER_NAME = "rest_framework"
CALL_ENABLE = (
    "Call lintel.dropin.enable() in the first lines of the settings module: from then on the name "
    "rest_framework stands for lintel, in packages too."
)


def extends_other(cls: type) -> bool:
    return any(base.__module__.partition(".")[0] == OTHER_NAME for base in cls.__mro__)
