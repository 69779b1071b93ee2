"""What stands in an artifact, in a form in which two programs' files can be compared: contexts in place of their ids,
without what names the importing program, its machine or its moment."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "reference"))
from compare import differences  # noqa: E402

Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_bytes().decode().split("\n") if line.strip()]


def placeless(summary: Any) -> Any:
    """An epoch summary whose reading errors are cut down to their places."""
    if isinstance(summary, dict) and isinstance(summary.get("errors"), list):
        return {**summary, "errors": [str(text).split(": ", 1)[0] for text in summary["errors"]]}
    return summary


def capability(row: Row) -> Row:
    row = {name: value for name, value in row.items() if name not in ("event_id", "context", "context_id")}
    execution = row.get("metadata", {}).get("summary", {}).get("execution")
    if isinstance(execution, dict):
        execution = {name: value for name, value in execution.items() if name != "directory"}
        execution["notes"] = len(execution.get("notes", []))
        execution["epochs"] = {name: placeless(value) for name, value in execution.get("epochs", {}).items()}
        row["metadata"] = {"summary": {"execution": execution}}
    return row


def comparable(path: Path) -> list[Row]:
    contexts: dict[str, Row] = {}
    out = []
    for row in rows(path):
        version = row.get("schema_version", 1)
        if row["event_type"] == "infer.context":
            contexts[row["context_id"]] = row["context"]
            continue
        row = dict(row)
        if version == 4:
            row["context"] = contexts[row.pop("context_id")]
        if row["event_type"] == "infer.capabilities" and version != 1:
            row = capability(row)
        elif isinstance(row.get("context"), dict):
            row["context"] = {name: value for name, value in row["context"].items() if name != "source_version"}
        out.append(row)
    return out


def imported(path: Path) -> list[Row]:
    """What execution imports wrote, without their capability records, in an order of its own."""
    mine = [
        row
        for row in comparable(path)
        if row.get("context", {}).get("source") == "stormlog.infer.import_execution"
    ]
    return sorted(mine, key=lambda row: (row["event_id"], json.dumps(row, sort_keys=True)))


def first_difference(ours: list[Row], theirs: list[Row]) -> str | None:
    for at, (a, b) in enumerate(zip(ours, theirs)):
        for difference in differences(b, a):
            return f"row {at} ({a.get('event_type')}): {difference}"
    if len(ours) != len(theirs):
        return f"{len(ours)} rows, theirs {len(theirs)}"
    return None
