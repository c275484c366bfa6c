"""The version, kept here so that asking for it imports nothing."""

__all__ = ["__version__"]

__version__ = "0.1.0"
