"""Stalls rebuilt from the steps that artifacts kept, with the reference and with ours.

    kept.py --stepscope PROGRAM [--cases FOLDER] [--count N] [--seed S] [NAME …]

The artifacts are those the reference itself imports: generated growing logs and the conformance cases, into a client's
artifact; and, of the real logs named, one of the log alone by `stepscope reduce`. For every engine the steps and the
stalls over their limit must be those of the reference, by the default thresholds and by ones so low that every stall of
positive length is over its limit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import client
import epochs
import imports
from stormlog.infer import diagnosis_inputs, diagnosis_join, diagnosis_loop, diagnosis_steps

# `imports` has put tests/reference on the path.
import generate as logs

THRESHOLDS: list[dict[str, float]] = [
    {},
    {
        "host_stall.stall_factor": 1e-9,
        "host_stall.stall_floor_ns": 1,
        "host_stall.no_baseline_floor_ns": 1,
        "host_stall.min_busy_steps": 2,
        "host_stall.matched_bin_min_steps": 3,
    },
    {"host_stall.stall_factor": 1.5, "host_stall.stall_floor_ns": 1000, "host_stall.min_busy_steps": 3},
]
FIELDS = "locus attribution duration_ns start_mono_ns start_wall_ns end_wall_ns bucket ongoing overlapped".split()


def rebuilt(artifact: Path) -> dict[str, list[Any]]:
    """The steps of every engine, as the reference rebuilds them."""
    view = diagnosis_join.join(diagnosis_inputs.read_input(artifact))
    producers = sorted({reference.producer_id for reference in view.iterations})
    return {producer: diagnosis_steps.loop_steps(view, producer) for producer in producers}


def theirs(engines: dict[str, list[Any]], thresholds: dict[str, float]) -> dict[str, Any]:
    config = diagnosis_loop.LoopGapConfig(thresholds=thresholds)
    answer = {}
    for producer, steps in engines.items():
        over = diagnosis_loop.stalls_over_limit(steps, (), config)
        stalls = [[*(getattr(stall, name) for name in FIELDS), float(limit)] for stall, limit in over]
        answer[producer] = {"steps": len(steps), "over_limit": stalls}
    return answer


def ours(program: str, artifact: Path, thresholds: dict[str, float]) -> dict[str, Any]:
    words = [word for name, value in thresholds.items() for word in ("--threshold", f"{name}={value!r}")]
    ran = subprocess.run([program, "diagnose", "--json", str(artifact), *words], capture_output=True, check=False)
    if ran.returncode != 0:
        raise AssertionError(f"exit {ran.returncode}: {ran.stderr.decode('utf-8', 'replace')}")
    answer = {}
    for epoch in json.loads(ran.stdout)["epochs"]:
        stalls = [[*(stall[name] for name in FIELDS), stall["limit_ns"]] for stall in epoch["over_limit"]]
        rebuilt = epoch["rebuilt"]
        answer[rebuilt["producer"]] = {"steps": rebuilt["steps"], "over_limit": stalls}
    return answer


def differences(program: str, artifact: Path, seen: Counter[str]) -> list[str]:
    found = []
    try:
        engines = rebuilt(artifact)
    except Exception:  # noqa: BLE001  a [D] rule
        seen["stopped"] += 1
        return []
    for thresholds in THRESHOLDS:
        try:
            expected = theirs(engines, thresholds)
        except Exception:  # noqa: BLE001  a [D] rule
            seen["stopped"] += 1
            continue
        answer = ours(program, artifact, thresholds)
        for producer, one in expected.items():
            # The limits are doubles computed in the same way; JSON keeps them whole.
            if answer.get(producer) != one:
                found.append(f"{thresholds}: {producer}: {answer.get(producer)}\n      theirs {one}"[:3000])
            seen["steps"] += one["steps"]
            seen["stalls"] += len(one["over_limit"])
        if any(one["over_limit"] or one["steps"] for name, one in answer.items() if name not in expected):
            found.append(f"{thresholds}: engines {sorted(answer)}, theirs {sorted(expected)}")
    return found


def of_case(program: str, case: Path, folder: Path, seen: Counter[str]) -> list[str]:
    spec = json.loads((case / "case.json").read_text())
    side = imports.Side(folder / "theirs", client.artifact(spec["facts"]))
    for one in spec["imports"]:
        if side.reference(case / one["log"], one) is None:
            seen["stopped"] += 1
            break
    seen["artifacts"] += 1
    return differences(program, side.artifact, seen)


def of_log(program: str, name: str, folder: Path, seen: Counter[str]) -> list[str]:
    artifact = folder / "run.jsonl"
    subprocess.run([program, "reduce", str(epochs.LOGS / name), "-o", str(artifact)], check=True, capture_output=True)
    seen["artifacts"] += 1
    return differences(program, artifact, seen)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stepscope", required=True)
    parser.add_argument("--cases", type=Path, help="conformance cases to import too")
    parser.add_argument("--count", type=int, default=200, help="how many generated logs (200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", help="real logs")
    arguments = parser.parse_args()
    failed, seen = 0, Counter[str]()

    def tell(what: str, lines: list[str]) -> None:
        nonlocal failed
        if lines:
            failed += 1
            if failed <= 5:
                print(what, *lines[:3], sep="\n    ")

    with tempfile.TemporaryDirectory(prefix="stepscope-kept-") as name:
        root = Path(name)
        given = sorted(path.parent for path in arguments.cases.glob("*/case.json")) if arguments.cases else []
        for at in range(len(given) + arguments.count):
            folder = root / str(at)
            folder.mkdir()
            case = given[at] if at < len(given) else folder / "case"
            if at >= len(given):
                logs.write_case(case, logs.case_seed(arguments.seed, at - len(given)))
            tell(str(case), of_case(arguments.stepscope, case, folder, seen))
        for log in arguments.names:
            folder = root / log
            folder.mkdir()
            tell(log, of_log(arguments.stepscope, log, folder, seen))
    print(f"{failed} of {seen['artifacts']} artifacts with a difference;", json.dumps(dict(seen)))
    # A comparison of nothing is none.
    return 1 if failed or seen["stalls"] < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
