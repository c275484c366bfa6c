"""What generated models are made of: their base, the mark of absent members, and reading."""

from lintel_client.models.base import Model
from lintel_client.models.calls import ModelOperations, Results
from lintel_client.models.members import UNSET, Unset
from lintel_client.models.readers import ModelError, read

__all__ = ["UNSET", "Model", "ModelError", "ModelOperations", "Results", "Unset", "read"]
