"""A small engine whose history is recorded: the records of one epoch in the order they are queued, sound as yet.

Everything is drawn from one random source. A record is a dict of ``kind`` and its own fields; numbering, common
fields and damage come later.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

MS = 1_000_000
SECOND = 1_000_000_000
Record = dict[str, Any]

ODD_IDS = [
    "", " ", "None", "True", "5", "1.5", "a#2", "\ud800", "\udc00x", "\ud83d", "请求-7", "é\u0301", "\U0001f600",
    "<img src=x onerror=alert(1)>", "a\tb\\\"/\u007f\u2028", "x" * 300, "[1, 'a']",
]  # fmt: skip
# IDs that are no strings; a reader turns them into text.
UNTEXT_IDS = [5, 7, None, True, False, 0, -3, 1.5, [1, "a"], {"a": None}]


@dataclass
class Traits:
    """What one epoch is like, drawn once."""

    older: bool
    enabled: bool
    asynchronous: bool
    steps: int
    max_members: int
    step_ns: int
    stall: float
    idle: float
    empty: float
    pause: float
    reset: float
    preempt: float
    fail: float
    lost: float
    abort: float
    streaming: float
    speculative: float
    reuse: float
    odd_ids: float
    untext_ids: float
    wall_step: float
    loss: float
    beat_ns: int
    beat_mode: str
    tick_ns: int
    hellos: int
    goodbye: bool
    crash: float
    observes: Any

    @staticmethod
    def draw(rng: random.Random) -> Traits:
        def some(chance: float, top: float) -> float:
            return rng.uniform(0, top) if rng.random() < chance else 0.0

        older = rng.random() < 0.12
        observed = rng.choice(
            [["cache_reset", "enqueued", "pause"]] * 6
            + [["pause"], ["enqueued", "pause", "pause", "cache_reset"], [], ["enqueued"], None, "pause", {"pause": 1}]
        )
        return Traits(
            older=older,
            enabled=rng.random() < 0.97,
            asynchronous=rng.random() < 0.4,
            steps=rng.choice([0, 1, 3, 8, 20, 30, 40, 50, 60]),
            max_members=rng.choice([1, 2, 3, 4, 6]),
            step_ns=rng.choice([1, 4, 12, 60]) * MS,
            stall=some(0.7, 0.25),
            idle=some(0.5, 0.3),
            empty=some(0.4, 0.3),
            pause=some(0.4, 0.15),
            reset=some(0.3, 0.1),
            preempt=some(0.4, 0.2),
            fail=some(0.2, 0.1),
            lost=some(0.4, 0.15),
            abort=some(0.3, 0.1),
            streaming=some(0.3, 0.5),
            speculative=some(0.2, 1.0),
            reuse=some(0.4, 0.5),
            odd_ids=some(0.3, 0.5),
            untext_ids=some(0.15, 0.5),
            wall_step=some(0.2, 0.1),
            loss=some(0.3, 0.3),
            beat_ns=rng.choice([20, 60, 250, 1000, 1000, 2300, 5000]) * MS,
            beat_mode="older" if older else rng.choice(["zero", "zero", "real", "real", "real", "random"]),
            tick_ns=rng.choice([1, 1, 1, MS, 10 * MS, 50 * MS]),
            hellos=rng.choice([1] * 8 + [0, 2, 3]),
            goodbye=rng.random() < 0.6,
            crash=0.2,
            observes=observed,
        )


@dataclass
class Request:
    internal: Any
    prompt: int
    target: int
    resumable: bool
    computed: int = 0
    output: int = 0
    seen: bool = False


@dataclass
class InFlight:
    iteration: Any
    members: list[Request]
    tokens: list[int]


@dataclass
class Epoch:
    """The recording of one engine or worker process."""

    rng: random.Random
    traits: Traits
    role: str
    host: str
    boot: str | None
    pid: int
    start_ns: int
    mono: int
    records: list[Record] = field(default_factory=list)
    dropped: dict[str, Any] = field(default_factory=dict)
    errors: int = 0

    def __post_init__(self) -> None:
        self.wall = self.start_ns
        self.next_beat = self.mono + self.traits.beat_ns
        self.running: list[Request] = []
        self.gone: list[Any] = []
        self.flight: deque[InFlight] = deque()
        self.paused = "UNPAUSED"
        self.reset_preempted: list[Any] = []
        self.number = 0

    # ---- clocks and stamps

    def pass_time(self, nanoseconds: int) -> None:
        self.wall += nanoseconds
        self.mono += nanoseconds
        if self.rng.random() < self.traits.wall_step:
            self.wall += self.rng.choice([-1, 1]) * self.rng.randrange(1, 40 * SECOND)
        if self.mono >= self.next_beat:
            self.heartbeat()

    def jitter(self, nanoseconds: int) -> int:
        return int(nanoseconds * self.rng.uniform(0.5, 1.6))

    def stamp(self, prefix: str = "") -> Record:
        """A bracketed stamp; with a coarse clock many are equal, and limits are met to the nanosecond."""
        tick = self.traits.tick_ns
        width = self.rng.choice([0, 300, 900, 2500]) if tick == 1 else 0
        wall, mono = self.wall // tick * tick, self.mono // tick * tick
        made = {f"{prefix}wall_ns": wall, f"{prefix}mono_ns": mono + width // 2}
        if not self.traits.older:
            made[f"{prefix}wall_after_ns"] = wall + width
        return made

    # ---- records

    def put(self, kind: str, own: Record) -> None:
        self.records.append({"kind": kind, **own})

    def hello(self) -> None:
        rng, traits = self.rng, self.traits
        clock: Record = {"wall_ns": self.wall, "mono_ns": self.mono}
        width = rng.choice([0, 700, 1201, -5])
        if not traits.older:
            clock["wall_after_ns"] = self.wall + width
        clock["gap_ns"] = width
        own: Record = {"role": self.role, "host": self.host, "boot_id": self.boot, "pid": self.pid}
        own["start_ns"] = self.start_ns
        own["vllm_version"] = "0.30.0" if traits.enabled else "0.29.1"
        own["enabled"] = traits.enabled
        own["refused"] = None if traits.enabled else "vLLM 0.29.1 is not supported; executor ray"
        if self.role == "engine":
            own["producer"] = f"vllm:{self.host}:{self.boot or 'noboot'}:{self.pid}:{self.start_ns}"
        if not traits.older:
            own["observes"] = traits.observes if self.role == "engine" and traits.enabled else []
            if rng.random() < 0.03:
                del own["observes"]
        own["config"] = {
            "tp": 1, "async_scheduling": traits.asynchronous, "max_num_batched_tokens": 8192,
            "request_id_randomization": rng.choice([True, False, None]), "gpu_memory_utilization": 0.9,
        }  # fmt: skip
        own["clock"] = clock
        if self.role == "worker":
            own["rank"] = {"global": 0, "tp": 0, "pp": 0, "dp": None}
            own.update(local_rank=0, cuda_ordinal=0, device_uuid="GPU-1", trace_rank_suffix=None)
        self.put("hello", own)

    def heartbeat(self) -> None:
        rng, traits = self.rng, self.traits
        if rng.random() < traits.loss:
            name = rng.choice(["completed", "scheduled", "alias_oversized", "heartbeat"])
            self.dropped[name] = self.dropped.get(name, 0) + rng.randrange(1, 4)
        if rng.random() < traits.loss / 3:
            self.errors += 1
        behind, reserved, queued = 0, 0, 0
        if traits.beat_mode == "real":
            behind = min(rng.choice([0, 0, 0, 1, 2, 3]), max(len(self.records) - 1, 0))
            reserved = rng.choice([0, 0, 0, 0, 1, 2])
        elif traits.beat_mode == "random":
            behind, reserved = rng.choice([0, 0, 1, 2, 5]), rng.choice([0, 0, 0, 1, -1])
            queued = rng.randrange(3)
        own: Record = {
            **self.stamp(), "last_seq": None, "dropped": dict(self.dropped), "errors": self.errors,
            "bytes": 1000 * len(self.records), "capped": False, "queued": queued or behind,
        }  # fmt: skip
        if traits.beat_mode != "older":
            own["pending"], own["reserved"] = behind + max(reserved, 0), reserved
        if self.role == "worker" and rng.random() < 0.8:
            own.update(range_misses=0, startup_unranged=rng.randrange(40), pending_samples=rng.randrange(2))
        place = len(self.records) - (behind if traits.beat_mode == "real" else 0)
        self.records.insert(place, {"kind": "heartbeat", **own})
        self.next_beat = self.mono + self.traits.beat_ns

    # ---- the engine

    def new_id(self) -> Any:
        rng, traits = self.rng, self.traits
        if self.gone and rng.random() < traits.reuse:
            return rng.choice(self.gone)
        if rng.random() < traits.untext_ids:
            return rng.choice(UNTEXT_IDS)
        if rng.random() < traits.odd_ids:
            return rng.choice(ODD_IDS)
        return f"cmpl-{rng.randrange(16**6):06x}-0-{rng.randrange(16**8):08x}"

    def admit(self) -> None:
        rng, traits = self.rng, self.traits
        internal = self.new_id()
        resumable = rng.random() < traits.streaming
        if rng.random() < 0.95:
            external = internal[:-9] if isinstance(internal, str) else rng.choice([None, "", "chatcmpl-x", 4])
            self.put("alias", {"internal": internal, "external": external, **self.stamp()})
        if not traits.older:
            own = {"internal": internal, "structured_output": rng.choice([False, None]), "resumable": resumable}
            self.put("enqueued", {**own, **self.stamp()})
        prompt = rng.choice([1, 7, 40, 300, 2000, 8000])
        self.running.append(Request(internal, prompt, rng.randrange(1, 14), resumable))

    def switch_pause(self) -> None:
        before = self.paused
        self.paused = self.rng.choice(["UNPAUSED", "UNPAUSED", "PAUSED_ALL", "PAUSED_ALL", "PAUSED_NEW"])
        shown = None if self.rng.random() < 0.1 else self.paused
        self.put("pause", {"from": before, "to": shown, **self.stamp()})

    def reset_cache(self) -> None:
        rng = self.rng
        hard = rng.random() < 0.6
        names = [request.internal for request in self.running if request.seen]
        own = {"reset_running_requests": hard, "reset_connector": False, "running": names, **self.stamp("start_")}
        self.pass_time(self.jitter(2 * MS))
        raised = rng.random() < 0.1
        self.put("cache_reset", {**own, "succeeded": None if raised else True, "raised": raised, **self.stamp("end_")})
        if hard:
            self.reset_preempted = names
            for request in self.running:
                request.computed = 0

    def stalled(self, base: int) -> int:
        if self.rng.random() < self.traits.stall:
            return self.rng.choice([30, 49, 50, 51, 120, 400, 499, 500, 501, 900, 2500, 7000]) * MS
        return self.jitter(base)

    def choose(self) -> tuple[list[Request], list[Any]]:
        rng, traits = self.rng, self.traits
        preempted = sorted({str(name) for name in self.reset_preempted})
        self.reset_preempted = []
        busy = self.running[: traits.max_members]
        if len(busy) > 1 and rng.random() < traits.preempt:
            victim = busy.pop()
            victim.computed = 0
            preempted.append(victim.internal)
            self.running.remove(victim)
            self.running.append(victim)
        if self.paused == "PAUSED_ALL" and rng.random() < 0.9:
            busy = []
        return sorted(busy, key=lambda request: request.seen), preempted

    def member(self, request: Request, tokens: int) -> Record:
        generating = request.computed >= request.prompt
        first = not request.seen
        request.seen = True
        made = {
            "internal": request.internal,
            "sighting": "first" if first else "repeat",
            "phase": "generation" if generating else "context",
            "scheduled": tokens,
            "computed_before": request.computed,
            "prompt_tokens": request.prompt,
            "prefill_scheduled": min(tokens, max(request.prompt - request.computed, 0)),
            "past_prompt_scheduled": tokens - min(tokens, max(request.prompt - request.computed, 0)),
            "drafts_scheduled": max(tokens - 1, 0) if generating else 0,
            "cached_at_admission": request.computed if first else None,
            "recompute": False,
            "output_before": request.output,
            "resumable": request.resumable,
        }
        if request.resumable and self.rng.random() < 0.1:
            request.prompt += self.rng.choice([5, 5, -2])
        return made

    def schedule(self) -> None:
        rng, traits = self.rng, self.traits
        busy, preempted = self.choose()
        tokens = []
        for request in busy:
            if request.computed < request.prompt:
                tokens.append(min(request.prompt - request.computed, rng.choice([16, 512, 4096])))
            else:
                tokens.append(1 + (rng.randrange(4) if rng.random() < traits.speculative else 0))
        start = self.stamp("start_")
        self.pass_time(self.stalled(traits.step_ns // 12 + 1))
        end = self.stamp("end_")
        name: Any = str(self.number)
        if rng.random() < 0.02:
            name = rng.choice([self.number, f"0{self.number}", "", None, "x-1", True, str(self.number - 1)])
        self.number += 1
        own: Record = {
            "iteration": name, **start, **end, "total_tokens": sum(tokens), "zero_token": not sum(tokens),
            "preempted": preempted,
        }  # fmt: skip
        if not traits.older:
            own["pause_state"] = self.paused
        own["members"] = [self.member(request, count) for request, count in zip(busy, tokens)]
        if own["members"] and rng.random() < 0.01:
            own["members"].append(dict(rng.choice(own["members"]), prompt_tokens=rng.randrange(50)))
        self.put("scheduled", own)
        self.flight.append(InFlight(name, busy, tokens))

    def complete(self) -> None:
        rng, traits = self.rng, self.traits
        step = self.flight.popleft()
        failed = rng.random() < traits.fail
        rows = []
        for request, tokens in zip(step.members, step.tokens):
            row: Record = {"internal": request.internal, "outcome": "kept", "stale": False, "sampled": 0}
            row.update(accepted_drafts=0, retained=0, finish_reason=None, computed_after=None)
            if failed:
                row.update(outcome="unknown", stale=None, sampled=None, accepted_drafts=None, retained=None)
            elif request not in self.running:
                row.update(outcome=rng.choice(["discarded_finished"] * 3 + ["dropped_stale"]), retained=None)
            else:
                request.computed += tokens
                if request.computed >= request.prompt:
                    request.output += 1
                    row.update(sampled=1, retained=1)
                row["computed_after"] = request.computed
                if request.output >= request.target or rng.random() < traits.abort:
                    row["finish_reason"] = rng.choice(["stop", "stop", "length", "abort", "", 0, False])
                    self.free(request)
            rows.append(row)
        own: Record = {"iteration": step.iteration, **self.stamp()}
        if failed:
            own["update_failed"] = True
        own["members"] = rows
        if rng.random() >= traits.lost:
            self.put("completed", own)
            if rng.random() < 0.01:
                self.pass_time(MS)
                self.put("completed", {**own, **self.stamp()})

    def free(self, request: Request) -> None:
        if request in self.running:
            self.running.remove(request)
        self.gone.append(request.internal)
        own = {"internal": request.internal, "status": "FINISHED_STOPPED", "finish_reason": "stop"}
        self.put("terminal", {**own, "output_tokens": request.output, **self.stamp()})

    def run(self) -> list[Record]:
        rng, traits = self.rng, self.traits
        for place in range(traits.hellos):
            if place == 0:
                self.hello()
            self.pass_time(self.jitter(5 * MS))
        if self.role == "worker" or not traits.enabled:
            for _ in range(rng.randrange(8)):
                self.pass_time(self.jitter(traits.beat_ns))
        else:
            self.serve()
        for _ in range(traits.hellos - 1):
            self.hello()
        for _ in range(rng.choice([0, 1, 1, 2])):
            self.pass_time(traits.beat_ns + self.stalled(MS))
        if traits.goodbye:
            self.put("goodbye", {**self.stamp(), "last_seq": None})
            if rng.random() < 0.05:
                self.heartbeat()
        return self.cut_short() if rng.random() < traits.crash else self.records

    def cut_short(self) -> list[Record]:
        """What a crash leaves: the records up to a moment, more often than not one with a step in flight."""
        places = [at for at, record in enumerate(self.records) if record["kind"] == "completed"]
        if not places or self.rng.random() < 0.3:
            places = list(range(len(self.records)))
        return self.records[: self.rng.choice(places)] if places else []

    def serve(self) -> None:
        rng, traits = self.rng, self.traits
        for _ in range(traits.steps):
            if rng.random() < traits.pause:
                self.switch_pause()
            if rng.random() < traits.reset:
                self.reset_cache()
            while len(self.running) < traits.max_members and rng.random() < 0.45:
                self.admit()
            if self.running and rng.random() < traits.abort:
                self.free(rng.choice(self.running))
            if not self.running and rng.random() >= traits.empty:
                self.pass_time(self.jitter(20 * MS))
                continue
            self.schedule()
            self.pass_time(self.jitter(traits.step_ns // 10 + 1))
            depth = 2 if traits.asynchronous else 1
            while len(self.flight) >= depth and rng.random() < 0.97:
                self.pass_time(self.stalled(traits.step_ns))
                self.complete()
            self.pass_time(self.stalled(traits.step_ns // 10 + 1))
            if rng.random() < traits.idle:
                self.pass_time(self.jitter(200 * MS))
        while self.flight and rng.random() < 0.8:
            self.pass_time(self.stalled(traits.step_ns))
            self.complete()
