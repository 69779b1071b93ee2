"""Writes one engine epoch of a given size, as a busy server would: the log the benchmarks read.

    generate_epoch.py FOLDER --mib N [--seed S]

Continuous batching of up to 40 sequences with chunked prefill, a heartbeat each second, now and then a preemption, a
pause, a cache reset and a stall, sealed at 8 MiB, ended by goodbye. The same arguments give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import deque
from pathlib import Path

MIB = 2**20
SEGMENT_BYTES = 8 * MIB
MS = 1_000_000
SECOND = 1_000_000_000
HOST, BOOT, PID = "bench-1", "3f0a4d52-6c1b-4c9e-8d37-5b2e9a7f1c60", 4242
START_NS = 1_796_000_000 * SECOND
FIRST_MONO_NS = 7_200 * SECOND
EPOCH = f"engine-{PID}-{START_NS}"
SEATS, BUDGET = 40, 2048


class Writer:
    """Lines to segments, numbered and sealed at their size."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit = folder, limit
        self.seq = self.total = self.in_segment = self.segment = 0
        self.file = None

    def room(self) -> bool:
        # What a last step, the goodbye and a heartbeat may still need.
        return self.total + 64_000 < self.limit

    def put(self, kind: str, own: str) -> None:
        line = f'{{"format":"stormlog.vllm_hook/1","kind":"{kind}","epoch":"{EPOCH}","seq":{self.seq},{own}}}\n'
        data = line.encode("ascii")
        if self.file is None:
            self.file = open(self.folder / f"{self.segment:06d}.jsonl", "wb")
        self.file.write(data)
        self.seq += 1
        self.total += len(data)
        self.in_segment += len(data)
        if self.in_segment >= SEGMENT_BYTES:
            self.seal()

    def seal(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file, self.in_segment = None, 0
            self.segment += 1


class Request:
    __slots__ = ("internal", "prompt", "target", "computed", "output", "seen")

    def __init__(self, rng: random.Random) -> None:
        word = f"{rng.getrandbits(128):032x}"
        name = f"{word[:8]}-{word[8:12]}-{word[12:16]}-{word[16:20]}-{word[20:]}"
        self.internal = f"chatcmpl-{name}-{rng.getrandbits(32):08x}"
        self.prompt = rng.choice((64, 200, 512, 900, 1800))
        self.target = rng.randrange(40, 320)
        self.computed = self.output = 0
        self.seen = False


class Engine:
    """The engine and its two clocks; ``put`` writes what happens."""

    def __init__(self, writer: Writer, rng: random.Random) -> None:
        self.writer, self.rng = writer, rng
        self.passed = 0
        self.next_beat = SECOND
        self.running: list[Request] = []
        self.waiting: deque[Request] = deque()
        self.preempted: list[str] = []
        self.steps = 0

    def stamp(self, prefix: str = "") -> str:
        wall, mono = START_NS + self.passed, FIRST_MONO_NS + self.passed
        return (
            f'"{prefix}wall_ns":{wall},"{prefix}mono_ns":{mono + 110},"{prefix}wall_after_ns":{wall + 220}'
        )

    def counters(self) -> str:
        return (
            f'{self.stamp()},"last_seq":{self.writer.seq - 1},"dropped":{{}},"errors":0,'
            f'"bytes":{self.writer.total},"capped":false,"queued":0,"pending":0,"reserved":0'
        )

    def pass_time(self, nanoseconds: int) -> None:
        self.passed += nanoseconds
        if self.passed >= self.next_beat:
            self.writer.put("heartbeat", self.counters())
            self.next_beat = self.passed + SECOND

    def hello(self) -> None:
        wall, mono = START_NS + self.passed, FIRST_MONO_NS + self.passed
        own = {
            "role": "engine", "host": HOST, "boot_id": BOOT, "pid": PID, "start_ns": START_NS,
            "process_start_ns": START_NS - 3 * SECOND, "process_start_ticks": 719_700, "parent_pid": 4200,
            "parent_process_start_ticks": 719_000, "parent_process_start_ns": START_NS - 10 * SECOND,
            "vllm_version": "0.30.0", "enabled": True, "refused": None,
            "producer": f"vllm:{HOST}:{BOOT}:{PID}:{START_NS}", "observes": ["cache_reset", "enqueued", "pause"],
            "config": {
                "vllm_version": "0.30.0", "executor": "uni", "tp": 1, "pp": 1, "dp": 1, "async_scheduling": False,
                "max_num_batched_tokens": BUDGET, "speculative": None, "v2_model_runner": False,
                "request_id_randomization": True, "scheduler": "vllm.v1.core.sched.scheduler.Scheduler",
                "runner": None, "max_num_seqs": SEATS, "num_gpu_blocks": 8000, "kv_cache_groups": 1, "block_size": 16,
                "cudagraph_mode": "FULL_AND_PIECEWISE", "gpu_memory_utilization": 0.9,
                "enable_cumem_allocator": False, "enable_sleep_mode": False, "profiler": None,
            },
            "clock": {"wall_ns": wall, "mono_ns": mono, "wall_after_ns": wall + 700, "gap_ns": 700},
        }  # fmt: skip
        self.writer.put("hello", json.dumps(own, separators=(",", ":"))[1:-1])

    def arrive(self) -> None:
        request = Request(self.rng)
        self.writer.put(
            "alias",
            f'"internal":"{request.internal}","external":"{request.internal[:-9]}",{self.stamp()}',
        )
        self.pass_time(40_000)
        self.writer.put(
            "enqueued",
            f'"internal":"{request.internal}","structured_output":false,"resumable":false,{self.stamp()}',
        )
        self.waiting.append(request)

    def preempt(self) -> None:
        victim = self.running.pop()
        victim.computed = 0
        self.waiting.appendleft(victim)
        self.preempted.append(victim.internal)

    def reset_cache(self) -> None:
        names = ",".join(f'"{request.internal}"' for request in self.running)
        start = self.stamp("start_")
        self.pass_time(2 * MS)
        self.writer.put(
            "cache_reset",
            f'"reset_running_requests":false,"reset_connector":false,"running":[{names}],{start},'
            f'"succeeded":true,"raised":false,{self.stamp("end_")}',
        )

    def pause(self) -> None:
        self.writer.put("pause", f'"from":"UNPAUSED","to":"PAUSED_ALL",{self.stamp()}')
        self.pass_time(700 * MS)
        self.writer.put("pause", f'"from":"PAUSED_ALL","to":"UNPAUSED",{self.stamp()}')

    def schedule(self) -> tuple[list[tuple[Request, int]], int]:
        """One scheduler call: decodes first, what is left of the budget to prefills; writes ``scheduled``."""
        while self.waiting and len(self.running) < SEATS:
            self.running.append(self.waiting.popleft())
        left, chosen = BUDGET, []
        for request in self.running:
            if request.computed >= request.prompt + request.output:
                chosen.append((request, 1))
                left -= 1
        for request in self.running:
            known = request.prompt + request.output
            if request.computed < known and left > 0:
                count = min(known - request.computed, left)
                chosen.append((request, count))
                left -= count
        members = ",".join([self.member(request, count) for request, count in chosen])
        total = BUDGET - left
        start = self.stamp("start_")
        self.pass_time(self.rng.randrange(90_000, 260_000))
        preempted = ",".join(f'"{name}"' for name in sorted(self.preempted))
        self.preempted.clear()
        self.writer.put(
            "scheduled",
            f'"iteration":"{self.steps}",{start},{self.stamp("end_")},"total_tokens":{total},'
            f'"zero_token":{"false" if total else "true"},"preempted":[{preempted}],"pause_state":"UNPAUSED",'
            f'"members":[{members}]',
        )
        self.steps += 1
        return chosen, total

    @staticmethod
    def member(request: Request, count: int) -> str:
        before, prompt = request.computed, request.prompt
        prefill = min(count, max(prompt - before, 0))
        first = not request.seen
        request.seen = True
        return (
            f'{{"internal":"{request.internal}","sighting":"{"first" if first else "repeat"}",'
            f'"phase":"{"context" if before < prompt else "generation"}","scheduled":{count},'
            f'"computed_before":{before},"prompt_tokens":{prompt},"prefill_scheduled":{prefill},'
            f'"past_prompt_scheduled":{count - prefill},"drafts_scheduled":0,'
            f'"cached_at_admission":{before if first else "null"},'
            f'"recompute":{"true" if before < prompt and request.output else "false"},'
            f'"output_before":{request.output},"resumable":false}}'
        )

    def complete(self, number: int, chosen: list[tuple[Request, int]]) -> None:
        rows = []
        for request, count in chosen:
            request.computed += count
            sampled = 1 if request.computed >= request.prompt + request.output else 0
            request.output += sampled
            done = request.output >= request.target
            reason = '"length"' if done else "null"
            rows.append(
                f'{{"internal":"{request.internal}","outcome":"kept","stale":false,"sampled":{sampled},'
                f'"accepted_drafts":0,"retained":{sampled},"finish_reason":{reason},'
                f'"computed_after":{request.computed}}}'
            )
            if done:
                self.writer.put(
                    "terminal",
                    f'"internal":"{request.internal}","status":"FINISHED_LENGTH_CAPPED",'
                    f'"finish_reason":"length","output_tokens":{request.output},{self.stamp()}',
                )
                self.running.remove(request)
        self.writer.put("completed", f'"iteration":"{number}",{self.stamp()},"members":[{",".join(rows)}]')

    def run(self) -> None:
        rng = self.rng
        self.hello()
        self.pass_time(300 * MS)
        while self.writer.room():
            # Load swings between half and all of the seats.
            wanted = SEATS // 2 + self.steps // 400 * 7 % (SEATS // 2 + 1)
            while len(self.running) + len(self.waiting) < wanted:
                self.arrive()
            drawn = rng.random()
            if drawn < 0.004 and len(self.running) > 2:
                self.preempt()
            elif drawn < 0.0045:
                self.reset_cache()
            elif drawn < 0.0047:
                self.pause()
            number = self.steps
            chosen, total = self.schedule()
            self.pass_time(8 * MS + total * 9_000 + rng.randrange(2 * MS) + (rng.random() < 0.001) * 600 * MS)
            self.complete(number, chosen)
            self.pass_time(rng.randrange(150_000, 400_000) + (rng.random() < 0.001) * 300 * MS)
        self.pass_time(SECOND)
        self.writer.put("goodbye", f'{self.stamp()},"last_seq":{self.writer.seq}')
        self.writer.seal()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the hook directory to make")
    parser.add_argument("--mib", type=int, required=True, help="size of the records, in MiB")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    folder = arguments.folder / f"{HOST}-{BOOT}" / EPOCH
    folder.mkdir(parents=True)
    (folder / "key").write_bytes(rng.randbytes(32))
    engine = Engine(Writer(folder, arguments.mib * MIB), rng)
    engine.run()
    (folder / "status.json").write_text("{" + engine.counters() + "}")


if __name__ == "__main__":
    main()
