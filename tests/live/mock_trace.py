"""Made-up executions of a made-up run, in the format of the library's traces."""

import random
from typing import Any

from mock_run import Run

Json = dict[str, Any]


def trace_of(run: Run, seconds: float, *, running: bool = False) -> Json:
    """Each replica of each stage works on one run of items after the other; those at the end may go on."""
    chance = random.Random(2)
    events: list[Json] = []
    thread = 0
    for number, stage in enumerate(run.stages):
        for _ in range(stage.replicas):
            thread += 1
            named: Json = {"ph": "M", "name": "thread_name", "pid": 1, "tid": thread}
            events.append(named | {"args": {"name": f"worker {thread - 1}"}})
            now = chance.uniform(0, 0.02)
            while now < seconds:
                items = chance.randint(1, 8)
                took = items * max(stage.service, 2e-4) * chance.uniform(0.7, 1.3)
                event: Json = {"ph": "X", "name": stage.name, "pid": 1, "tid": thread, "cat": "stage"}
                event |= {"ts": 1e6 * now, "dur": 1e6 * min(took, seconds - now)}
                if now + took < seconds:
                    event["args"] = {"stage": number, "items": items, "sequence": len(events)}
                    events.append(event)
                elif running:
                    event["args"] = {"stage": number, "running": True}
                    events.append(event)
                now += took + chance.expovariate(1 / (0.3 * took))
    return {"displayTimeUnit": "ns", "otherData": {"dropped_events": 0}, "traceEvents": events}
