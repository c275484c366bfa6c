"""``python -m benchmarks [suite ...] [options]``: run the suites and print their tables.

Options are for one suite that has some: ``python -m benchmarks servers --help``.
"""

import itertools
import signal
import sys
from collections.abc import Callable, Sequence

from benchmarks import codecs, growth, lists, requests, schema, serializers, servers, shapes

SUITES = {
    "requests": requests.main,
    "serializers": serializers.main,
    "lists": lists.main,
    "servers": servers.main,
    "codecs": codecs.main,
    "schema": schema.main,
}
#: Suites that take options. Growth is not part of a run of everything.
SUITES_WITH_OPTIONS = {"servers": servers.main, "growth": growth.main, "shapes": shapes.main}


def main(arguments: Sequence[str]) -> None:
    names = list(itertools.takewhile(lambda each: not each.startswith("-"), arguments))
    given = arguments[len(names) :]
    if given:
        print(suite_with_options(names)(given))
        return
    for name in names or SUITES:
        print(f"\n## {name}\n\n{(SUITES | SUITES_WITH_OPTIONS)[name]()}", flush=True)


def suite_with_options(names: Sequence[str]) -> Callable[[Sequence[str]], str]:
    """Return the only suite that is named. Raises SystemExit if it has no options."""
    if len(names) != 1 or names[0] not in SUITES_WITH_OPTIONS:
        raise SystemExit(f"options belong to one suite: {' or '.join(SUITES_WITH_OPTIONS)}")
    return SUITES_WITH_OPTIONS[names[0]]


if __name__ == "__main__":
    # Servers that were started are ended on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    main(sys.argv[1:])
