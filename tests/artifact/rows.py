"""Compares what readers take, expand, encode and gather from artifacts with the reference.

    rows.py --judge PROGRAM [--count N] [--seed S]

Artifacts are generated, sound and damaged. PROGRAM is the example `judge` of crates/artifact.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import artifacts
import judgement


def unlike(ours: Any, theirs: Any) -> bool:
    """Texts are compared as our program shows them: an unpaired surrogate as some U+FFFD."""

    def shown(value: Any) -> str:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False)
        text = re.sub(r"NaN|-?Infinity", "null", text)
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return re.sub("\ufffd+", "?", text)

    return shown(ours) != shown(theirs)


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[str]:
    if theirs["report"] != "stops" and unlike(ours["report"], theirs["report"]):
        yield f"report:\n      ours   {json.dumps(ours['report'])[:900]}\n      theirs {json.dumps(theirs['report'])[:900]}"
    if (ours["refused"] is None) != (theirs["refused"] is None):
        yield f"refused: {ours['refused']}; theirs {theirs['refused']}"
        return
    if theirs["refused"] is not None:
        return
    for part in ("rows", "facts", "embedded", "encoded"):
        if unlike(ours[part], theirs[part]):
            yield f"{part}:\n      ours   {json.dumps(ours[part])[:900]}\n      theirs {json.dumps(theirs[part])[:900]}"
    if isinstance(theirs["agreement"], str) != isinstance(ours["agreement"], str) or (
        isinstance(theirs["agreement"], list) and unlike(ours["agreement"], theirs["agreement"])
    ):
        yield f"agreement: {ours['agreement']}; theirs {theirs['agreement']}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", required=True)
    parser.add_argument("--count", type=int, default=2000, help="how many artifacts (2000)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    seen, failed = Counter[str](), 0
    with tempfile.TemporaryDirectory(prefix="stepscope-artifacts-") as name:
        folder = Path(name)
        for number in range(arguments.count):
            content = artifacts.Generator(f"{arguments.seed}-{number}").artifact()
            (folder / f"{number:08}.jsonl").write_bytes(content)
        ran = subprocess.run([arguments.judge, name], capture_output=True, check=True)
        for line in ran.stdout.splitlines():
            ours = judgement.plain(json.loads(line))
            theirs = judgement.judge(folder / ours["file"])
            seen["refused" if theirs["refused"] else "taken"] += 1
            seen["reported"] += isinstance(theirs["report"], dict) and theirs["report"]["available"]
            seen["disagree"] += isinstance(theirs["agreement"], str)
            seen["facts"] += theirs["facts"] is not None
            lines = list(differences(ours, theirs))
            if lines:
                failed += 1
                if failed <= 5:
                    print(ours["file"], *lines, sep="\n    ")
    print(
        f"{arguments.count} artifacts, {failed} with a difference; {seen['taken']} taken, {seen['refused']} refused, "
        f"{seen['disagree']} that contradict themselves, {seen['facts']} with facts for an import, {seen['reported']} with an execution block"
    )
    return 1 if failed or not all(seen.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
