"""Damage to values and lines: absent and wrongly typed fields, foreign lines, doubled names, broken JSON.

Two sets of things are marked, because the rules let an implementation differ from the reference there:

*divergent* names a [D] rule: the reference stops, or answers by accident where something else is to be done. Such a
log is only checked for an answer at all.

*lenient* names lines of JSON that the reference takes and an implementation may refuse with ``line_invalid_json``.
"""

from __future__ import annotations

import random
from typing import Any

from encoding import Doubled, Raw

Record = dict[str, Any]

# No field that is read takes one of these for a usable value by accident.
ODD = [
    None, True, False, 0, 1, -1, 7, 1.5, 0.0, 1.0, "5", "x", "", [], [1], {}, {"a": 1}, Raw("-0"), Raw("1E2"),
    Raw("NaN"), Raw("Infinity"), Raw("-Infinity"), -(2**62), 2**62, 2**63 - 1, "\ud800", [None, {"b": []}],
]  # fmt: skip

# Where a value of the wrong kind stops the verdict (but not the read), with the values it survives.
STAMPS = {f"{end}_{clock}_ns" for end in ("start", "end") for clock in ("wall", "mono")}
STAMP_SURVIVES = [True, False, "1790000000000000000", "12", 1.5e18, 0, -5, 3.99, -7.5]
TOKENS_SURVIVES = [None, False, True, "", "17", 0, 5.9, -3, [], {}]
DROPPED_SURVIVES = [None, {}, False, 0, "", [], {"a": True}, {"a": 0}, {"a": None, "b": "x", "c": 2}, {"a": 1.0}]
CLOCK_SURVIVES = [None, {}, False, 0, "", [], {"wall_ns": "x"}, {"mono_ns": 5}]
OBSERVES = [None, "pause", {}, [], ["pause", "pause"], ["b", "a", "pause"], 5]
MEMBERS_SURVIVES = [None, [], "abc", {}, {"internal": "a"}, [None, 5, "x", []], ""]


def survivable(kind: str, name: str, rng: random.Random) -> Any:
    """A wrong value for this field that the reference's reader and verdict both live through."""
    if kind == "scheduled" and name in STAMPS:
        return rng.choice(STAMP_SURVIVES)
    if kind == "scheduled" and name == "total_tokens":
        return rng.choice(TOKENS_SURVIVES)
    if name == "members":
        return rng.choice(MEMBERS_SURVIVES)
    if kind == "heartbeat" and name == "dropped":
        return rng.choice(DROPPED_SURVIVES)
    if kind == "hello" and name == "clock":
        return rng.choice(CLOCK_SURVIVES)
    if kind == "hello" and name == "observes":
        return rng.choice(OBSERVES)
    if kind == "hello" and name == "config":
        return rng.choice([None, {}, {"request_id_randomization": 1}])
    if kind == "pause" and name == "wall_ns":
        return rng.choice(STAMP_SURVIVES)
    if name == "preempted":
        return rng.choice([None, "", [], "abc", [1, None], {}])
    if name == "iteration":
        return rng.choice([None, 5, "007", True, 0, "-1", "", "x", [1], "\ud800"])
    return rng.choice(ODD)


def may_go(kind: str, name: str) -> bool:
    """Whether the reference's verdict survives the absence of this field."""
    if kind == "scheduled" and name in STAMPS:
        return False
    return not (kind == "pause" and name == "wall_ns")


def spoil(record: Record, rng: random.Random) -> None:
    """One field of a record, or of one of its members or of its clock, lost or of a wrong kind."""
    kind = record["kind"]
    rows = record.get("members")
    inner = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    if isinstance(record.get("clock"), dict) and rng.random() < 0.4:
        inner = [record["clock"]]
        kind = "clock"
    target, of = (rng.choice(inner), f"{kind}.member") if inner and rng.random() < 0.6 else (record, kind)
    names = [name for name in target if name != "kind"]
    if not names:
        return
    name = rng.choice(names)
    if rng.random() < 0.3 and may_go(of, name):
        del target[name]
    else:
        target[name] = survivable(of, name, rng)


STOPS_VERDICT = [
    ("scheduled", "start_mono_ns", [None, "x", [], {}, Raw("NaN"), Raw("1e999")]),
    ("scheduled", "end_wall_ns", [None, "", [1]]),
    ("scheduled", "total_tokens", ["x", [1], {"a": 1}]),
    ("scheduled", "members", [5, 1.5, True]),
    ("completed", "members", [5, 1.5, True]),
    ("heartbeat", "dropped", ["x", [1], 5]),
]


def stop_verdict(records: list[Record], rng: random.Random) -> bool:
    """A value that stops the reference's verdict; the read still equals."""
    kind, name, values = rng.choice(STOPS_VERDICT)
    fitting = [record for record in records if record["kind"] == kind]
    if not fitting:
        return False
    rng.choice(fitting)[name] = rng.choice(values)
    return True


STOPS_READ = [
    ("hello", "clock", ["x", [1], 5, True]),
    ("hello", "observes", [["a", 1], [None, None], [{}, {}], [1, 2], [None]]),
    ("heartbeat", "mono_ns", [2**64, -(2**70), 10**30]),
    ("completed", "wall_ns", [2**64, 10**30]),
    ("heartbeat", "pending", [2**64, 10**25]),
]


def stop_read(records: list[Record], rng: random.Random) -> str | None:
    """A value under a [D] rule of the reader, or beyond 64 bits; its name, or None when nothing fitted."""
    kind, name, values = rng.choice(STOPS_READ)
    fitting = [record for record in records if record["kind"] == kind]
    if not fitting:
        return None
    rng.choice(fitting)[name] = rng.choice(values)
    return f"{kind}.{name}"


