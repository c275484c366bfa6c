"""``python -m lintel_contract OLD NEW``: what changed, and what it means for clients."""

import sys

from lintel_contract.command import main

if __name__ == "__main__":
    sys.exit(main())
