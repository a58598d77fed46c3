"""How a figure is printed: what, how much, and what it must reach."""

import statistics
import time
from collections.abc import Callable

ROUNDS = 25


def line(what: str, figure: str, limit: str) -> None:
    """Prints one figure."""
    print(f"{what:<72}{figure:>22}   must reach {limit}", flush=True)


def best(work: Callable[[], None], rounds: int = ROUNDS) -> float:
    """The shortest of several runs, in seconds: what the machine's other work disturbed least."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def median_of(work: Callable[[], object], rounds: int) -> float:
    """The median of several runs, in seconds."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)
