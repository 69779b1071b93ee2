"""Artifacts made from a seed: sound rows of every type, and what editing, merging and truncating does to them."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

Row = dict[str, Any]

CONTEXT: Row = {
    "run_id": "run1",
    "session_id": "sess1",
    "producer_id": "P",
    "source": "stormlog.infer.import_execution",
    "clock_domain": "h/b/monotonic_ns",
    "clock_kind": "monotonic",
    "collection_mode": "imported",
    "provenance": "observed",
}
OPTIONAL_CONTEXT = (
    "source_version engine engine_version backend backend_version host device_uuid pid rank local_rank world_size"
).split()
ODD: list[Any] = [
    None, True, False, 0, 1, -1, 2, 4, 2**31, 2**63 - 1, 2**63, 2**70, -(2**70), 0.0, 1.0, 2.0, -1.5, 1e300,
    float("nan"), float("inf"), "", " ", "0", "1", "gpu", "linked", "unresolved", "monotonic", "wall", "tai",
    "run1", "sess1", "sess2", "é😀", "\ud800", "running", "completed", [], [1], ["a"], ["a", "a"], ["a", "b"], [""],
    [[0, 1]], [[0, 5], [5, 5]], [[3, 1], [0, 1]], [[0, 100]], [[0, 1, 2]], {}, {"a": 1}, {"id": "0"},
    {"producer_id": "P", "id": "0"}, {"producer_id": "P", "id": 0}, {"producer_id": "", "id": "0"},
    {"producer_id": "P", "id": "0", "x": None}, {"intervals": [[0, 1]]}, {"intervals": None},
]
FIELDS = (
    "schema_version event_type event_id context context_id metadata start_ns end_ns status input_tokens output_tokens "
    "kv_bytes request_ref attempt_ref backend_request_ref iteration_ref batch_ref stage_ref name role offset_ns "
    "uncertainty_ns valid_from_ns valid_to_ns component available supported enabled collected activity_ref "
    "activity_kind attribution_status activity_domain correlation_scope stream_id session_id timestamp_ns"
).split()
EVENT_TYPES = [
    "infer.artifact", "infer.request", "infer.iteration", "infer.membership", "infer.stage", "infer.clock_alignment",
    "infer.capabilities", "infer.activity_ref", "infer.context", "infer.session", "infer.foo", "infer.", "foo", "",
]


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, values: list[Any]) -> Any:
        return copy.deepcopy(self.random.choice(values))

    def small(self) -> int:
        return self.random.randrange(4)

    def ref(self, producers: tuple[str, ...] = ("P", "stormlog", "foreign")) -> Row:
        return {"producer_id": self.pick(list(producers)), "id": str(self.small())}

    def context(self) -> Row:
        context = dict(CONTEXT)
        if self.chance(0.2):
            context["producer_id"] = self.pick(["P", "Q"])
        if self.chance(0.1):
            context["source"] = "other"
        for name in OPTIONAL_CONTEXT:
            if self.chance(0.15):
                numeric = name in ("pid", "rank", "local_rank", "world_size")
                context[name] = self.pick([None, 1, 7] if numeric else [None, "x", "é"])
        return context

    def span(self, row: Row, start: str = "start_ns", end: str = "end_ns") -> None:
        first = self.pick([None, 5, 10])
        last = self.pick([None, 20, 100])
        for name, value in ((start, first), (end, last)):
            if value is not None or self.chance(0.5):
                row[name] = value

    def record(self) -> Row:
        kind = self.random.choice(EVENT_TYPES[:8])
        row: Row = {"schema_version": 2, "event_type": kind, "context": self.context(), "event_id": f"e{self.small()}"}
        if self.chance(0.8):
            row["metadata"] = self.metadata()
        if kind == "infer.artifact":
            row.update(artifact_kind="inference_jsonl", created_at_ns=self.small())
        elif kind == "infer.request":
            row["request_ref"] = self.ref()
            if self.chance(0.8):
                row["attempt_ref"] = self.ref(("P",))
            self.span(row)
            if self.chance(0.2):
                row["status"] = self.pick([None, "ok"])
        elif kind == "infer.iteration":
            row["iteration_ref"] = self.ref(("P", "Q"))
            self.span(row)
        elif kind == "infer.membership":
            row.update(request_ref=self.ref(), iteration_ref=self.ref(("P", "Q")), role=self.pick(["prefill", "decode"]))
            if self.chance(0.5):
                row["attempt_ref"] = self.pick([None, self.ref(("P",))])
            if self.chance(0.5):
                row["input_tokens"] = self.pick([None, 0, 8])
        elif kind == "infer.stage":
            row.update(stage_ref=self.ref(("P",)), name=self.pick(["engine.preempted", "x"]))
            if self.chance(0.8):
                row["request_ref"] = self.pick([None, self.ref()])
            if self.chance(0.8):
                row["iteration_ref"] = self.ref(("P",))
            self.span(row)
        elif kind == "infer.clock_alignment":
            row.update(
                from_clock_domain="h/b/monotonic_ns", to_clock_domain=self.pick(["h/b/unix_epoch_ns", "x"]),
                offset_ns=self.pick([0, -5, 900]), uncertainty_ns=self.small(),
            )
            self.span(row, "valid_from_ns", "valid_to_ns")
        elif kind == "infer.capabilities":
            row.update(component=self.pick(["engine_adapter", "trace_collector"]), available=self.chance(0.8))
            if row["available"] or self.chance(0.1):
                row.update(supported=["a", "b"], enabled=["a", "b"][: self.small()], collected=["a"][: self.small()])
        else:
            linked = self.chance(0.5)
            row.update(activity_ref=self.ref(("T",)), activity_kind="kernel",
                       attribution_status="linked" if linked else "unresolved")
            if linked or self.chance(0.1):
                row["iteration_ref"] = self.ref(("P", "Q"))
            if self.chance(0.4):
                row["activity_domain"] = self.pick(["gpu", "unknown"])
            self.span(row)
            if self.chance(0.4):
                row["metadata"] = {"intervals": self.pick([[[0, 1]], [[0, 5], [5, 5]], [[0, 5], [4, 5]], [[0, 90]], []])}
                if self.chance(0.8):
                    row["schema_version"] = 3
        return row

    def metadata(self) -> Row:
        metadata: Row = {}
        for name, values in {
            "epoch": ["engine-1-2", "engine-1-3", 5, None],
            "admission_seq": [1, 2, True, 1.0, None],
            "state": ["complete", "incomplete", 5],
            "update_failed": [True, False, None],
            "run_members": [0, 1, 2],
            "foreign_members": [0, 1, 2],
            "unresolved_members": [0, 0, 1, True],
            "request_id": ["r1", None],
            "ownership": ["run", "foreign", None],
            "summary": [
                {"execution": {"high_water": {"engine-1-2": 7}}},
                {"execution": {"high_water": {"engine-1-2": 9, "engine-1-3": True}, "epochs": {"engine-1-2": {"foreign_ids": "raw"}}}},
                {"execution": {"high_water": {"engine-1-2": -1, "engine-1-3": 1.0},
                               "epochs": {"engine-1-2": {"foreign_ids": "pseudonym"}, "engine-1-3": 5}}},
                {"execution": {"epochs": {"engine-1-2": {"foreign_ids": ""}, "engine-1-3": {"foreign_ids": "withheld"}}}},
                {"execution": {"epochs": {"engine-1-2": {
                    "gaps": 2, "dropped": {"scheduled": 3}, "truncated": True, "errors": ["a", "b"],
                    "iterations_pending": 1, "range_misses": None, "finish_unattached_seqs": [1, 2]}}}},
                {"execution": {"epochs": {"engine-1-2": {"finish_unattached_seqs": [2, 3], "startup_unranged": 4}}}},
                {"execution": 5}, {}, None, [],
            ],
            "x": [1, 1.0, True, float("nan"), {"b": 1, "a": [2]}],
        }.items():
            if self.chance(0.35):
                metadata[name] = self.pick(values)
        return metadata

    def client(self) -> Row:
        kind = self.random.choice(
            "session dispatch request first_content phase_start phase_window trace_window incident_window iteration foo".split()
        )
        row: Row = {"event_type": f"infer.{kind}"}
        if self.chance(0.5):
            row["schema_version"] = 1
        if self.chance(0.3):
            row["session_id"] = self.pick(["sess1", None])
        times = [0, 7, 9, 17, 50, 99, 107, 2**63, -1, None, 5.0, True, "7"]
        for name in (
            "timestamp_ns started_at_ns drained_at_ns stopped_at_ns start_ns end_ns".split()
        ):
            if self.chance(0.6):
                row[name] = self.pick(times)
        for name, values in {
            "x_request_id": ["x1", "x2", "é", "", None, 5],
            "request_id": ["r1", "r2", 5, None, 1.5, [1, "a"], True],
            "case_id": ["c1", "c2", None, 5],
            "phase": ["measured", "warmup", None, ""],
            "status": ["running", "completed", "interrupted", None],
            "window": ["pre", "post"],
        }.items():
            if self.chance(0.7):
                row[name] = self.pick(values)
        return row

    def as_transport(self, rows: list[Row]) -> list[Row]:
        out: list[Row] = []
        ids: dict[str, str] = {}
        for row in rows:
            if row.get("schema_version") not in (2, 3) or self.chance(0.3):
                out.append(row)
                continue
            row = dict(row)
            context = row.pop("context", None)
            key = json.dumps(context, sort_keys=True)
            if key not in ids or self.chance(0.1):
                ids[key] = self.pick([f"c{len(ids)}", f"c{len(ids)}é", "c0"])
                out.append({"schema_version": 4, "event_type": "infer.context", "context_id": ids[key], "context": context})
            row.update(schema_version=4, context_id=ids[key])
            out.append(row)
        if self.chance(0.1):
            self.random.shuffle(out)
        return out

    def damage(self, row: Row) -> Row:
        row = copy.deepcopy(row)
        target: Row = row
        if self.chance(0.5):
            inner = [value for value in row.values() if isinstance(value, dict)]
            if inner:
                target = self.random.choice(inner)
        if target is row:
            names = FIELDS if self.chance(0.4) else list(row)
        else:
            names = list(target) + OPTIONAL_CONTEXT[:3] + ["id", "intervals"]
        name = self.random.choice(names)
        if self.chance(0.3):
            target.pop(name, None)
        elif name == "event_type" and self.chance(0.7):
            target[name] = self.pick(EVENT_TYPES)
        elif name == "schema_version" and self.chance(0.7):
            target[name] = self.pick([1, 2, 3, 4, 5, 2.0, "2", True, None])
        else:
            target[name] = self.pick(ODD)
        return row

    def line(self, row: Row) -> bytes:
        text = json.dumps(row, ensure_ascii=self.chance(0.7), sort_keys=self.chance(0.5))
        if self.chance(0.05):
            # Of a doubled name the last counts.
            name, value = self.random.choice(FIELDS), json.dumps(self.pick(ODD))
            text = text[:-1] + f', "{name}": {value}}}' if self.chance(0.3) else f'{{"{name}": {value}, ' + text[1:]
        if self.chance(0.02):
            text = self.pick([text[:-3], " " + text + "\t", "\x0b" + text, text + "x", "[" + text + "]", "5", "null", "\ufeff" + text, ""])
        data = text.encode("utf-8", "surrogatepass")
        if self.chance(0.005):
            at = self.random.randrange(len(data) + 1)
            data = data[:at] + self.pick([b"\xff", b"\x00", b"\xc3", b"\x1f"]) + data[at:]
        return data

    def artifact(self) -> bytes:
        rows = [self.record() if self.chance(0.6) else self.client() for _ in range(self.random.randrange(8))]
        if self.chance(0.8):
            identity = {
                "schema_version": 2, "event_type": "infer.artifact", "event_id": "artifact",
                "artifact_kind": "inference_jsonl", "created_at_ns": 1,
                "context": {**CONTEXT, "clock_kind": "wall", "clock_domain": "h/b/unix_epoch_ns", "source": "viewer"},
            }
            rows.insert(self.random.randrange(len(rows) + 1), identity)
        if self.chance(0.3):
            rows += [self.pick(rows) for _ in range(self.small()) if rows]
        if self.chance(0.4):
            rows = [self.damage(row) if self.chance(0.3) else row for row in rows]
        if self.chance(0.5):
            rows = self.as_transport(rows)
        if self.chance(0.15):
            rows = [self.damage(row) if self.chance(0.2) else row for row in rows]
        end = self.pick(["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n \u2003\n"]).encode()
        lines = [self.line(row) for row in rows]
        return end.join(lines) + (end if self.chance(0.8) else b"")
