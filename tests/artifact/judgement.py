"""What the reference (stormlog 0.4.3, public functions only) says of an artifact, in the shape of `judge`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stormlog.infer import vllm_execution_import as imports
from stormlog.infer.correlation_codec import (
    CorrelationRecordDecoder,
    CorrelationRecordEncoder,
    read_inference_records,
)
from stormlog.infer.correlation_accounting import resolve_inference_events
from stormlog.infer.correlation_events import ArtifactIdentityEvent, load_inference_artifact
from stormlog.infer.vllm_execution_report import execution_report

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


CONTEXT = (
    "backend backend_version clock_domain clock_kind collection_mode device_uuid engine engine_version host local_rank "
    "pid producer_id provenance rank run_id session_id source source_version world_size"
).split()


def filled(row: Any) -> Any:
    """A row whose context says its nulls."""
    if isinstance(row, dict) and isinstance(row.get("context"), dict) and row.get("schema_version") in (2, 3, 4):
        return {**row, "context": {**dict.fromkeys(CONTEXT), **row["context"]}}
    return row


def plain(answer: dict[str, Any]) -> dict[str, Any]:
    """Our answer with its rows, which come as text, and without the words of an error."""
    if answer["report"] and "error" in answer["report"]:
        answer["report"]["error"] = True
    for part in ("embedded", "encoded"):
        if isinstance(answer[part], list):
            answer[part] = [filled(json.loads(row)) for row in answer[part]]
    return answer


def transported(path: Path) -> tuple[list[Any], list[Any]]:
    """Every row with its context embedded; and these, encoded with references."""
    decoder, encoder = CorrelationRecordDecoder(), CorrelationRecordEncoder()
    embedded: list[Any] = []
    encoded: list[Any] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        row = decoder.decode(json.loads(line)) if line.strip() else None
        if row is None:
            continue
        embedded.append(row)
        rows = encoder.prepare(row)
        encoder.commit(rows)
        encoded += rows
    return [filled(row) for row in embedded], [filled(row) for row in encoded]


UNCOUNTED = ("gpu", "unmeasured", "cases", "non_additive")


def report(path: Path) -> Any:
    """The execution block without what only traces tell; None when an analysis is refused, "stops" when it stops."""
    try:
        records = read_inference_records(path)
    except Exception:  # noqa: BLE001
        return None
    try:
        block = execution_report(records)
    except Exception:  # noqa: BLE001  a [D] rule
        return "stops"
    if "error" in block:
        block["error"] = True
    return {name: value for name, value in block.items() if name not in UNCOUNTED}


def judge(path: Path) -> dict[str, Any]:
    answer: dict[str, Any] = {"rows": None, "refused": None, "agreement": None, "facts": None}
    answer["report"] = report(path)
    try:
        records = load_inference_artifact(path)
    except Exception as error:  # noqa: BLE001  whatever stops the reference
        answer["refused"] = f"{type(error).__name__}: {error}"[:200]
        return answer
    answer["rows"] = len(records)
    try:
        graph = resolve_inference_events(records)
        # Of two references of one event its own order says nothing.
        answer["agreement"] = sorted([u.event_id, u.kind, ref(u.ref)] for u in graph.unresolved)
    except ValueError as error:
        answer["agreement"] = str(error)
    answer["embedded"], answer["encoded"] = transported(path)
    identities = [record for record in records if isinstance(record, ArtifactIdentityEvent)]
    if identities:
        context = identities[0].context
        answer["facts"] = [facts(records, context.run_id, context.session_id, stopped) for stopped in (False, True)]
    return answer
