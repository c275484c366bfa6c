"""A shelf of books: one view for each kind of page."""
