"""A made-up run for the page of a running stream: items flow through stages, wait in pipes and block.

It is a fluid model. In each small step a stage finishes what its replicas have time for, what it has and what
there is room for behind it; what it lacks decides whether it waited for input or for room.
"""

import math
import random
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

SUB_BUCKETS = 32
"""Buckets of the library's histogram for each power of two."""


@dataclass
class Stage:
    """One stage, and what has become of it so far."""

    name: str
    kind: str = "map"
    service: float = 0.001
    inputs: list[int] = field(default_factory=list)
    replicas: int = 1
    capacity: int = 64
    segment: int = -1
    ranks: list[int] = field(default_factory=list)
    share: dict[int, float] = field(default_factory=dict)
    """The part of its results that each stage behind it gets; all of them, if it is not named."""
    failing: float = 0.0
    """The part of its items for which the operator throws; they are tried again."""
    parts: dict[int, float] = field(default_factory=dict)
    """Of a farm with keys: the part of its items that each part of the keys gets."""
    of_each: dict[int, list[float]] = field(default_factory=dict)
    """Of each part or replica: its items, and how long it has worked."""
    batch: Json = field(default_factory=dict)
    """What closes its batches, if it is one."""
    waiting: float = 0.0
    done: float = 0.0
    given: float = 0.0
    errors: float = 0.0
    at_work: float = 0.0
    no_input: float = 0.0
    no_room: float = 0.0
    level: float = 0.0
    before: float = 0.0

    @property
    def farm(self) -> bool:
        """Whether it may have more replicas."""
        return self.kind == "farm"


