import json


def test_all_codecs_are_listed(lintel):
    rows = {row["codec"]: row for row in json.loads(lintel("codecs", "show").output)}
    assert rows["corejson"] == {
        "codec": "corejson",
        "media type": "application/coreapi+json",
        "support": "encode, decode",
        "package": "lintel-document",
    }
    assert rows["json"]["support"] == rows["text"]["support"] == "data"
    assert rows["download"]["media type"] == "*/*"
