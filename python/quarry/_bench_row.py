"""One thing that `python -m quarry bench` measures."""

import statistics
from typing import Any, Callable, Dict, List

Measure = Callable[[], float]


class Row:
    """One thing that is measured: engines that take turns, and the bar that the first must reach."""

    def __init__(self, name: str, unit: str, better: str, bar: str) -> None:
        self.name = name
        self.unit = unit
        self.better = better
        self.bar = bar
        self.engines: Dict[str, Measure] = {}
        self.values: Dict[str, List[float]] = {}
        self.closes: List[Callable[[], object]] = []

    def add(self, engine: str, measure: Measure) -> None:
        self.engines[engine] = measure
        self.values[engine] = []

    def run(self, runs: int) -> None:
        for measure in self.engines.values():
            measure()  # warm
        for turn in range(runs):
            names = list(self.engines)
            for engine in names[turn % len(names) :] + names[: turn % len(names)]:
                self.values[engine].append(self.engines[engine]())
        for close in self.closes:
            close()

    def median(self, engine: str) -> float:
        return statistics.median(self.values[engine])

    def ratio(self, engine: str, other: str) -> float:
        """The median of the ratios within one turn."""
        return statistics.median(a / b for a, b in zip(self.values[engine], self.values[other]))

    def results(self, workers: int) -> List[Dict[str, Any]]:
        found = []
        for engine, values in self.values.items():
            median = statistics.median(values)
            spread = (max(values) - min(values)) / median if median else 0.0
            found.append(
                {"name": self.name, "engine": engine, "workers": workers, "value": median, "unit": self.unit,
                 "better": self.better, "runs": len(values), "spread": spread}
            )
        return found
