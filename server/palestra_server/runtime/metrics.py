"""Prometheus metrics: totals are read from the gateway and the host at scrape time, not counted twice."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from palestra_server.gateway import Counts
from palestra_server.runtime.machines import Machines


class Turnaround:
    """A histogram of the time from reading an action to writing its consequences, in seconds.

    Updated at every move, and in one thread only: the library's own histogram takes a lock for each of two counters.
    """

    BOUNDS: Final = (5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1, 5e-1)

    def __init__(self) -> None:
        self._counts = [0] * (len(self.BOUNDS) + 1)
        self._sum = 0.0

    def observe(self, seconds: float) -> None:
        self._counts[bisect_left(self.BOUNDS, seconds)] += 1
        self._sum += seconds

    def family(self) -> Metric:
        """In Prometheus' form: how many are at or below each bound."""
        text = "From the moment an action was read to the moment its consequences were written"
        bounds = (*map(str, self.BOUNDS), "+Inf")
        buckets = list(zip(bounds, accumulate(self._counts), strict=True))
        return HistogramMetricFamily("palestra_turnaround_seconds", text, buckets=buckets, sum_value=self._sum)


@dataclass(slots=True)
class Tally:
    """Matches started, matches ended by reason, actions accepted and how long each took."""

    started: int = 0
    actions: int = 0
    ended: dict[str, int] = field(default_factory=dict)
    turnaround: Turnaround = field(default_factory=Turnaround)

    def acted(self, seconds: float) -> None:
        """An action was accepted; `seconds` from reading it to writing its consequences."""
        self.actions += 1
        self.turnaround.observe(seconds)


class Metrics:
    """The registry behind `/metrics`; `machines`: those that share the database, if this is one of several."""

    def __init__(
        self, tally: Tally, counts: Callable[[], Counts], live: Callable[[], int], machines: Machines | None = None
    ) -> None:
        self.registry = CollectorRegistry()
        self._tally, self._counts, self._live, self._machines = tally, counts, live, machines
        self.registry.register(self)

    def collect(self) -> Iterator[Metric]:
        yield self._tally.turnaround.family()
        yield GaugeMetricFamily("palestra_matches", "Matches in progress", self._live())
        yield CounterMetricFamily("palestra_matches_started", "Matches started", self._tally.started)
        yield CounterMetricFamily("palestra_actions", "Actions accepted", self._tally.actions)
        ended = CounterMetricFamily("palestra_matches_ended", "Matches ended", labels=["reason"])
        for reason, number in sorted(self._tally.ended.items()):
            ended.add_metric([reason], number)
        yield ended
        counts = self._counts()
        for name, text, now in (
            ("connections", "Connections open", counts.connections),
            ("players", "Players connected", counts.players),
            ("watchers", "Watchers connected", counts.watchers),
        ):
            yield GaugeMetricFamily(f"palestra_{name}", text, now)
        for name, text, total in (
            ("connections_accepted", "Connections accepted", counts.accepted),
            ("frames_in", "Frames read", counts.frames_in),
            ("frames_out", "Frames written", counts.frames_out),
            ("bytes_in", "Bytes read", counts.bytes_in),
            ("bytes_out", "Bytes written", counts.bytes_out),
            ("frames_rejected", "Frames rejected", counts.rejected),
            ("throttled", "Pauses in reading from connections that send too much", counts.throttled),
            ("dropped_silent", "Connections dropped as silent", counts.dropped_silent),
            ("dropped_slow", "Connections dropped as too slow to read", counts.dropped_slow),
            ("dropped_flooding", "Connections dropped as flooding", counts.dropped_flooding),
            ("dropped_crowded", "Connections that gave their place to another, or found none", counts.dropped_crowded),
        ):
            yield CounterMetricFamily(f"palestra_{name}", text, total)
        if self._machines is not None:
            yield GaugeMetricFamily("palestra_referees", "Whether this node referees", int(self._machines.referees))
            text = "Since each node last said that it is there, as this one last read"
            seen = GaugeMetricFamily("palestra_node_seen_seconds", text, labels=["node"])
            text = "The share of a core that each node used lately"
            load = GaugeMetricFamily("palestra_node_load", text, labels=["node"])
            for each in self._machines.cluster.nodes:
                seen.add_metric([each.node.name], each.ago_s)
                load.add_metric([each.node.name], each.load)
            yield from (seen, load)
