"""The Django project that every contender of the request benchmark runs."""
