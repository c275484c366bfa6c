from lintel_document import EncodeError, LintelError, NoCodecAvailable, ParseError


def test_all_errors_share_one_root():
    for error in (EncodeError, NoCodecAvailable, ParseError):
        assert issubclass(error, LintelError)
