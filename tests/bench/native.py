"""Times the command line and the reference on the same epochs, in turn; prints every sample as JSON.

    native.py STEPSCOPE REPETITIONS FOLDER...

A sample of ours is the whole life of the process; of the reference the time inside it, without Python's own start.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

REFERENCE = [sys.executable, str(Path(__file__).with_name("reference_time.py"))]


class Timed(NamedTuple):
    """What a program took and printed."""

    seconds: float
    peak: int
    """Resident bytes."""
    processor: float
    """Seconds of the processor."""
    output: bytes


def timed(words: list[str]) -> Timed:
    """Runs a program that must succeed."""
    began = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Timed(seconds, usage.ru_maxrss * unit, usage.ru_utime + usage.ru_stime, output)


def ours(program: str, folder: str, threads: int) -> dict[str, Any]:
    seconds, peak, _, output = timed([program, "diagnose", folder, "--json", "--threads", str(threads)])
    verdict = json.loads(output)["epochs"][0]["verdict"]
    return {"seconds": seconds, "peak": peak, "value": verdict["value"], "threshold": verdict["threshold"]}


def reference(folder: str) -> dict[str, Any]:
    _, peak, _, output = timed([*REFERENCE, folder])
    return {"peak": peak, **json.loads(output)}


def main() -> None:
    program, repetitions, folders = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    measured: list[dict[str, Any]] = []
    for folder in folders:
        log_bytes = sum(path.stat().st_size for path in Path(folder).rglob("*.jsonl"))
        measured.append({"folder": folder, "bytes": log_bytes, "samples": {"one": [], "two": [], "reference": []}})
        ours(program, folder, 1)  # the file cache is warm for everyone
    # All in turn, so that whatever else the machine does meets everyone alike.
    for _ in range(repetitions):
        for each in measured:
            each["samples"]["one"].append(ours(program, each["folder"], 1))
            each["samples"]["reference"].append(reference(each["folder"]))
            each["samples"]["two"].append(ours(program, each["folder"], 2))
    for each in measured:
        verdicts = {(one["value"], one["threshold"]) for group in each["samples"].values() for one in group}
        if len(verdicts) != 1:
            raise SystemExit(f"{each['folder']}: the verdicts are not the same")
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
