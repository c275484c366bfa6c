"""Lists that grow by rows and by fields, and many routes, in the frameworks that are compared."""
