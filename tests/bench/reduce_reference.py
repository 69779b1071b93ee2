"""Reads a hook directory, reduces it with every step kept and judges it with the reference; prints the seconds as JSON.

    reduce_reference.py LOG FOLDER

Then the same log is imported into an artifact in FOLDER, as the reference's command does it: another reading and reducing,
and the records written.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from stormlog.infer import diagnosis_loop as loop
from stormlog.infer import vllm_execution as execution
from stormlog.infer import vllm_execution_log as log
from stormlog.infer.vllm_execution_import import import_execution_into_artifact


def client(domain: str) -> str:
    """An artifact without a client run: a window over everything on the engine's own wall clock."""
    context = {
        "run_id": "run1", "session_id": "sess1", "producer_id": "viewer", "source": "viewer",
        "clock_domain": domain, "clock_kind": "wall", "collection_mode": "active", "provenance": "observed",
    }
    rows = [
        {"schema_version": 1, "event_type": "infer.session", "session_id": "sess1", "timestamp_ns": 1,
         "status": "completed"},
        {"schema_version": 2, "event_type": "infer.artifact", "event_id": "artifact", "created_at_ns": 1,
         "artifact_kind": "inference_jsonl", "context": context},
        {"schema_version": 1, "event_type": "infer.incident_window", "session_id": "sess1", "window": "post",
         "start_ns": 0, "end_ns": 2**63 - 1},
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def main() -> None:
    folder = Path(sys.argv[1])
    began = time.perf_counter()
    read = log.read_execution_log(folder, server_stopped=True)
    read_done = time.perf_counter()
    hello = read.engines()[0].hello
    domain = f"{hello['host']}/{hello['boot_id']}/unix_epoch_ns"
    facts = execution.RunFacts(
        run_id="run1", session_id="sess1", client_clock_domain=domain, requests={},
        windows=(execution.Window(kind="incident", start_ns=0, end_ns=2**63 - 1, case_id=None, phase=None),),
    )
    result = execution.reduce_execution_log(read, facts, execution.ReduceOptions())
    reduced = time.perf_counter()
    verdicts = [
        loop.engine_loop_gap([record.data for record in epoch.records], loop.LoopGapConfig(status=epoch.status))
        for epoch in read.engines()
    ]
    diagnosed = time.perf_counter()
    kinds = [type(event).__name__ for event in result.events]
    counts = {"steps": kinds.count("IterationEvent"), "memberships": kinds.count("MembershipEvent")}
    del read, result

    artifact = Path(sys.argv[2]) / "run.jsonl"
    artifact.write_text(client(domain))
    importing = time.perf_counter()
    import_execution_into_artifact(artifact, folder, server_stopped=True)
    imported = time.perf_counter()
    answer = {
        **counts,
        "value": verdicts[0].value,
        "threshold": verdicts[0].threshold,
        "read": read_done - began,
        "reduce": reduced - read_done,
        "diagnose": diagnosed - reduced,
        "unwritten": diagnosed - began,
        "written": imported - importing + diagnosed - reduced,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
