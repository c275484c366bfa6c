"""Settings and URLs for suites whose source distribution leaves theirs out."""
