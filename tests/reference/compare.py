"""The comparing rules of the conformance cases: where two answers differ, as readable lines.

Objects compare by their sets of fields (an absent field is not a null one), arrays in order, numbers by value (``10``
equals ``10.0``), booleans only with booleans. ``source_version`` of a context is the tool's own and is not compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

NOT_COMPARED = {"source_version"}
# The only member of a part the reference stopped at: there is nothing to equal, but an answer there must be.
STOPPED = "stopped"


def show(value: Any) -> str:
    text = json.dumps(value, default=repr)
    return text if len(text) <= 160 else f"{text[:157]}..."


def same_scalar(expected: Any, found: Any) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        return expected == found or (expected != expected and found != found)
    return type(expected) is type(found) and expected == found


def differences(expected: Any, found: Any, place: str = "") -> Iterator[str]:
    if isinstance(expected, dict) and expected.keys() == {STOPPED}:
        if found is None or found == {}:
            yield f"{place}: no answer where the reference stops ({show(expected[STOPPED])})"
    elif isinstance(expected, dict) and isinstance(found, dict):
        for name in sorted(expected.keys() | found.keys()):
            if name in NOT_COMPARED:
                continue
            here = f"{place}.{name}" if place else name
            if name not in found:
                yield f"{here}: missing, expected {show(expected[name])}"
            elif name not in expected:
                yield f"{here}: not expected, found {show(found[name])}"
            else:
                yield from differences(expected[name], found[name], here)
    elif isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        if len(expected) != len(found):
            yield f"{place}: expected {len(expected)} entries, found {len(found)}"
        for at, (one, other) in enumerate(zip(expected, found)):
            yield from differences(one, other, f"{place}[{at}]")
    elif not same_scalar(expected, found):
        yield f"{place}: expected {show(expected)}, found {show(found)}"