@dataclass
class Run:
    """All stages of a run, and its clock."""

    title: str
    stages: list[Stage]
    rate: float = 1e9
    """Items that are due each second, at most."""
    every: float = 0.25
    steps: int = 40
    """How many steps a sample is made of."""
    ends: float = math.inf
    heavier: tuple[int, float, float] | None = None
    """A stage, when its items become heavier, and how much."""
    control: bool = True
    began: int = 1_790_000_000_000
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    now: float = 0.0
    paused: bool = False
    over: bool = False
    due: float = 0.0
    cpu: float = 0.0
    resizes: list[Json] = field(default_factory=list)
    rate_changes: list[Json] = field(default_factory=list)
    batch_changes: list[Json] = field(default_factory=list)
    decisions: list[Json] = field(default_factory=list)
    silent: dict[int, float] = field(default_factory=dict)
    """Ranks that have not told anything since then."""
    told_last: dict[int, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Connects its stages."""
        self._connect()

    def grow(self, stage: Stage) -> None:
        """Gets one more stage, as when a tap is opened."""
        self.stages.append(stage)
        self._connect()

    def _connect(self) -> None:
        """Finds what is behind each stage. An edge that leads back does not hold up anything."""
        self.behind: list[list[tuple[int, float, bool]]] = [[] for _ in self.stages]
        for number, stage in enumerate(self.stages):
            for feeder in stage.inputs:
                share = self.stages[feeder].share.get(number, 1.0)
                self.behind[feeder].append((number, share, feeder >= number))

    def graph(self) -> Json:
        """The graph, as the page gets it."""
        stages = []
        for stage in self.stages:
            told: Json = {"name": stage.name, "kind": stage.kind, "farm": stage.farm, "inputs": stage.inputs}
            told |= {"capacity": stage.capacity if stage.inputs else 0, "segment": stage.segment}
            told |= {"paced": stage.kind == "source", "blocking": False, "ranks": stage.ranks}
            stages.append(told)
        return {
            "title": self.title,
            "pid": 4242,
            "host": "a-machine",
            "policy": "threads",
            "workers": sum(stage.replicas for stage in self.stages),
            "cores": 8,
            "control": self.control,
            "began_unix_ms": self.began,
            "every_ms": round(1000 * self.every),
            "stages": stages,
        }

    def resize(self, name: str, replicas: int) -> None:
        """Changes how many replicas a farm may have; `ValueError` says what is wrong."""
        found = [stage for stage in self.stages if stage.name == name]
        if not found:
            raise ValueError(f"there is no stage '{name}'")
        if not found[0].farm:
            raise ValueError(f"'{name}' is no farm")
        if not 1 <= replicas <= 64:
            raise ValueError(f"'{name}' may have 1 to 64 replicas, not {replicas}")
        change = {"at_ns": round(1e9 * self.now), "stage": name, "from": found[0].replicas, "to": replicas}
        self.resizes.append(change)
        found[0].replicas = replicas

    def decide(self, name: str, replicas: int, reason: str) -> Json:
        """Changes by itself how many replicas a farm has. Returns what it says of that."""
        self.resize(name, replicas)
        change = self.resizes[-1]
        decision = {
            "at_ns": change["at_ns"],
            "planner": "thalweg",
            "what": f"{name}: {change['from']} to {replicas} replicas",
            "reason": reason,
            "measured": 400.0,
            "predicted": 600.0,
        }
        self.decisions.append(decision)
        return decision

    def set_rate(self, name: str, text: str) -> None:
        """Changes how many items of its source are due; `ValueError` says what is wrong."""
        found = [stage for stage in self.stages if stage.name == name and stage.kind == "source"]
        if not found:
            raise ValueError(f"'{name}' is no paced source")
        try:
            rate = float(text)
        except ValueError:
            raise ValueError(f"rate: '{text}' is no pattern") from None
        change = {"at_ns": round(1e9 * self.now), "stage": name, "from": self.rate, "to": rate}
        self.rate_changes.append(change)
        self.rate = rate

    def set_batch(self, name: str, said: Json) -> None:
        """Changes what closes a stage's batches; `ValueError` says what is wrong."""
        found = [stage for stage in self.stages if stage.name == name and stage.batch]
        if not found:
            raise ValueError(f"'{name}' is no tw::batch")
        if said.get("items", 1) < 1:
            raise ValueError("'items' must be a whole number above 0; leave it out for no limit")
        to = {one: said[one] for one in ("items", "bytes") if one in said}
        if "every_ms" in said:
            to["interval_ns"] = round(1e6 * said["every_ms"])
        change = {"at_ns": round(1e9 * self.now), "stage": name, "from": found[0].batch, "to": to}
        self.batch_changes.append(change)
        found[0].batch = to

    def sample(self) -> Json:
        """Lets the time of one sample pass, and says what happened."""
        for stage in self.stages:
            stage.before = stage.done
            stage.at_work = stage.no_input = stage.no_room = stage.level = 0.0
        items = self._items()
        if self.heavier and self.now <= self.heavier[1] < self.now + self.every:
            self.stages[self.heavier[0]].service *= self.heavier[2]
        if not self.paused:
            swing = 1 + 0.12 * math.sin(self.now / 7) + self.chance.gauss(0, 0.05)
            for _ in range(self.steps):
                self._step(self.every / self.steps, max(0.1, swing))
        self.now += self.every
        self.over = self.over or self.now >= self.ends
        return self._told(self._items() - items)

    def _items(self) -> int:
        return sum(int(stage.done) for number, stage in enumerate(self.stages) if not self.behind[number])

    def _step(self, time: float, swing: float) -> None:
        self.due = min(self.due + self.rate * swing * time, 200)
        for number in range(len(self.stages) - 1, -1, -1):
            stage = self.stages[number]
            able = stage.replicas * time / stage.service
            has = stage.waiting if stage.inputs else self.due
            room = min(
                (
                    (self.stages[to].capacity - self.stages[to].waiting) / share
                    for to, share, back in self.behind[number]
                    if share and not back
                ),
                default=math.inf,
            )
            done = max(0.0, min(able, has, room))
            stage.at_work += done * stage.service
            if room < min(able, has):
                stage.no_room += (able - done) * stage.service
            else:
                stage.no_input += (able - done) * stage.service
            if stage.inputs:
                stage.waiting -= done
            else:
                self.due -= done
            for to, share, _ in self.behind[number]:
                self.stages[to].waiting += done * share
                stage.given += done * share
            stage.done += done
            stage.errors += done * stage.failing
            stage.level += stage.waiting * time

    def _told(self, items: int) -> Json:
        window = self.every
        cores = sum(stage.at_work for stage in self.stages) / window
        self.cpu += cores * window
        told: Json = {
            "time_ns": round(1e9 * self.now),
            "window_ns": round(1e9 * window),
            "done": self.over,
            "paused": self.paused,
            "items": self._items(),
            "dropped": 0,
            "throughput": items / window,
            "cores_used": min(8.0, cores),
            "cpu_ns": round(1e9 * self.cpu),
            "resident_bytes": round(
                4.2e7 + 2e5 * min(self.now, 60) + 3e4 * sum(s.waiting for s in self.stages)
            ),
            "stages": [self._of(stage) for stage in self.stages],
            "resizes": list(self.resizes),
            "rate_changes": list(self.rate_changes),
            "batch_changes": list(self.batch_changes),
            "decisions": [dict(one) for one in self.decisions],
            "notes": [],
        }
        if processes := self._ranks():
            told["ranks"] = processes
        if items > 0:
            told["latency_ns"] = self._latency(items)
            told["bottleneck"] = self._bottleneck()
        return told

    def _ranks(self) -> list[Json]:
        """A row for each rank. One that is silent has told this before."""
        all_ranks = sorted({rank for stage in self.stages for rank in stage.ranks})
        rows = []
        for rank in all_ranks:
            here = [stage for stage in self.stages if rank in stage.ranks]
            row: Json = {"rank": rank, "host": "a-machine", "workers": len(here)}
            row |= {"cpu_ns": round(1e9 * sum(stage.done * stage.service for stage in here))}
            row |= {"messages": int(sum(stage.given for stage in here) / 8), "credits": 0}
            row |= {"bytes": 64 * int(sum(stage.given for stage in here)), "age_ns": 40_000_000}
            since = self.silent.get(rank)
            age_ns = 0 if since is None else round(1e9 * (self.now - since)) + row["age_ns"]
            rows.append(row if since is None else self.told_last[rank] | {"age_ns": age_ns})
            if since is None:
                self.told_last[rank] = row
        return rows

    def _of(self, stage: Stage) -> Json:
        window = self.every
        items = stage.done - stage.before
        told: Json = {
            "items_in": int(stage.done) if stage.inputs else 0,
            "items_out": int(stage.given),
            "rate": items / window,
            "busy": stage.at_work / window,
            "replicas": stage.replicas,
            "wait_in": min(1.0, stage.no_input / window / stage.replicas),
            "wait_out": min(1.0, stage.no_room / window / stage.replicas),
        }
        if items > 0:
            told["service_ns"] = 1e9 * stage.service * self.chance.gauss(1, 0.02)
        if stage.inputs:
            told |= {"occupancy": stage.level / window, "capacity": stage.capacity}
        if shares := self._shares(stage, items):
            told["shares"] = shares
        if stage.kind == "source":
            told["due_rate"] = self.rate
        if stage.batch:
            told["batch"] = stage.batch
        if stage.farm:
            told |= {
                "reorder": min(60.0, stage.replicas * self.chance.uniform(0.5, 2)),
                "reorder_capacity": 64,
            }
        errors = int(stage.errors)
        told |= {
            "errors": errors,
            "retries": errors,
            "skipped": 0,
            "dead_lettered": errors // 5,
            "dropped": 0,
        }
        if stage.kind == "sink" and items > 0:
            told["latency_ns"] = self._latency(int(items))
        return told

    def _shares(self, stage: Stage, items: float) -> Json:
        """How its work is divided, since the run began: replicas have nearly the same."""
        if not stage.farm:
            return {}
        of = stage.parts or {
            number: (1 + 0.1 * (-1) ** number) / stage.replicas for number in range(stage.replicas)
        }
        for number, part in of.items():
            its = stage.of_each.setdefault(number, [0.0, 0.0])
            its[0] += items * part / sum(of.values())
            its[1] += stage.at_work * part / sum(of.values())
        numbers = sorted(stage.of_each)
        if len(numbers) < 2:
            return {}
        return {
            "by": "part" if stage.parts else "replica",
            "number": numbers,
            "items": [int(stage.of_each[number][0]) for number in numbers],
            "busy_ns": [round(1e9 * stage.of_each[number][1]) for number in numbers],
        }

    def _latency(self, items: int) -> Json:
        """By Little's law: what waits, divided by how fast it goes."""
        rate = max(1.0, items / self.every)
        mean = sum(s.waiting for s in self.stages) / rate + sum(s.service for s in self.stages[:12])
        draws = 300
        times = sorted(mean * self.chance.lognormvariate(0, 0.28) for _ in range(draws))
        times[-2:] = [time * 2.5 for time in times[-2:]]
        counts: dict[int, int] = {}
        for number, time in enumerate(times):
            upper = upper_of(max(1, round(1e9 * time)))
            counts[upper] = counts.get(upper, 0) + items * (number + 1) // draws - items * number // draws
        quantile = {q: round(1e9 * times[min(draws - 1, int(q * draws))]) for q in (0.5, 0.9, 0.99)}
        return {
            "count": items,
            "p50": quantile[0.5],
            "p90": quantile[0.9],
            "p99": quantile[0.99],
            "max": round(1e9 * times[-1]),
            "buckets": [[upper, count] for upper, count in sorted(counts.items()) if count],
        }

    def _skew(self) -> Json:
        """Of a farm of which one part of the keys has work all the time."""
        for stage in self.stages:
            share = max(stage.parts.values(), default=0.0) / sum(stage.parts.values() or [1.0])
            used = min(1.0, share * stage.at_work / self.every)
            if used >= 0.85:
                advice = f"One of {stage.replicas} replicas of '{stage.name}' does {share:.0%} of "
                advice += f"the work and is busy {used:.0%} of the time: the keys are uneven."
                told: Json = {"stage": stage.name, "reason": "skew", "advice": advice, "utilisation": used}
                return told | {"possible_gain": share * stage.replicas}
        return {}

    def _bottleneck(self) -> Json:
        if skew := self._skew():
            return skew
        stage = max(self.stages, key=lambda one: one.at_work / one.replicas)
        used = stage.at_work / stage.replicas / self.every
        told: Json = {"stage": stage.name, "utilisation": used, "possible_gain": 1.0}
        if used < 0.85:
            advice = "The stream keeps up with its source, which waits for the due times of its items."
            return told | {"stage": self.stages[0].name, "reason": "schedule", "advice": advice}
        others = [one.at_work / one.replicas / self.every for one in self.stages if one is not stage]
        gain = max(1.05, used / max(0.05, *others))
        if stage.farm:
            advice = f"All {stage.replicas} replicas of '{stage.name}' are busy {used:.0%} of the time, "
            advice += "and cores are free."
            advice += f" More replicas make the run up to {gain:.1f} times faster."
            return told | {"reason": "replicas", "advice": advice, "possible_gain": gain}
        advice = (
            f"'{stage.name}' takes one item at a time and is busy {used:.0%} of the time. Make it a farm."
        )
        return told | {"reason": "serial_stage", "advice": advice, "possible_gain": gain}


def upper_of(value: int) -> int:
    """The greatest value of the histogram's bucket that counts this one."""
    exponent = max(0, (value | SUB_BUCKETS).bit_length() - 6)
    return (((value >> exponent) + 1) << exponent) - 1


def line() -> Run:
    """Reads, compresses and writes; half-way compressing takes longer, and becomes what limits."""
    stages = [
        Stage("lines", "source", 0.00002),
        Stage("read", "farm", 0.0018, [0], replicas=2, capacity=64),
        Stage("archive/compress", "farm", 0.0016, [1], replicas=2, capacity=64, failing=0.0004),
        Stage("write", "sink", 0.0004, [2], capacity=48),
    ]
    return Run("archive", stages, rate=900.0, heavier=(2, 40.0, 2.1))


def blocks() -> Run:
    """A line whose items are grouped."""
    run = line()
    run.stages[3].inputs = [4]
    run.stages[3].share, run.stages[2].share = {}, {}
    run.grow(Stage("blocks", "batch", 0.00001, [2], batch={"items": 64, "interval_ns": 250_000_000}))
    return run


def branches() -> Run:
    """A graph with branches, stages that are fused, ranks, and a loop."""
    stages = [
        Stage("camera", "source", 0.00005, ranks=[0]),
        Stage("decode", "map", 0.0006, [0], segment=0, ranks=[0]),
        Stage("resize", "map", 0.0003, [1], segment=0, ranks=[0]),
        Stage("route", "map", 0.0001, [2, 6], capacity=128, share={4: 0.55, 5: 0.45}, ranks=[0]),
        Stage("faces/detect", "farm", 0.0048, [3], replicas=4, capacity=48, ranks=[1]),
        Stage("lanes/find", "farm", 0.0042, [3], replicas=2, capacity=48, ranks=[2], failing=0.0003),
        Stage("refine", "map", 0.0009, [4], capacity=32, share={3: 0.12, 7: 0.88}, ranks=[1]),
        Stage("merge", "map", 0.0002, [6, 5], capacity=96, share={8: 1.0, 9: 0.1}, ranks=[0]),
        Stage("film", "sink", 0.0008, [7], capacity=64, ranks=[0]),
        Stage("alarms", "sink", 0.002, [7], capacity=16, ranks=[0]),
    ]
    return Run("crossroads", stages, rate=700.0, heavier=(5, 40.0, 1.6))


def many(count: int = 500, lanes: int = 24) -> Run:
    """A graph of many stages: lines side by side, between one source and one sink."""
    stages = [Stage("source", "source", 0.00001)]
    each, rest = divmod(count - 2, lanes)
    ends = []
    for lane in range(lanes):
        for place in range(each + (lane < rest)):
            before = 0 if place == 0 else len(stages) - 1
            service = 0.002 + 0.016 * ((lane * 7 + place * 13) % 17) / 17
            kind = "farm" if place % 5 == 2 else "map"
            stages.append(Stage(f"lane-{lane + 1}/step-{place + 1}", kind, service, [before], capacity=16))
        ends.append(len(stages) - 1)
    firsts = [number for number, stage in enumerate(stages) if stage.inputs == [0]]
    stages[0].share = dict.fromkeys(firsts, 1 / lanes)
    stages.append(Stage("sink", "sink", 0.00001, ends, capacity=256))
    return Run(f"{count} stages", stages, rate=1200.0, steps=8)


def keys() -> Run:
    """Words are counted in a farm with keys, of which one has most of the items."""
    parts = dict.fromkeys((0, 3, 4, 7, 12, 15, 21, 26, 30), 0.3 / 9) | {9: 0.7}
    stages = [
        Stage("words", "source", 0.00002),
        Stage("count", "farm", 0.0012, [0], replicas=4, parts=parts),
        Stage("write", "sink", 0.0004, [1], capacity=48),
    ]
    return Run("words", stages, rate=1050.0)


SCENARIOS = {"keys": keys, "line": line, "branches": branches, "many": many}
