"""Holds the oracle itself to the conformance cases: it must reproduce every expected.json.

    validate.py CASES
"""

from __future__ import annotations

import itertools
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import compare
import oracle


def restore_empty_folders(case: Path, spec: dict[str, Any], expected: dict[str, Any]) -> None:
    """Every log had a folder that is no epoch, for a note; as an empty one it was lost on the way into the archive."""
    for one, answer in zip(spec["imports"], expected["imports"]):
        host = min(path for path in (case / one["log"]).iterdir() if path.is_dir())
        there = sum(not oracle.is_epoch_name(path.name) for path in host.iterdir() if path.is_dir())
        for number in range(there, answer["read"]["notes"]):
            (host / f"not-an-epoch-{number}").mkdir()


def main() -> int:
    failed = 0
    cases = sorted(path for path in Path(sys.argv[1]).iterdir() if (path / "expected.json").exists())
    for source in cases:
        with tempfile.TemporaryDirectory() as temporary:
            case = Path(temporary) / source.name
            shutil.copytree(source, case)
            expected = oracle.load_json(source / "expected.json")
            restore_empty_folders(case, oracle.load_json(source / "case.json"), expected)
            found = json.loads(json.dumps(oracle.answer(case)))
        first = list(itertools.islice(compare.differences(expected, found), 5))
        if first:
            failed += 1
            print(source.name, *first, sep="\n    ")
    print(f"{len(cases)} cases, {failed} not reproduced")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
