"""What the reference's recorder costs the engine's thread for one step; prints one JSON object of plain numbers.

    recorder_reference.py FOLDER

The step is the one that the recorder's own `speed` example records: 256 requests, each decoding one token. The
reference's recorder is only called, with stand-ins for the engine's objects that hold what it asks them for.
"""

from __future__ import annotations

import json
import sys
import time
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from stormlog.infer.vllm_hook.engine import EngineRecorder
from stormlog.infer.vllm_hook.writer import EpochWriter, stamp

MEMBERS = 256
PROMPT = 512
STEPS = 330
WARM = 30


class PauseState(Enum):
    UNPAUSED = 0


class Request:
    """A live request, with everything the recorder reads of one."""

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        self.num_prompt_tokens = PROMPT
        self.num_output_tokens = 0
        self.resumable = False
        self.num_stale_output_tokens = 0
        self.drop_stale_output = False

    def is_finished(self) -> bool:
        return False


class CachedRequests:
    def __init__(self, req_ids: list[str], num_computed_tokens: list[int]) -> None:
        self.req_ids = req_ids
        self.num_computed_tokens = num_computed_tokens

    def is_context_phase(self, _request_id: str) -> bool:
        return False


def step(requests: dict[str, Request], number: int) -> tuple[Any, Any, Any]:
    """Output of the scheduler, of the model and of the update; the first step takes all requests in."""
    ids = list(requests)
    first = number == 0
    tokens = PROMPT if first else 1
    new = [SimpleNamespace(req_id=one, prompt_len=PROMPT, num_computed_tokens=0) for one in ids]
    computed = [PROMPT + number - 1] * MEMBERS
    output = SimpleNamespace(
        scheduled_new_reqs=new if first else [],
        scheduled_cached_reqs=CachedRequests([], []) if first else CachedRequests(ids, computed),
        num_scheduled_tokens=dict.fromkeys(ids, tokens),
        total_num_scheduled_tokens=tokens * MEMBERS,
        scheduled_spec_decode_tokens={},
        preempted_req_ids=set(),
    )
    model = SimpleNamespace(
        sampled_token_ids=[[7]] * MEMBERS, req_id_to_index={one: at for at, one in enumerate(ids)}
    )
    outputs = [SimpleNamespace(request_id=one, new_token_ids=[7], finish_reason=None) for one in ids]
    return output, model, {0: SimpleNamespace(outputs=outputs)}


def main() -> None:
    writer = EpochWriter(Path(sys.argv[1]), "engine")
    recorder = EngineRecorder(writer, "p")
    ids = [f"cmpl-{n * 77_777:08x}-9d0c-4b77-a1f5-{n * 31_337:012x}-0-{n:08x}" for n in range(MEMBERS)]
    requests = {one: Request(one) for one in ids}
    scheduler = SimpleNamespace(
        requests=requests,
        running=list(requests.values()),
        pause_state=PauseState.UNPAUSED,
        num_sampled_tokens_per_step=1,
    )
    times = []
    for number in range(STEPS):
        output, model, result = step(requests, number)
        start = time.perf_counter_ns()
        recorder.on_schedule(scheduler, output, stamp())
        before = recorder.before_update(scheduler, output, model)
        recorder.after_update(scheduler, output, before, result=result)
        spent = time.perf_counter_ns() - start
        if number >= WARM:
            times.append(spent)
        for request in requests.values():
            request.num_output_tokens += 1
        # Long enough for the writing thread to be done: it does not hold up the next step.
        time.sleep(0.005)
    writer.close()
    lines = [line for path in sorted(Path(sys.argv[1]).glob("*/*/*.jsonl")) for line in path.open("rb")]
    last = [record for record in map(json.loads, lines[-20:]) if record["kind"] == "completed"][-1]
    kept = sum(member["outcome"] == "kept" and member["retained"] == 1 for member in last["members"])
    kinds = [json.loads(line)["kind"] for line in lines]
    times.sort()
    answer = {
        "engine_ns_per_step": times[len(times) // 2],
        "engine_bytes_per_step": sum(map(len, lines)) // STEPS,
        "steps_recorded": min(kinds.count("scheduled"), kinds.count("completed")),
        "steps": STEPS,
        "last_kept": kept,
        "last_computed_after": last["members"][0]["computed_after"],
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
