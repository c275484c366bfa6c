"""Lets Django make the tables of the models in the test modules."""
