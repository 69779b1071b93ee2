"""What the reference (stormlog 0.4.3, public functions only) says of an artifact, in the shape of `judge`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stormlog.infer import vllm_execution_import as imports
from stormlog.infer.correlation_accounting import resolve_inference_events
from stormlog.infer.correlation_events import ArtifactIdentityEvent, load_inference_artifact

INT64 = 2**63 - 1


def fits(value: int) -> int:
    return max(-INT64 - 1, min(INT64, value))


def ordered(values: list[Any]) -> list[Any]:
    return sorted(values, key=lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def ref(reference: Any) -> list[str]:
    return [reference.producer_id, reference.id]


def facts(records: list[Any], run_id: str, session_id: str, stopped: bool) -> dict[str, Any]:
    known = imports.run_facts_from_records(records, run_id, session_id, run_over=stopped)
    return {
        "run_id": known.run_id,
        "session_id": known.session_id,
        "client_clock_domain": known.client_clock_domain,
        "requests": ordered(
            [[key, r.request_id, r.x_request_id, r.case_id, r.phase] for key, r in known.requests.items()]
        ),
        "windows": [[fits(w.start_ns), fits(w.end_ns)] for w in known.windows],
        "referenced": ordered([ref(r) for r in known.referenced_iterations]),
        "iterations": ordered([ref(r) for r in known.existing_iterations]),
        "attempts": ordered([ref(r) for r in known.existing_attempts]),
        "alignments": ordered(list(known.existing_alignments)),
        "stages": ordered(list(known.existing_stages)),
        "admissions": ordered(
            [[epoch, seq, ref(attempt)] for (epoch, seq), attempt in known.existing_admissions.items()]
        ),
        "marks": ordered([[epoch, fits(mark)] for epoch, mark in imports.execution_high_water(records).items()]),
        "schemes": ordered([[epoch, scheme] for epoch, scheme in imports.execution_foreign_schemes(records).items()]),
    }


def judge(path: Path) -> dict[str, Any]:
    answer: dict[str, Any] = {"rows": None, "refused": None, "consistent": None, "facts": None}
    try:
        records = load_inference_artifact(path)
    except Exception as error:  # noqa: BLE001  whatever stops the reference
        answer["refused"] = f"{type(error).__name__}: {error}"[:200]
        return answer
    answer["rows"] = len(records)
    try:
        resolve_inference_events(records)
    except ValueError as error:
        answer["consistent"] = str(error)
    identities = [record for record in records if isinstance(record, ArtifactIdentityEvent)]
    if identities:
        context = identities[0].context
        answer["facts"] = [facts(records, context.run_id, context.session_id, stopped) for stopped in (False, True)]
    return answer
