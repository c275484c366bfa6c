"""Classes that projects name as ``auto_schema``: their own methods are not asked."""


class SwaggerAutoSchema:
    """Stands for the class of drf-yasg; operations are described by ``lintel.schemas``."""
