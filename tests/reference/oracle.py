"""What the reference answers for a case folder, in the shape of its expected.json.

The reference (stormlog 0.4.3) is only ever called through its public functions. A part it cannot answer because it
stops with an exception becomes ``{"stopped": "<exception>"}`` instead of a value; a refused override of a verdict
becomes ``{"error": "<text>"}``.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from pathlib import Path
from typing import Any

from stormlog.infer import diagnosis_loop as loop
from stormlog.infer import vllm_execution as execution
from stormlog.infer import vllm_execution_log as log
from stormlog.infer.correlation_events import EntityRef

STOPPED = "stopped"
EPOCH_NAME = re.compile(r"(engine|worker)-[0-9]+-[0-9]+")


def load_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def is_epoch_name(name: str) -> bool:
    return EPOCH_NAME.fullmatch(name) is not None


def stopped(error: BaseException) -> dict[str, str]:
    return {STOPPED: f"{type(error).__name__}: {error}"[:300]}


# ---- reading ----------------------------------------------------------------------------------------------------


def read(case: Path, spec: dict[str, Any], marks: dict[str, int]) -> log.LogRead:
    importer = spec["importer"]
    return log.read_execution_log(
        case / spec["log"],
        high_water=dict(marks),
        importer=log.Importer(
            host=importer["host"], boot_id=importer["boot_id"], monotonic_ns=importer["monotonic_ns"]
        ),
        server_stopped=spec["server_stopped"],
    )


def error_place(text: str) -> str:
    return text.split(": ", 1)[0]


def summary_with_places(epoch: log.EpochRead) -> dict[str, Any]:
    summary = epoch.summary()
    summary["errors"] = [error_place(text) for text in summary["errors"]]
    return summary


def read_part(answer: log.LogRead) -> dict[str, Any]:
    epochs: dict[str, Any] = {}
    for epoch in answer.epochs:
        try:
            epochs[epoch.epoch] = summary_with_places(epoch)
        except Exception as error:  # noqa: BLE001  whatever stops the reference
            epochs[epoch.epoch] = stopped(error)
    return {"notes": len(answer.notes), "epochs": epochs}


# ---- reducing ---------------------------------------------------------------------------------------------------


class Held:
    """What the records of the imports before tell the next one (the existing facts and the marks)."""

    def __init__(self) -> None:
        # Once a reduction stopped, nobody knows what a later import should start from.
        self.lost: dict[str, str] | None = None
        self.marks: dict[str, int] = {}
        self.iterations: set[EntityRef] = set()
        self.attempts: set[EntityRef] = set()
        self.alignments: set[str] = set()
        self.stages: set[str] = set()
        self.admissions: dict[tuple[str, int], EntityRef] = {}

    def add(self, result: execution.ReduceResult) -> None:
        for epoch, mark in result.high_water.items():
            self.marks[epoch] = max(mark, self.marks.get(epoch, mark))
        for event in result.events:
            kind = type(event).__name__
            if getattr(event, "iteration_ref", None) is not None:
                self.iterations.add(event.iteration_ref)
            if kind == "RequestEvent" and event.attempt_ref is not None:
                self.attempts.add(event.attempt_ref)
                epoch, seq = event.metadata.get("epoch"), event.metadata.get("admission_seq")
                if isinstance(epoch, str) and isinstance(seq, int) and not isinstance(seq, bool):
                    self.admissions[(epoch, seq)] = event.attempt_ref
            elif kind == "ClockAlignmentEvent":
                self.alignments.add(event.event_id)
            elif kind == "StageEvent":
                self.stages.add(event.event_id)


def run_facts(facts: dict[str, Any], held: Held) -> execution.RunFacts:
    return execution.RunFacts(
        run_id=facts["run_id"],
        session_id=facts["session_id"],
        client_clock_domain=facts["client_clock_domain"],
        requests={r["x_request_id"]: execution.RunRequest(**r) for r in facts["requests"]},
        windows=tuple(execution.Window(**w) for w in facts["windows"]),
        referenced_iterations=frozenset(EntityRef(**r) for r in facts["referenced_iterations"]),
        existing_iterations=frozenset(held.iterations),
        existing_attempts=frozenset(held.attempts),
        existing_alignments=frozenset(held.alignments),
        existing_stages=frozenset(held.stages),
        existing_admissions=dict(held.admissions),
    )


def reduce_part(result: execution.ReduceResult) -> dict[str, Any]:
    contexts: list[dict[str, Any]] = []
    index: dict[Any, int] = {}
    records = []
    for event in result.events:
        record = event.to_record()
        record.pop("context")
        if event.context not in index:
            index[event.context] = len(contexts)
            contexts.append(dataclasses.asdict(event.context))
        records.append({**record, "ctx": index[event.context]})
    epochs = {name: dict(summary) for name, summary in result.summary["epochs"].items()}
    for summary in epochs.values():
        summary["errors"] = [error_place(text) for text in summary["errors"]]
    return {
        "records": records,
        "contexts": contexts,
        "summary": {"epochs": epochs, "pseudonyms": result.summary["pseudonyms"]},
        "high_water": result.high_water,
    }


# ---- diagnosing -------------------------------------------------------------------------------------------------


def configuration(spec: dict[str, Any], epoch: log.EpochRead) -> loop.LoopGapConfig:
    return loop.LoopGapConfig(
        now_wall_ns=spec["now_wall_ns"],
        exclude_wall=[tuple(pair) for pair in spec["exclude_wall"]],
        thresholds=dict(spec["thresholds"]),
        status=epoch.status if spec["with_status"] else None,
        hello=epoch.hello if spec["with_hello"] else None,
    )


def verdict(records: list[dict[str, Any]], spec: dict[str, Any], epoch: log.EpochRead) -> dict[str, Any]:
    try:
        signal = loop.engine_loop_gap(records[spec["tail_from"] :], configuration(spec, epoch))
    except ValueError as error:
        text = str(error)
        if "threshold" in text:
            return {"error": text}
        return stopped(error)
    except Exception as error:  # noqa: BLE001
        return stopped(error)
    fields = [field.name for field in dataclasses.fields(signal)]
    answer = {name: getattr(signal, name) for name in fields}
    answer["detail"] = dict(answer["detail"])
    return answer


def stall_row(stall: loop.Stall) -> list[Any]:
    return [
        stall.locus,
        stall.attribution,
        stall.duration_ns,
        stall.start_mono_ns,
        stall.start_wall_ns,
        stall.end_wall_ns,
        stall.bucket,
        stall.ongoing,
        stall.overlapped,
    ]


def over_limit(stalls: list[loop.Stall], over: list[tuple[loop.Stall, float]]) -> list[list[Any]]:
    """The pairs with the stall named by its place; both lists are in one order, so equal stalls pair up in turn."""
    pairs, at = [], 0
    for stall, limit in over:
        at = stalls.index(stall, at)
        pairs.append([at, limit])
        at += 1
    return pairs


def diagnose_epoch(epoch: log.EpochRead, configurations: list[dict[str, Any]]) -> dict[str, Any]:
    records = [record.data for record in epoch.records]
    answer: dict[str, Any] = {
        "verdicts": {spec["name"]: verdict(records, spec, epoch) for spec in configurations}
    }
    try:
        steps = loop.steps_from_raw(records)
        pauses = loop.pause_intervals(records)
        stalls = loop.find_stalls(steps, pauses, None)
        over = loop.stalls_over_limit(steps, pauses)
        answer["steps"] = len(steps)
        answer["pauses"] = [list(pair) for pair in pauses]
        answer["cadence"] = sorted(list(entry) for entry in loop.cadence_table(steps))
        answer["stalls"] = [stall_row(stall) for stall in stalls]
        answer["over_limit"] = over_limit(stalls, over)
    except Exception as error:  # noqa: BLE001
        answer.update(dict.fromkeys(["steps", "pauses", "cadence", "stalls", "over_limit"], stopped(error)))
    return answer


# ---- a case -----------------------------------------------------------------------------------------------------


def answer_import(case: Path, spec: dict[str, Any], facts: dict[str, Any], held: Held) -> dict[str, Any]:
    if held.lost is not None:
        return {"read": held.lost, "reduce": held.lost}
    try:
        taken = read(case, spec, held.marks)
    except Exception as error:  # noqa: BLE001
        held.lost = stopped(error)
        return {"read": held.lost, "reduce": held.lost}
    entry: dict[str, Any] = {"read": read_part(taken)}
    try:
        options = execution.ReduceOptions(raw_foreign_ids=spec["raw_foreign_ids"])
        result = execution.reduce_execution_log(taken, run_facts(facts, held), options)
        held.add(result)
        entry["reduce"] = reduce_part(result)
    except Exception as error:  # noqa: BLE001
        entry["reduce"] = held.lost = stopped(error)
    return entry


def diagnose(case: Path, spec: dict[str, Any], configurations: list[dict[str, Any]]) -> dict[str, Any]:
    try:
        whole = read(case, spec, {})
    except Exception as error:  # noqa: BLE001
        return stopped(error)
    return {epoch.epoch: diagnose_epoch(epoch, configurations) for epoch in whole.epochs if epoch.role == "engine"}


def answer(case: Path) -> dict[str, Any]:
    """expected.json of a case folder."""
    spec = load_json(case / "case.json")
    held = Held()
    return {
        "imports": [answer_import(case, one, spec["facts"], held) for one in spec["imports"]],
        "diagnose": diagnose(case, spec["imports"][-1], spec["loop"]),
    }


if __name__ == "__main__":
    json.dump(answer(Path(sys.argv[1])), sys.stdout)
