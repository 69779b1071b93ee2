"""The logs of a real vLLM, and the artifact its client would have recorded."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
LOGS = FIXTURES / "unpacked" / "epochs"


def cut(log: Path, into: Path, share: float) -> None:
    """The log as it was when every epoch had written that share of its lines: without side file, the last segment open."""
    for epoch in (path for path in log.glob("*/*") if path.is_dir()):
        target = into / epoch.relative_to(log)
        target.mkdir(parents=True)
        segments = sorted(path for path in epoch.iterdir() if ".jsonl" in path.name)
        lines = [path.read_bytes().splitlines(keepends=True) for path in segments]
        left = int(sum(map(len, lines)) * share)
        for path, content in zip(segments, lines):
            whole = len(content) <= left
            name = path.name if whole or path.name.endswith(".part") else f"{path.name}.part"
            (target / name).write_bytes(b"".join(content[:left]))
            left -= len(content)
            if not whole:
                break
        if (epoch / "key").exists():
            shutil.copy(epoch / "key", target)


def wall_domain(log: Path) -> str:
    for segment in sorted(log.glob("*/engine-*/000000.jsonl*")):
        hello = json.loads(segment.read_bytes().split(b"\n", 1)[0])
        return f"{hello['host']}/{hello['boot_id']}/unix_epoch_ns"
    raise ValueError(f"{log}: no hello")


def client(name: str) -> bytes:
    """Session, identity, every second request of the client, and a window over its middle."""
    lines = gzip.decompress((FIXTURES / "epochs" / "truth" / f"{name}.client.jsonl.gz").read_bytes()).splitlines()
    requests = [json.loads(line) for line in lines]
    times = sorted(request["sent_wall_ns"] for request in requests)
    context = {
        "run_id": "run1", "session_id": "sess1", "producer_id": "client", "source": "client",
        "clock_domain": wall_domain(LOGS / name), "clock_kind": "wall", "collection_mode": "active",
        "provenance": "observed",
    }
    rows: list[dict[str, Any]] = [
        {"event_type": "infer.session", "session_id": "sess1", "status": "completed", "timestamp_ns": times[-1]},
        {"schema_version": 2, "event_type": "infer.artifact", "event_id": "artifact", "context": context,
         "artifact_kind": "inference_jsonl", "created_at_ns": times[0]},
        {"event_type": "infer.phase_window", "session_id": "sess1", "case_id": "c", "phase": "p",
         "started_at_ns": times[len(times) // 4], "drained_at_ns": times[3 * len(times) // 4]},
    ]
    for at, request in enumerate(requests[::2]):
        rows.append({"event_type": "infer.dispatch", "session_id": "sess1", "request_id": f"r{at}", "case_id": "c",
                     "x_request_id": request["x_request_id"]})
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
