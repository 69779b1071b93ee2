"""Artifacts of real logs, and the commands of stormlog 0.4.3.

    commands.py --import PROGRAM --stormlog PROGRAM [--grow NAME …] [NAME …]

`stormlog infer analyze`, `diagnose` and `import-execution` must take what ours wrote from each named log, count the same
steps, members and requests, and find nothing new in it. Of the logs to grow, an import is begun by each program with the
first half and gone on with by the other one; the records must be those of the reference alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import epochs
import records

Importing = Callable[[Path, Path], None]


def run(words: list[str], allowed: tuple[int, ...] = (0,)) -> str:
    ran = subprocess.run(words, capture_output=True, check=False)
    if ran.returncode not in allowed:
        said = (ran.stdout + ran.stderr).decode("utf-8", "replace")[-2000:]
        raise AssertionError(f"{' '.join(words)}: exit {ran.returncode}\n{said}")
    return ran.stdout.decode()


class Programs:
    def __init__(self, ours: str, stormlog: str) -> None:
        self.own, self.stormlog = ours, stormlog

    def ours(self, artifact: Path, log: Path) -> None:
        run([self.own, "into", str(artifact), str(log)])

    def theirs(self, artifact: Path, log: Path) -> None:
        run([self.stormlog, "infer", "import-execution", str(artifact), str(log)])

    def analyze(self, artifact: Path) -> dict[str, Any]:
        report = artifact.with_suffix(".analysis.json")
        run([self.stormlog, "infer", "analyze", str(artifact), "--format", "json", "--output", str(report)])
        content = json.loads(report.read_text())
        block: dict[str, Any] = content.get("payload", content)["telemetry"]["execution"]
        return block


def equal(what: str, ours: Any, theirs: Any) -> None:
    if ours != theirs:
        raise AssertionError(f"{what}: {ours}, theirs {theirs}")


def standalone(programs: Programs, name: str, folder: Path) -> dict[str, int]:
    """A whole log in an artifact of its own."""
    artifact, log = folder / "run.jsonl", epochs.LOGS / name
    counts: dict[str, int] = json.loads(run([programs.own, "standalone", str(log), str(artifact)]))
    block = programs.analyze(artifact)
    equal(f"{name}: error", None, block.get("error"))
    equal(f"{name}: steps", counts["iterations"], block["iterations"]["total"])
    equal(f"{name}: members", {"foreign": counts["memberships"]}, block["memberships"])
    equal(f"{name}: requests", {"foreign": counts["requests"]}, block["requests"]["executions"])
    run([programs.stormlog, "infer", "diagnose", str(artifact)], allowed=(0, 3))
    before = artifact.read_bytes()
    programs.theirs(artifact, log)
    after = artifact.read_bytes()
    if not after.startswith(before):
        raise AssertionError(f"{name}: the old bytes changed")
    added = [json.loads(line)["event_type"] for line in after[len(before) :].splitlines()]
    equal(f"{name}: added by another import", ["infer.context", "infer.capabilities", "infer.capabilities"], added)
    return counts


def grow(programs: Programs, name: str, folder: Path) -> dict[str, Any]:
    """Half of a log and then all of it, into a client's artifact."""
    half = folder / "half"
    epochs.cut(epochs.LOGS / name, half, 0.5)
    programs_in_turn: dict[str, tuple[Importing, Importing]] = {
        "theirs": (programs.theirs, programs.theirs),
        "ours": (programs.ours, programs.ours),
        "ours, then theirs": (programs.ours, programs.theirs),
        "theirs, then ours": (programs.theirs, programs.ours),
    }
    found: dict[str, Any] = {}
    for who, (first, second) in programs_in_turn.items():
        place = folder / who.replace(", ", "-").replace(" ", "-")
        place.mkdir()
        artifact = place / "run.jsonl"
        artifact.write_bytes(epochs.client(name))
        first(artifact, half)
        second(artifact, epochs.LOGS / name)
        block = programs.analyze(artifact)
        counts = {part: block[part] for part in ("iterations", "memberships", "requests")}
        rows = records.imported(artifact)
        if not found:
            found = {"rows": rows, "counts": counts}
        equal(f"{name}, {who}: counts", counts, found["counts"])
        difference = records.first_difference(rows, found["rows"])
        equal(f"{name}, {who}: records", difference, None)
    counts = found["counts"]
    if not counts["requests"]["run_requests_bound"] or len(counts["requests"]["executions"]) < 2:
        raise AssertionError(f"{name}: the test needs requests of the run and of others: {counts}")
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--import", dest="program", required=True)
    parser.add_argument("--stormlog", required=True)
    parser.add_argument("--grow", nargs="*", default=[])
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    programs = Programs(arguments.program, arguments.stormlog)
    tasks = [(standalone, name) for name in arguments.names] + [(grow, name) for name in arguments.grow]
    failed = 0
    for task, name in tasks:
        with tempfile.TemporaryDirectory(prefix="stepscope-commands-") as folder:
            try:
                print(task.__name__, name, json.dumps(task(programs, name, Path(folder))))
            except AssertionError as error:
                failed += 1
                print(task.__name__, name, error)
    return 1 if failed or not tasks else 0


if __name__ == "__main__":
    sys.exit(main())
