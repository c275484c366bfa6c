"""``make fuzz``: hostile input for lintel, with Django REST framework beside it.

``inputs`` makes requests by grammar, ``texts`` those that are JSON; ``worker`` answers them inside
of a process, ``network`` sends bytes to real servers, and ``guided`` changes input by coverage.
``models``, ``views``, ``urls`` and ``settings`` are the project, on either package.
"""
