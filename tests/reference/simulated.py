"""Holds what the recorder writes to the reference: it reads it without a complaint, and as we do.

    simulated.py --stepscope PROGRAM

Each preset below is written by ``stepscope simulate`` into a case folder, which oracle.py and ``stepscope conform`` both
answer. The reference must stop nowhere, list no error and take every epoch for what its preset makes it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import compare
import fuzz
import oracle

# Presets, with what keeps an adjustable one short; between them they write every kind of record.
PRESETS: dict[str, list[str]] = {
    "interference": [],
    "thrash": [],
    "late-host": [],
    "idle": [],
    "pause-reset": [],
    "pause-unobserved": [],
    "aborts": [],
    "hang-in-step": [],
    "capped": [],
    "async": ["--seconds", "4"],
    "memory": ["--seconds", "4"],
    "speculation": ["--seconds", "4"],
    "streaming": ["--seconds", "4"],
    "impatient": ["--seconds", "4"],
    "control": ["--seconds", "8"],
    "lossy": ["--seconds", "20"],
    "killed": [],
    "crashed": [],
    "mixture": ["--seconds", "6"],
}
KINDS = {
    *("hello", "heartbeat", "goodbye", "alias", "enqueued", "scheduled", "completed", "terminal"),
    *("pause", "cache_reset"),
}

# What a preset makes of its epoch, in the reference's words; the others are plain.
PLAIN = {"state": "ended", "state_reason": "goodbye", "truncated": False, "capped": False, "errors": [], "gaps": 0}
STOPPED_BY_FORCE = {**PLAIN, "state": "gone", "state_reason": "server_stopped"}
SPECIAL = {
    "hang-in-step": STOPPED_BY_FORCE,
    "capped": {**STOPPED_BY_FORCE, "capped": True},
    "killed": {**STOPPED_BY_FORCE, "truncated": True},
}
LOSING = {"capped", "lossy"}


def records(log: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a log's segments, in order."""
    for segment in sorted(log.glob("*/*/*.jsonl*")):
        for line in segment.read_bytes().split(b"\n")[:-1]:
            yield json.loads(line)


def loop(last_wall_ns: int) -> list[dict[str, Any]]:
    """The verdicts asked for: after the end, while it runs, a minute later, and of the last records alone."""
    base = {"exclude_wall": [], "thresholds": {}, "with_status": True, "with_hello": True, "tail_from": 0}
    return [
        {**base, "name": "offline", "now_wall_ns": None},
        {**base, "name": "online", "now_wall_ns": last_wall_ns + 500_000_000},
        {**base, "name": "later", "now_wall_ns": last_wall_ns + 60_000_000_000},
        {**base, "name": "tail", "now_wall_ns": last_wall_ns + 1_000_000_000, "tail_from": 100},
    ]


def write_case(case: Path, program: str, preset: str, words: list[str]) -> list[dict[str, Any]]:
    """A case folder of a preset; a client that made every second request measured all but the first second."""
    log = case / "log"
    subprocess.run([program, "simulate", preset, "-o", log, *words], check=True, stdout=subprocess.DEVNULL)
    written = list(records(log))
    aliases = [one["external"] for one in written if one["kind"] == "alias" and one["external"]]
    walls = [one["wall_ns"] for one in written if "wall_ns" in one]
    requests = [
        {"request_id": f"r{at}", "x_request_id": external, "case_id": "c1", "phase": "measure"}
        for at, external in enumerate(dict.fromkeys(aliases[::2]))
    ]
    window = {"kind": "phase", "start_ns": walls[0] + 1_000_000_000, "end_ns": walls[-1], "case_id": "c1"}
    importer = {"host": "laptop", "boot_id": "another-boot", "monotonic_ns": 5}
    spec = {
        "imports": [{"log": "log", "importer": importer, "server_stopped": True, "raw_foreign_ids": False}],
        "facts": {
            "run_id": "run-1",
            "session_id": "session-1",
            "client_clock_domain": "laptop/another-boot/unix_epoch_ns",
            "requests": requests,
            "windows": [{**window, "phase": "measure"}],
            "referenced_iterations": [],
        },
        "loop": loop(walls[-1]),
    }
    (case / "case.json").write_text(json.dumps(spec, indent=1) + "\n")
    return written


def stops(value: Any, place: str = "") -> Iterator[str]:
    """Where an answer says that the reference stopped."""
    if isinstance(value, dict):
        if value.keys() == {oracle.STOPPED}:
            yield f"{place}: {value[oracle.STOPPED]}"
        for name, inner in value.items():
            yield from stops(inner, f"{place}.{name}")
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from stops(inner, f"{place}[{at}]")


def complaints(preset: str, expected: dict[str, Any], written: list[dict[str, Any]]) -> Iterator[str]:
    """Where the reference finds something else than a sound epoch of this preset."""
    yield from stops(expected)
    epochs = expected["imports"][0]["read"].get("epochs", {})
    if len(epochs) != 1:
        yield f"{len(epochs)} epochs"
        return
    (summary,) = epochs.values()
    wanted = {**SPECIAL.get(preset, PLAIN), "records": len(written)}
    yield from compare.differences(wanted, {name: summary.get(name) for name in wanted})
    if bool(summary["dropped"]) != (preset in LOSING):
        yield f"dropped: {summary['dropped']}"
    spans = len(summary["coverage"]["spans"])
    if spans != 1 and preset not in LOSING:
        yield f"coverage in {spans} spans"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stepscope", required=True, help="the program that writes and reads")
    program = parser.parse_args().stepscope
    failed, kinds, count = 0, set(), 0
    with tempfile.TemporaryDirectory(prefix="stepscope-simulated-") as folder:
        for preset, words in PRESETS.items():
            case = Path(folder) / preset
            case.mkdir()
            written = write_case(case, program, preset, words)
            kinds.update(one["kind"] for one in written)
            count += len(written)
            expected = oracle.answer(case)
            (found,) = fuzz.conform(program, [case])
            lines = list(itertools.islice(complaints(preset, expected, written), 12))
            if isinstance(found, str):
                lines.append(f"no answer: {found}")
            else:
                lines += itertools.islice(compare.differences(expected, found), 12)
            if lines:
                failed += 1
                print(preset, *lines, sep="\n    ")
    if kinds != KINDS:
        failed += 1
        print(f"kinds of records: {sorted(kinds ^ KINDS)} more or less than all")
    print(f"{len(PRESETS)} simulated epochs of {count} records, {failed} with a complaint or a difference")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
