"""Compares the reader, the reducer and the verdicts with the reference on generated logs.

    fuzz.py --stepscope PROGRAM [--count N] [--seed S] [--first I] [--growing] [--seconds T]
            [--parts read,reduce,diagnose] [--show K]

Every log is a case folder of generate.py, answered by oracle.py in this process and by ``stepscope conform`` in batches.
A difference ends the run with 1; the folder of its case is kept and named, with the oracle's answer as expected.json.
Logs under a [D] rule, where the reference gives no answer to equal, only have to be answered at all; so do those with
stamps no clock gives whose differences do not fit 64 bits. With ``--growing`` every log is imported three to ten times as
it grows.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import compare
import generate
import oracle

BATCH = 50


def conform(program: str, cases: list[Path]) -> list[Any]:
    """Our answers, one a case: a value, or the text of what went wrong."""
    ran = subprocess.run([program, "conform", *map(str, cases)], capture_output=True, check=False)
    lines = ran.stdout.decode("utf-8", "surrogatepass").splitlines()
    if ran.returncode == 0 and len(lines) == len(cases):
        return [json.loads(line) for line in lines]
    if len(cases) == 1:
        last = ran.stderr.decode("utf-8", "replace").strip().splitlines()[-3:]
        return [f"exit {ran.returncode}, {len(lines)} lines: " + " | ".join(last)]
    return [answer for case in cases for answer in conform(program, [case])]


def only(parts: set[str], expected: dict[str, Any]) -> dict[str, Any]:
    """The parts to compare of an answer."""
    kept: dict[str, Any] = {
        "imports": [{n: v for n, v in one.items() if n in parts} for one in expected["imports"]]
    }
    if "diagnose" in parts:
        kept["diagnose"] = expected.get("diagnose")
    return kept


def answered(found: dict[str, Any], case: Path) -> Iterator[str]:
    """What is missing from an answer that nothing can be compared with: it must still name every epoch."""
    spec = oracle.load_json(case / "case.json")
    for at, one in enumerate(spec["imports"]):
        names = {
            path.name
            for path in (case / one["log"]).glob("*/*")
            if path.is_dir() and oracle.is_epoch_name(path.name)
        }
        epochs = found["imports"][at].get("read", {}).get("epochs", {})
        for name in sorted(names - epochs.keys()):
            yield f"imports[{at}].read.epochs: nothing about {name}"
        for name, summary in epochs.items():
            if not summary:
                yield f"imports[{at}].read.epochs.{name}: empty"


def beyond_64_bits(value: Any) -> bool:
    """Whether the reference found a number no 64-bit integer holds."""
    if isinstance(value, dict):
        return any(map(beyond_64_bits, value.values()))
    if isinstance(value, list):
        return any(map(beyond_64_bits, value))
    return isinstance(value, (int, float)) and not -(2**63) <= value < 2**63


def make(case: Path, seed: str, growing: bool) -> dict[str, Any]:
    """Writes a case folder with the oracle's answer, from which a later import takes its marks."""
    spec = generate.write_case(case, seed, growing=growing)
    (case / "expected.json").write_text(json.dumps(oracle.answer(case)))
    return spec


def judge(case: Path, spec: dict[str, Any], found: Any, parts: set[str], growing: bool) -> list[str]:
    if isinstance(found, str):
        return [f"no answer: {found}"]
    expected = oracle.load_json(case / "expected.json")
    if spec["about"].get("divergent"):
        return list(answered(found, case))
    expected, found = only(parts, expected), only(parts, found)
    lines = list(itertools.islice(compare.differences(expected, found), 12))
    if lines and spec["about"].get("stretched") and beyond_64_bits(expected):
        return list(answered(found, case))
    if not lines or not spec["about"]["lenient"]:
        return lines
    # Lines the reference takes may be refused: then all is as if they could not be read.
    swapped = case.with_name(case.name + "-swapped")
    generate.write_case(swapped, spec["about"]["seed"], swap=True, growing=growing)
    refused = only(parts, oracle.answer(swapped))
    shutil.rmtree(swapped)
    return lines if any(True for _ in compare.differences(refused, found)) else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stepscope", required=True, help="the program to compare")
    parser.add_argument("--count", type=int, default=2000, help="how many logs (2000)")
    parser.add_argument("--seed", type=int, default=1, help="of the whole run (1)")
    parser.add_argument("--first", type=int, default=0, help="number of the first log (0)")
    parser.add_argument("--growing", action="store_true", help="logs that are imported as they grow")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no batch after so long")
    parser.add_argument("--parts", default="read,reduce,diagnose", help="members of expected.json to compare")
    parser.add_argument("--show", type=int, default=5, help="differing logs to print in full (5)")
    arguments = parser.parse_args()
    parts = set(arguments.parts.split(","))
    folder = Path(tempfile.mkdtemp(prefix="stepscope-fuzz-"))
    began, failed, kinds = time.monotonic(), 0, Counter[str]()
    numbers = range(arguments.first, arguments.first + arguments.count)
    compared = imports = 0
    for at in range(0, len(numbers), BATCH):
        if time.monotonic() - began > arguments.seconds:
            break
        cases = []
        for number in numbers[at : at + BATCH]:
            seed = generate.case_seed(arguments.seed, number)
            case = folder / f"case-{seed}"
            cases.append((case, make(case, seed, arguments.growing)))
        answers = conform(arguments.stepscope, [case for case, _ in cases])
        for (case, spec), found in zip(cases, answers):
            about = spec["about"]
            compared, imports = compared + 1, imports + len(spec["imports"])
            kinds.update(name for name in ("divergent", "lenient", "stops_verdict") if about.get(name))
            lines = judge(case, spec, found, parts, arguments.growing)
            if not lines:
                shutil.rmtree(case)
                continue
            failed += 1
            if failed <= arguments.show:
                print(case, *lines[:12], sep="\n    ")
    seconds = time.monotonic() - began
    print(
        f"{compared} logs, {imports} imports in {seconds:.0f} s, {failed} with a difference; "
        f"{kinds['divergent']} under a [D] rule of the reader, {kinds['stops_verdict']} with one of the verdict, "
        f"{kinds['lenient']} with lines that may be refused"
    )
    if failed:
        print(f"kept in {folder}")
    else:
        shutil.rmtree(folder)
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
