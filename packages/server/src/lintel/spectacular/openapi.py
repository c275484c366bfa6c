"""The schema class that projects derive from and override hooks of."""

from lintel.inspectors import ViewInspector


class AutoSchema(ViewInspector):
    """Projects override hooks of drf-spectacular here: ``get_tags()``, ``get_operation_id()``, ….

    They take no arguments; ``view``, ``path`` and ``method`` name the operation. In a document,
    ``super()`` answers what the AutoSchema of ``lintel.schemas`` says.
    """
