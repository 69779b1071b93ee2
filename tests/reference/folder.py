"""One epoch on disk: numbered lines, segments, side files, and what does not belong there."""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import oddity
from encoding import Raw, Style, encode

Record = dict[str, Any]
FORMAT = "stormlog.vllm_hook/1"


@dataclass
class Damage:
    """How often what happens to the lines and files of one epoch; all zero in a sound one."""

    spoiled: float = 0.0
    common: float = 0.0
    junk: float = 0.0
    blank: float = 0.0
    inside: float = 0.0
    doubled: float = 0.0
    repeats: float = 0.0
    holes: float = 0.0
    shuffled: float = 0.0
    mark: float = 0.0
    first: int = 0
    crlf: bool = False
    lenient: str | None = None

    @staticmethod
    def draw(rng: random.Random) -> Damage:
        if rng.random() < 0.25:
            return Damage()

        def some(chance: float, top: float) -> float:
            return rng.uniform(0, top) if rng.random() < chance else 0.0

        return Damage(
            spoiled=some(0.5, 0.15),
            common=some(0.25, 0.08),
            junk=some(0.3, 0.1),
            blank=some(0.2, 0.1),
            inside=some(0.2, 0.08),
            doubled=some(0.2, 0.2),
            repeats=some(0.25, 0.1),
            holes=some(0.25, 0.06),
            shuffled=some(0.2, 0.3),
            mark=some(0.15, 0.1),
            first=rng.choice([0] * 12 + [1, 5, 2**40, 2**63 - 1 - 400]),
            crlf=rng.random() < 0.08,
            lenient=rng.choice(list(oddity.LENIENT_INSIDE)) if rng.random() < 0.06 else None,
        )


@dataclass
class Segment:
    number: int
    lines: list[bytes] = field(default_factory=list)


@dataclass
class Plan:
    """What an epoch folder will hold once it is fully written, and the lines to swap for a lenient reading."""

    name: str
    segments: list[Segment]
    tail: bytes
    open_end: bool
    newline: bytes
    status: bytes | None
    key: bytes | None
    lenient: list[bytes]
    extras: list[tuple[str, str, bytes]]

    @property
    def lines(self) -> int:
        return sum(len(segment.lines) for segment in self.segments)


def number(records: list[Record], epoch: str, damage: Damage, rng: random.Random) -> list[Record]:
    """The common fields, numbers with holes, and heartbeats that know their number."""
    seq, lines = damage.first, []
    for record in records:
        while rng.random() < damage.holes:
            seq += rng.randrange(1, 3)
        own = {name: value for name, value in record.items() if name != "kind"}
        if "last_seq" in own and own["last_seq"] is None:
            own["last_seq"] = seq if record["kind"] == "goodbye" else seq - 1
        lines.append({"format": FORMAT, "kind": record["kind"], "epoch": epoch, "seq": seq, **own})
        seq += 1
    return lines


def to_bytes(line: Record, damage: Damage, rng: random.Random, lenient: list[bytes]) -> list[bytes]:
    """The line or lines that stand for one record."""
    style = Style.draw(rng) if damage.inside else Style()
    value: Any = line
    if rng.random() < damage.common:
        value = oddity.spoil_common(line, rng)
    elif rng.random() < damage.doubled:
        value = oddity.double_names(line, rng)
    data = encode(value, style, rng).encode("utf-8", "surrogatepass")
    swapped = False
    if rng.random() < damage.inside:
        choice = rng.choice([oddity.FINE_INSIDE] * 2 + [oddity.BROKEN_INSIDE])
        data = oddity.inside(data, rng.choice(choice))
        if data.endswith(b",}"):
            data = data[:-2] + b"}"
    elif damage.lenient and rng.random() < 0.1:
        data = oddity.inside(data, oddity.LENIENT_INSIDE[damage.lenient])
        swapped = True
    elif damage.lenient and rng.random() < 0.02:
        data = oddity.inside(data, oddity.TOO_LONG_INTEGER)
    if rng.random() < damage.mark:
        data = b"\xef\xbb\xbf" + data
    elif damage.inside and rng.random() < 0.1:
        data = rng.choice([b" ", b"\t", b"\r"]) + data + rng.choice([b" ", b"\t ", b"\r"])
    if swapped:
        lenient.append(data)
    lines = [data]
    if rng.random() < damage.junk:
        lines.insert(rng.randrange(2), rng.choice(oddity.JUNK))
    if rng.random() < damage.blank:
        lines.insert(rng.randrange(2), rng.choice(oddity.BLANK))
    return lines