EXTREME = [2**63 - 1, -(2**63), 2**62, -(2**62), 2**63 - 1 - 5 * 10**9]


def stretch(records: list[Record], rng: random.Random) -> None:
    """Stamps and counters at the ends of 64 bits, which no clock gives: their differences do not fit."""
    for _ in range(rng.randrange(1, 4)):
        record = rng.choice(records)
        names = [name for name in record if name.endswith("_ns") or name in ("pending", "queued", "total_tokens")]
        if names:
            record[rng.choice(names)] = rng.choice(EXTREME)


# ---- whole lines --------------------------------------------------------------------------------------------------


def spoil_common(line: Record, rng: random.Random) -> Record | Doubled:
    """A line with one of its four common fields missing, odd or given twice."""
    name = rng.choice(["format", "kind", "epoch", "seq"])
    odd: dict[str, list[Any]] = {
        "format": [None, "stormlog.vllm_hook/2", "", 1, "Stormlog.vllm_hook/1", "stormlog.vllm_hook/1 ", ["x"]],
        "epoch": [None, "engine-1-2", "", 5, {}],
        "seq": [-1, True, False, None, "0", 0.0, 1.0, Raw("1e2"), Raw("NaN"), [0], {}, Raw("-1")],
        "kind": [None, "", 1, True, ["hello"], {}],
    }
    taken: dict[str, list[Any]] = {"seq": [Raw("-0")], "kind": [" ", "Hello", "note", "\ud800"]}
    drawn = rng.random()
    if drawn < 0.2:
        return {n: v for n, v in line.items() if n != name}
    if drawn < 0.4:
        first = rng.choice(odd[name])
        return Doubled([(name, first), *line.items()])
    if drawn < 0.5:
        return Doubled([*line.items(), (name, rng.choice(odd[name]))])
    if drawn < 0.65 and name in taken:
        return {**line, name: rng.choice(taken[name])}
    return {**line, name: rng.choice(odd[name])}


def double_names(line: Record, rng: random.Random) -> Doubled:
    """An own field written twice: the later value counts."""
    pairs = list(line.items())
    name, _ = rng.choice(pairs[4:] or pairs)
    pairs.insert(rng.randrange(len(pairs)), (name, rng.choice(ODD)))
    counts = [at for at, pair in enumerate(pairs) if pair[0] == name]
    pairs.append(pairs.pop(next(at for at in counts if pairs[at][1] is line[name])))
    return Doubled(pairs)


JUNK = [
    b"{", b"[1]", b"\"x\"", b"5", b"null", b"NaN", b"true", b"{}", b"[]", b"nonsense", b"{\"a\":1,}", b"{'a':1}",
    b"{} {}", b"{}{}", b"// x", b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf{}", b" \xef\xbb\xbf{}", b"\x00",
    b"\xc2\xa0", b"\xe3\x80\x80", b"\x0c{}", b"{\"a\":01}", b"{\"a\":+1}", b"{\"a\":.5}", b"{\"a\":5.}",
    b"{\"a\":0x1}", b"{\"a\":-NaN}", b"{\"a\":nan}", b"{\"a\":inf}", b"{\"a\":+Infinity}", b"{\"a\":-}",
    b"{\"a\":\"\\x41\"}", b"{\"a\":\"\\u12\"}", b"{\"a\":\"\\u12g4\"}", b"{\"a\":\"\\u+123\"}", b"{\"a\":\"\t\"}",
    b"{\"a\":\"\xff\"}", b"\xff\xfe{\x00}\x00", b"{\"a\":\"\xc0\x80\"}", b"{\"a\":\"\xf4\x90\x80\x80\"}",
    b"{\"a\":\"\xe2\x82\"}", b"{\"a\":\"x", b"{\"a\"", b"[" * 40, b"{\"a\":1e}", b"{\"a\":1.e5}", b"{\"a\":--1}",
]  # fmt: skip
BLANK = [b"", b" ", b"\t", b"\r", b"\x0b", b"\x0c", b" \t\r\x0b\x0c "]
BROKEN_INSIDE = [
    b"\"note\":\"\xff\",", b"\"note\":\"\xc0\x80\",", b"\"note\":\"\xed\xa0\",", b"\"note\":\"a\x01b\",",
    b"\"note\":\"\\x41\",", b"\"note\":01,", b"\"note\":-NaN,", b"note:1,", b",", b"\"note\":1e,", b"\"note\":,",
]  # fmt: skip
FINE_INSIDE = [
    b"\"note\":\"\\/\\u0041\\ud83d\\ude00\\ud800\",", b"\"\":1,", b"\"note\":NaN,", b"\"note\":[-Infinity,Infinity],",
    b"\"note\":-0,", b"\"note\":-0.0,", b"\"note\":1E+2,", b"\"note\":\"\x7f\xe2\x80\xa8\",", b" \t ",
    b"\"note\":{\"a\":1,\"a\":[{}],\"\\u0061\":2},", b"\"note\":123456789012345678901234567890,",
]  # fmt: skip
LENIENT_INSIDE = {
    "float overflow": b"\"note\":[1e999,-1e999],",
    "encoded surrogate": b"\"note\":\"\xed\xa0\x80\",",
    "long integer": b"\"note\":" + b"9" * 4300 + b",",
    "deep nesting": b"\"note\":" + b"[" * 850 + b"]" * 850 + b",",
}
TOO_LONG_INTEGER = b"\"note\":" + b"9" * 4301 + b","


def inside(line: bytes, extra: bytes) -> bytes:
    """The line with something put in after its opening brace."""
    at = line.index(b"{") + 1
    return line[:at] + extra + line[at:]
