"""What servers of the Model Context Protocol share: operations as tools, whoever calls them.

Nothing here calls an operation or knows the protocol: a ``Source`` does the one, its user the
other.
"""
