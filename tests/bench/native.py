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
from typing import Any

REFERENCE = [sys.executable, str(Path(__file__).with_name("reference_time.py"))]


def timed(words: list[str]) -> tuple[float, int, bytes]:
    """Seconds, peak resident bytes and output of a program that must succeed."""
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
    return seconds, usage.ru_maxrss * unit, output


def ours(program: str, folder: str, threads: int) -> dict[str, Any]:
    seconds, peak, output = timed([program, "diagnose", folder, "--json", "--threads", str(threads)])
    verdict = json.loads(output)["epochs"][0]["verdict"]
    return {"seconds": seconds, "peak": peak, "value": verdict["value"], "threshold": verdict["threshold"]}


def reference(folder: str) -> dict[str, Any]:
    _, peak, output = timed([*REFERENCE, folder])
    return {"peak": peak, **json.loads(output)}


def main() -> None:
    program, repetitions, folders = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    measured = []
    for folder in folders:
        log_bytes = sum(path.stat().st_size for path in Path(folder).rglob("*.jsonl"))
        samples: dict[str, list[dict[str, Any]]] = {"one": [], "two": [], "reference": []}
        ours(program, folder, 1)  # the file cache is warm for everyone
        for _ in range(repetitions):
            samples["one"].append(ours(program, folder, 1))
            samples["reference"].append(reference(folder))
            samples["two"].append(ours(program, folder, 2))
        every = [sample for group in samples.values() for sample in group]
        if len({(sample["value"], sample["threshold"]) for sample in every}) != 1:
            raise SystemExit(f"{folder}: the verdicts are not the same")
        measured.append({"folder": folder, "bytes": log_bytes, "samples": samples})
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
