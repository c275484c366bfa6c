"""The parts of forms on pages."""
