"""The artifact a client would have recorded, from the facts of a conformance case."""

from __future__ import annotations

import json
from typing import Any

Row = dict[str, Any]


def rows(facts: dict[str, Any]) -> list[Row]:
    run_id, session_id = facts["run_id"], facts["session_id"]
    context = {
        "run_id": run_id, "session_id": session_id, "producer_id": "client", "source": "client",
        "clock_domain": facts["client_clock_domain"] or "nowhere/unix_epoch_ns", "clock_kind": "wall",
        "collection_mode": "active", "provenance": "observed",
    }
    out: list[Row] = [
        {"event_type": "infer.session", "session_id": session_id, "status": "completed", "timestamp_ns": 1},
        {"schema_version": 2, "event_type": "infer.artifact", "event_id": "artifact", "context": context,
         "artifact_kind": "inference_jsonl", "created_at_ns": 1},
    ]
    for request in facts["requests"]:
        row = {name: value for name, value in request.items() if value is not None}
        out.append({"event_type": "infer.dispatch", "schema_version": 1, "session_id": session_id, **row})
    for window in facts["windows"]:
        out.append(
            {"event_type": "infer.trace_window", "schema_version": 1, "session_id": session_id,
             "started_at_ns": window["start_ns"], "stopped_at_ns": window["end_ns"]}
        )
    for at, reference in enumerate(facts["referenced_iterations"]):
        out.append(
            {"schema_version": 2, "event_type": "infer.activity_ref", "event_id": f"activity:{at}", "context": context,
             "activity_ref": {"producer_id": "trace", "id": str(at)}, "activity_kind": "kernel",
             "attribution_status": "linked", "iteration_ref": reference}
        )
    return out


def artifact(facts: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows(facts)).encode()
