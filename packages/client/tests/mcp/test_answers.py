from lintel_client.mcp.answers import plain
from lintel_document import Document, Link


def test_documents_are_shown_without_what_only_programs_read():
    link = Link("https://x.org/a", "get", operation_id="read", tags=["t"], accept=["text/csv"])
    shown = plain(Document("https://x.org/", "T", content={"go": link}))
    assert shown["go"] == {"_type": "link", "url": "/a", "action": "get"}
