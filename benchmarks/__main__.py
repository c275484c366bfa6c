"""``python -m benchmarks [suite ...] [options]``: run the suites and print their tables.

Options are for one suite that has some: ``python -m benchmarks servers --help``.
"""

import itertools
import sys
from collections.abc import Sequence

from benchmarks import codecs, growth, lists, requests, schema, serializers, servers

SUITES = {
    "requests": requests.main,
    "serializers": serializers.main,
    "lists": lists.main,
    "servers": servers.main,
    "codecs": codecs.main,
    "schema": schema.main,
}
#: They write the documentation page, and only run when they are named with the others left out.
SUITES_WITH_OPTIONS = {"servers": servers.main, "growth": growth.main}


def main(arguments: Sequence[str]) -> None:
    names = list(itertools.takewhile(lambda each: not each.startswith("-"), arguments))
    given = arguments[len(names) :]
    if given:
        (name,) = names
        print(SUITES_WITH_OPTIONS[name](given))
        return
    for name in names or SUITES:
        print(f"\n## {name}\n\n{SUITES[name]()}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
