"""Trying out the move of a project from Django REST framework: ``python -m lintel doctor``."""

from lintel.doctor.command import examine as examine
from lintel.doctor.command import main as main
from lintel.doctor.command import use_settings as use_settings
from lintel.doctor.comparing import compare as compare
from lintel.doctor.names import imported_names as imported_names
