"""Times reading, reducing and judging an epoch with every step kept, ours and the reference's, on the same logs.

    reduce.py PROGRAM REPETITIONS SMALL LARGE

PROGRAM is the example `throughput` of crates/artifact. A sample of ours is the whole life of the process, one thread; of
the reference the time inside it, without Python's own start. The reference is measured once, on the small log: there it
takes about a minute, and on one four times as large many times that. Prints everything as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from native import timed

REFERENCE = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("reduce_reference.py"))]
FOUND = ("steps", "memberships", "value", "threshold")


def ours(program: str, log: str, artifact: str | None) -> dict[str, Any]:
    ran = timed([program, log, *([artifact] if artifact else [])])
    found = {name: json.loads(ran.output)[name] for name in FOUND}
    return {"seconds": ran.seconds, "processor": ran.processor, "peak": ran.peak, **found}


def main() -> None:
    program, repetitions, small, large = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    # Memory, where there is a file system of it: what is measured is the program, not a disk.
    base = "/dev/shm" if os.path.isdir("/dev/shm") else None
    measured: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="stepscope-bench-", dir=base) as folder:
        artifact = str(Path(folder) / "ours.jsonl")
        for size, log in (("small", small), ("large", large)):
            log_bytes = sum(path.stat().st_size for path in Path(log).rglob("*.jsonl"))
            measured[size] = {"bytes": log_bytes, "unwritten": [], "written": []}
            ours(program, log, None)  # the file cache is warm for everyone
        for _ in range(repetitions):
            for size, log in (("small", small), ("large", large)):
                measured[size]["unwritten"].append(ours(program, log, None))
                measured[size]["written"].append(ours(program, log, artifact))
        measured["artifact_bytes"] = Path(artifact).stat().st_size
        os.remove(artifact)
        ran = subprocess.run([*REFERENCE, small, folder], capture_output=True, check=False)
        if ran.returncode != 0:
            raise SystemExit(f"the reference: {ran.stderr.decode('utf-8', 'replace')[-2000:]}")
        measured["reference"] = json.loads(ran.stdout)
    found = [measured["reference"], *measured["small"]["unwritten"], *measured["small"]["written"]]
    if len({tuple(one[name] for name in FOUND) for one in found}) != 1:
        raise SystemExit("the two programs found different steps, members or stalls")
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
