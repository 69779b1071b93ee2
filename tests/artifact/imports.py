"""Imports growing logs into artifacts with the reference and with ours, and in turns with both.

    imports.py --import PROGRAM [--cases FOLDER] [--count N] [--seed S] [--growing]

Every case is imported three times, import by import: all by the reference, all by ours, and by turns into one file, so
that each program continues where the other one stopped. After every import the files must hold the same rows, or both
programs must have refused and left every file as it was. PROGRAM is the example `import` of crates/artifact. With
--growing every generated log is imported three to ten times, and the client writes some of its requests between imports.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import client
import records
from stormlog.infer.errors import InferInputError
from stormlog.infer.vllm_execution_import import import_execution_into_artifact
from stormlog.infer.vllm_execution_log import Importer

# `records` has put tests/reference on the path.
import generate as logs

REFUSED = 5


class Side:
    """One artifact with its envelope, in a folder of its own."""

    def __init__(self, folder: Path, content: bytes) -> None:
        folder.mkdir()
        self.artifact = folder / "run.jsonl"
        self.envelope = folder / "stormlog_run.json"
        self.artifact.write_bytes(content)

    def append(self, rows: bytes) -> None:
        with self.artifact.open("ab") as file:
            file.write(rows)

    def files(self) -> tuple[bytes, bytes | None]:
        return self.artifact.read_bytes(), self.envelope.read_bytes() if self.envelope.exists() else None

    def reference(self, log: Path, one: dict[str, Any]) -> int | None:
        """Exit code; None when it stops with an exception of its own."""
        try:
            import_execution_into_artifact(
                self.artifact, log, raw_foreign_ids=one["raw_foreign_ids"], server_stopped=one["server_stopped"],
                importer=Importer(**one["importer"]),
            )
        except InferInputError:
            return REFUSED
        except Exception:  # noqa: BLE001  a [D] rule
            return None
        return 0

    def ours(self, program: str, log: Path, one: dict[str, Any]) -> tuple[int, str]:
        importer = one["importer"]
        words = ["--host", importer["host"], "--monotonic", str(importer["monotonic_ns"])]
        if importer["boot_id"] is not None:
            words += ["--boot", importer["boot_id"]]
        words += ["--server-stopped"] if one["server_stopped"] else []
        words += ["--raw-foreign-ids"] if one["raw_foreign_ids"] else []
        words = [program, "into", str(self.artifact), str(log), "--envelope", str(self.envelope), *words]
        ran = subprocess.run(words, capture_output=True, check=False)
        return ran.returncode, ran.stderr.decode("utf-8", "replace")


def compare(
    case: Path, folder: Path, program: str, turns: random.Random, growing: bool, seen: Counter[str]
) -> list[str]:
    spec = json.loads((case / "case.json").read_text())
    rows = client.artifact(spec["facts"]).splitlines(keepends=True)
    late = [row for row in rows if growing and b"infer.dispatch" in row and turns.random() < 0.5]
    content = b"".join(row for row in rows if row not in late)
    theirs, ours, both = sides = [Side(folder / name, content) for name in ("theirs", "ours", "both")]
    for at, one in enumerate(spec["imports"]):
        log = case / one["log"]
        if at > 0 and late:
            share = turns.randrange(1, len(late) + 1)
            for side in sides:
                side.append(b"".join(late[:share]))
            late = late[share:]
            seen["revealed"] += share
        before = ours.files()
        expected = theirs.reference(log, one)
        found, said = ours.ours(program, log, one)
        seen["imported" if expected == 0 else "refused" if expected == REFUSED else "stopped"] += 1
        seen["grown"] += expected == 0 and at > 0
        if expected is None:
            # The reference has no result to equal; ours must have one, and can then no longer be compared.
            return [] if found in (0, REFUSED) else [f"import {at}: exit {found}, {said}"]
        if found != expected:
            return [f"import {at}: exit {found}, theirs {expected}: {said}"]
        if found == REFUSED and ours.files() != before:
            return [f"import {at}: refused and not left alone"]
        difference = records.first_difference(records.comparable(ours.artifact), records.comparable(theirs.artifact))
        if difference:
            return [f"import {at}: {difference}"]
        if theirs.envelope.exists() and ours.envelope.read_bytes() != theirs.envelope.read_bytes():
            return [f"import {at}: the envelopes differ"]
        mixed = both.ours(program, log, one)[0] if turns.random() < 0.5 else both.reference(log, one)
        if mixed != expected:
            return [f"import {at}, in turns: exit {mixed}, theirs {expected}"]
        difference = records.first_difference(records.imported(both.artifact), records.imported(theirs.artifact))
        if difference:
            return [f"import {at}, in turns: {difference}"]
    return []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--import", dest="program", required=True)
    parser.add_argument("--cases", type=Path, help="conformance cases to import too")
    parser.add_argument("--count", type=int, default=200, help="how many generated logs (200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--growing", action="store_true", help="logs that are imported as they grow")
    arguments = parser.parse_args()
    failed = compared = 0
    seen = Counter[str]()
    with tempfile.TemporaryDirectory(prefix="stepscope-imports-") as name:
        root = Path(name)
        given = sorted(path.parent for path in arguments.cases.glob("*/case.json")) if arguments.cases else []
        for at in range(len(given) + arguments.count):
            folder = root / str(at)
            folder.mkdir()
            if at < len(given):
                case = given[at]
            else:
                case = folder / "case"
                seed = logs.case_seed(arguments.seed, at - len(given))
                about = logs.write_case(case, seed, growing=arguments.growing)["about"]
                # Under a [D] rule of the reader, with lines that may be refused, with stamps no clock gives.
                if about.get("divergent") or about.get("lenient") or about.get("stretched"):
                    shutil.rmtree(folder)
                    continue
            turns = random.Random(f"{arguments.seed}/{at}")
            lines = compare(case, folder, arguments.program, turns, arguments.growing, seen)
            compared += 1
            if lines:
                failed += 1
                if failed <= 5:
                    print(case.name if at < len(given) else f"log {at - len(given)}", *lines, sep="\n    ")
            shutil.rmtree(folder)
    print(
        f"{compared} logs, {failed} with a difference; {seen['imported']} imports, {seen['grown']} of them into what an "
        f"earlier one wrote, {seen['refused']} refused, {seen['stopped']} at which the reference stops; "
        f"{seen['revealed']} requests of the client came between imports"
    )
    nothing = not seen["grown"] or not seen["refused"] or (arguments.growing and not seen["revealed"])
    return 1 if failed or nothing else 0


if __name__ == "__main__":
    sys.exit(main())
