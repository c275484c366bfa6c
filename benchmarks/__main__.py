"""``python -m benchmarks [suite ...]``: run the suites and print their tables."""

import sys

from benchmarks import codecs, lists, requests, schema, serializers, servers

SUITES = {
    "requests": requests.main,
    "serializers": serializers.main,
    "lists": lists.main,
    "servers": servers.main,
    "codecs": codecs.main,
    "schema": schema.main,
}


def main() -> None:
    for name in sys.argv[1:] or SUITES:
        print(f"\n## {name}\n\n{SUITES[name]()}", flush=True)


if __name__ == "__main__":
    main()