def segments(lines: list[list[bytes]], damage: Damage, rng: random.Random) -> list[Segment]:
    parts: list[Segment] = []
    at, number = 0, 0
    size = rng.choice([4, 12, 30, 1000])
    while at < len(lines):
        count = rng.randrange(1, 2 * size)
        block = [line for group in lines[at : at + count] for line in group]
        if damage.shuffled and rng.random() < damage.shuffled:
            rng.shuffle(block)
        parts.append(Segment(number, block))
        at += count
        number += rng.choice([1] * 15 + [2, 40])
    if damage.shuffled and len(parts) > 1:
        numbers = [part.number for part in parts]
        if rng.random() < 0.5:
            rng.shuffle(numbers)
        for part, taken in zip(parts, numbers):
            part.number = taken
    return parts


def status(records: list[Record], rng: random.Random) -> bytes | None:
    beats = [record for record in records if record["kind"] == "heartbeat"]
    made: dict[str, Any] = dict(rng.choice(beats[-2:])) if beats else {"dropped": {}, "errors": 0, "capped": False}
    made.pop("kind", None)
    made["last_seq"] = rng.choice([len(records) - 1, len(records) + 3, -1, 0])
    if rng.random() < 0.15:
        made["capped"] = rng.choice([True, 1, "no", 0, None, [], {"a": 0}, [0], Raw("NaN")])
    if rng.random() < 0.2:
        made["dropped"] = rng.choice([{"completed": 3, "goodbye": 1}, {}, None, 0, "", [], {"\ud800": 1.0, "b": None}])
    for _ in range(rng.choice([0, 0, 0, 1, 3])):
        name = rng.choice(
            ["queued", "pending_iterations", "range_misses", "startup_unranged", "pending_samples", "last_seq",
             "wall_ns", "mono_ns", "errors"]
        )  # fmt: skip
        made[name] = rng.choice([v for v in oddity.ODD if not (isinstance(v, Raw) and "N" in v.text.upper())])
    if rng.random() < 0.1:
        made.pop(rng.choice(list(made)))
    data = encode(made, Style.draw(rng), rng).encode("utf-8", "surrogatepass")
    drawn = rng.random()
    if drawn < 0.1:
        return None
    if drawn < 0.2:
        return rng.choice(
            [b"", b"[]", b"5", b"null", b"{", b"\xef\xbb\xbf" + data, data[:-1], data + b"x", data + data, b"\xff",
             b"{\"a\":\"\xed\xa0\x80\"}", "{}".encode("utf-16"), b"{\"a\":\"\xff\"}", b"NaN", b"\"x\"", b"\x0b{}"]
        )  # fmt: skip
    if drawn < 0.3:
        return rng.choice([b"\n", b" ", b"\r\n\t"]) + data + rng.choice([b"\n", b"\r\n", b" "])
    return data


def key(rng: random.Random) -> bytes | None:
    drawn = rng.random()
    if drawn < 0.1:
        return None
    size = 32 if drawn < 0.85 else rng.choice([0, 1, 15, 16, 33, 100])
    return rng.randbytes(size)


def extras(rng: random.Random, line: bytes) -> list[tuple[str, str, bytes]]:
    """Names beside the segments that are to be ignored: (what it is, name, content)."""
    if rng.random() < 0.7:
        return []
    names = ["1.jsonl", "0000002.jsonl", "1000000.jsonl", "000004.JSONL", "000003.jsonl.tmp", "000003.jsonl.part.bak",
             "flush", "status.json.tmp", "x000001.jsonl", ".000001.jsonl", "notes.txt", "-00001.jsonl"]  # fmt: skip
    made = [("file", rng.choice(names), line + b"\n") for _ in range(rng.randrange(1, 4))]
    if rng.random() < 0.3:
        made.append(("folder", rng.choice(["000090.jsonl", "000091.jsonl.part"]), b""))
    if rng.random() < 0.2:
        made.append(("broken link", "000092.jsonl", b""))
    return made


