"""Pages of 20, or up to 100 if the client asks for it."""

from lintel.pagination import PageNumberPagination


class ServicePages(PageNumberPagination):
    """``?page=3&page_size=50``."""

    page_size = 20
    page_size_query_param = "page_size"
    max_page_size = 100
