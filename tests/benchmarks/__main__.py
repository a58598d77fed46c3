"""Runs the benchmarks named on the command line, or all of them, and prints a line for each figure."""

import sys
from collections.abc import Callable
from typing import Final

from tests.benchmarks import disk, http, proofs, replays, streams

BENCHMARKS: Final[dict[str, Callable[[], None]]] = {
    "replay": replays.replay,
    "legal": replays.legal,
    "moves": http.moves,
    "long": http.long_game,
    "reads": http.reads,
    "streams": streams.streams,
    "disk": disk.main,
    "sealing": proofs.sealing,
    "audits": proofs.audits,
    "archive": proofs.archive,
}


def main(names: list[str]) -> None:
    """Runs the benchmarks ``names``, in the order given."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"There is no benchmark {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}.")
    for name in names or BENCHMARKS:
        BENCHMARKS[name]()


main(sys.argv[1:])