def plan(name: str, records: list[Record], damage: Damage, rng: random.Random) -> Plan:
    for record in records:
        if rng.random() < damage.spoiled:
            oddity.spoil(record, rng)
    lines = number(records, name, damage, rng)
    repeated = [dict(rng.choice(lines), kind=rng.choice(["note", "heartbeat", "hello"])) for line in lines
                if rng.random() < damage.repeats]  # fmt: skip
    lenient: list[bytes] = []
    groups = [to_bytes(line, damage, rng, lenient) for line in lines]
    for line in repeated:
        groups.insert(rng.randrange(len(groups) + 1), to_bytes(line, damage, rng, lenient))
    sample = rng.choice(groups)[0] if groups else b"{}"
    tails = [b"", b"", b"", sample[: len(sample) // 2], sample, b" ", b"{", b"\xff", b"\r"]
    return Plan(
        name=name,
        segments=segments(groups, damage, rng),
        tail=rng.choice(tails),
        open_end=rng.random() < 0.5,
        newline=b"\r\n" if damage.crlf else b"\n",
        status=status(records, rng),
        key=key(rng),
        lenient=lenient,
        extras=extras(rng, sample),
    )


def write(plan: Plan, folder: Path, upto: int | None, rng: random.Random, swap: bool = False) -> None:
    """The epoch as it stood after ``upto`` lines (None: all of it). ``swap`` makes lenient lines unreadable."""
    folder.mkdir(parents=True)
    left = plan.lines if upto is None else upto
    lenient = set(plan.lenient) if swap else set()
    for at, segment in enumerate(plan.segments):
        if left <= 0:
            break
        shown = segment.lines[:left]
        left -= len(shown)
        last = at == len(plan.segments) - 1 or left <= 0
        data = b"".join((b"{" if line in lenient else line) + plan.newline for line in shown)
        part = last and (plan.open_end or len(shown) < len(segment.lines))
        if last:
            data += plan.tail
        name = f"{segment.number:06d}.jsonl"
        (folder / (name + ".part" if part else name)).write_bytes(data)
    if upto is None and plan.segments and rng.random() < 0.12:
        twin(plan, folder, rng)
    if plan.status is not None:
        (folder / "status.json").write_bytes(plan.status)
    elif rng.random() < 0.2:
        (folder / "status.json").mkdir()
    if plan.key is not None:
        (folder / "key").write_bytes(plan.key)
    elif rng.random() < 0.3:
        (folder / "key").mkdir()
    if upto is None:
        for what, name, data in plan.extras:
            if what == "file":
                (folder / name).write_bytes(data)
            elif what == "folder" and not (folder / name).exists():
                (folder / name).mkdir()
            elif what == "broken link" and not (folder / name).exists():
                os.symlink("nowhere", folder / name)


def twin(plan: Plan, folder: Path, rng: random.Random) -> None:
    """A second file of one number: a copy taken while it was sealed, or one with other content, torn or empty."""
    segment = rng.choice(plan.segments)
    sealed = folder / f"{segment.number:06d}.jsonl"
    part = folder / f"{segment.number:06d}.jsonl.part"
    other = part if sealed.exists() else sealed
    data = (part if part.exists() else sealed).read_bytes()
    drawn = rng.random()
    if drawn < 0.4:
        data = data[: rng.randrange(len(data) + 1)]
    elif drawn < 0.5:
        data = b""
    elif drawn < 0.7:
        data += json.dumps(
            {"format": FORMAT, "kind": "note", "epoch": plan.name, "seq": rng.randrange(400)}
        ).encode() + rng.choice([b"\n", b"", b"\n\n", b" "])
    other.write_bytes(data)
