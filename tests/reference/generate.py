"""Writes hook directories as case folders (``case.json`` and ``log/``), each from one seed.

    generate.py FOLDER [--count N] [--seed S]

Case number i of seed S is the same folder on every run and whatever the count.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import folder as epoch_folder
import oddity
from history import SECOND, Epoch, Traits

HOSTS = ["node-7", "a", "node-7.example-x", "höst", ".hidden"]
BOOTS = ["7d1c9f0e-0b5f-4b6e-9a52-0f1e2d3c4b5a", "b", None, ""]
NOT_EPOCHS = ["engine-1", "engine-1-2-3", "Engine-1-2", "scheduler-1-2", "worker-1-", "engine--1-2", "engine-+1-2",
              "engine-1-2.bak", ".engine-1-2", "tmp", "engine-1-2 "]  # fmt: skip


@dataclass
class Made:
    """An epoch of a case: where it goes, its plan, and the times the loop configurations are drawn around."""

    host_boot: str
    plan: epoch_folder.Plan
    walls: list[int]
    last_seen: int
    host: str
    boot: str | None


def stem(rng: random.Random) -> tuple[str, str | None, str]:
    host, boot = rng.choice(HOSTS[:2] * 3 + HOSTS), rng.choice(BOOTS[:2] * 4 + BOOTS)
    return host, boot, f"{host}-{boot or 'noboot'}"


def make_epoch(rng: random.Random, place: tuple[str, str | None, str], about: dict[str, Any]) -> Made:
    host, boot, host_boot = place
    role = "engine" if rng.random() < 0.85 else "worker"
    start, pid = 1_790_000_000 * SECOND + rng.randrange(10**17), rng.randrange(1, 90000)
    name = f"{role}-{pid}-{start}"
    if rng.random() < 0.05:
        name = rng.choice([f"{role}-00{pid}-0{start}", f"{role}-{'9' * 30}-{start}", f"{role}-0-0"])
    traits = Traits.draw(rng)
    mono = rng.choice([0, 5 * SECOND, rng.randrange(10**15)])
    recording = Epoch(rng, traits, role, host, boot, pid, start, mono)
    records = recording.run()
    damage = epoch_folder.Damage.draw(rng)
    if rng.random() < 0.03 and oddity.stop_verdict(records, rng):
        about.setdefault("stops_verdict", True)
    if rng.random() < 0.02:
        rule = oddity.stop_read(records, rng)
        if rule:
            about.setdefault("divergent", []).append(rule)
    if records and rng.random() < 0.03:
        oddity.stretch(records, rng)
        about["stretched"] = True
    walls, last_seen = times(records)
    plan = epoch_folder.plan(name, records, damage, rng)
    about.setdefault("lenient", [])
    if plan.lenient:
        about["lenient"].append(damage.lenient)
    return Made(host_boot, plan, walls or [start], last_seen, host, boot)


def times(records: list[dict[str, Any]]) -> tuple[list[int], int]:
    """Every wall stamp of a step, pause or beat, and the last monotonic one that says the writer lived."""
    alive = ("heartbeat", "goodbye")
    walls = [v for r in records for n, v in r.items() if n.endswith("wall_ns") and isinstance(v, int)]
    monos = [r["mono_ns"] for r in records if r["kind"] in alive and isinstance(r.get("mono_ns"), int)]
    monos += [r["clock"]["mono_ns"] for r in records if isinstance(r.get("clock"), dict) and "mono_ns" in r["clock"]]
    return [wall for wall in walls if abs(wall) < 2**62], max([mono for mono in monos if mono < 2**62], default=0)


def importer(rng: random.Random, made: list[Made]) -> dict[str, Any]:
    if not made or rng.random() < 0.25:
        return {"host": "laptop", "boot_id": rng.choice(["another-boot", None, ""]), "monotonic_ns": 5}
    epoch = rng.choice(made)
    silence = rng.choice([0, 5 * SECOND, 29 * SECOND, 30 * SECOND - 1, 30 * SECOND, 30 * SECOND + 1, 10**12, -(10**9)])
    boot = epoch.boot if rng.random() < 0.9 else rng.choice([None, "", "other"])
    return {"host": epoch.host, "boot_id": boot, "monotonic_ns": epoch.last_seen + silence}


def thresholds(rng: random.Random) -> dict[str, Any]:
    drawn = rng.random()
    if drawn < 0.35:
        return {}
    if drawn < 0.45:
        return rng.choice(
            [
                {"host_stall.stall_factor": 0, "host_stall.min_busy_steps": -1.5, "selection.alpha": -3},
                {"host_stall.nothing": 1, "b": 2, "a.b": 0},
                {"host_stall.stall_floor_ns": -0.0},
                {"host_stall.heartbeat_grace_ns": 0, "unknown": 5},
            ]
        )
    choices = {
        "host_stall.stall_factor": [2, 1.5, 10, 0.25, 1e-9, 1e12],
        "host_stall.stall_floor_ns": [5e6, 1, 50_000_000, 0.5, 2e9],
        "host_stall.no_baseline_floor_ns": [2e7, 1, 500_000_001, 1e6],
        "host_stall.baseline_window_ns": [1e9, 1e8, 0.5, 3e7, 30_000_000_000.7],
        "host_stall.min_busy_steps": [3, 1, 2.5, 5, 0.1],
        "host_stall.matched_bin_min_steps": [3, 1, 1.5, 6, 0.1],
        "host_stall.heartbeat_grace_ns": [1, 1e9, 1e12],
        "selection.alpha": [5, -1],
        "queue_saturation.median_waiting_requests": [0],
    }
    names = rng.sample(list(choices), rng.randrange(1, 6))
    return {name: rng.choice(choices[name]) for name in names}


def loop(rng: random.Random, made: list[Made]) -> list[dict[str, Any]]:
    walls = [wall for epoch in made for wall in epoch.walls] or [0]
    lines = max([epoch.plan.lines for epoch in made] or [0])

    def near() -> int:
        return rng.choice(walls) + rng.choice([0, 0, rng.randrange(-3 * SECOND, 3 * SECOND), 3 * SECOND])

    def interval() -> list[int]:
        start = near()
        length = rng.choice([0, 10**6, 5 * 10**8, 10**10, -(10**8), 7])
        return rng.choice([[start, start + length]] * 6 + [[0, 5], [start, 2**63 - 1], [-(2**63), 0]])

    made_configurations = []
    for place in range(rng.randrange(2, 6)):
        made_configurations.append(
            {
                "name": f"c{place}",
                "now_wall_ns": None if rng.random() < 0.4 else near() + rng.choice([0, SECOND, 10 * SECOND]),
                "exclude_wall": [interval() for _ in range(rng.choice([0, 0, 0, 1, 3]))],
                "thresholds": thresholds(rng),
                "with_status": rng.random() < 0.6,
                "with_hello": rng.random() < 0.4,
                "tail_from": rng.choice([0, 0, 0, 1, rng.randrange(lines + 2)]),
            }
        )
    return made_configurations


def facts(rng: random.Random, made: list[Made]) -> dict[str, Any]:
    """Facts of a run that claims a few of the requests (used once an import can be reduced)."""
    domain = f"{made[0].host}/{made[0].boot or 'unknown-boot'}/unix_epoch_ns" if made else None
    windows = []
    for epoch in made:
        if rng.random() < 0.6:
            start, end = sorted(rng.choices(epoch.walls, k=2))
            windows.append({"kind": "phase", "start_ns": start, "end_ns": end, "case_id": "c1", "phase": "measure"})
    return {
        "run_id": f"run-{rng.randrange(1000)}",
        "session_id": "session-1",
        "client_clock_domain": domain,
        "requests": [],
        "windows": windows,
        "referenced_iterations": [],
    }


def claim(rng: random.Random, case_facts: dict[str, Any], made: list[Made]) -> None:
    """Makes some of the log's aliases requests of the run."""
    for epoch in made:
        for segment in epoch.plan.segments:
            for line in segment.lines:
                if b'"alias"' not in line or rng.random() < 0.6:
                    continue
                at = line.find(b'"external":"cmpl-')
                if at < 0:
                    continue
                external = line[at + 17 : line.index(b'"', at + 17)].decode("ascii", "ignore")
                request = external if rng.random() < 0.3 else external.rsplit("-", 1)[0]
                if request and all(one["x_request_id"] != request for one in case_facts["requests"]):
                    case_facts["requests"].append(
                        {
                            "request_id": f"r{len(case_facts['requests'])}",
                            "x_request_id": request,
                            "case_id": rng.choice(["c1", None]),
                            "phase": rng.choice(["measure", "warmup", None]),
                        }
                    )


def litter(rng: random.Random, root: Path, host_boots: list[str]) -> None:
    """What is no epoch: notes, plain files, links."""
    for host_boot in host_boots:
        for name in rng.sample(NOT_EPOCHS, rng.choice([0, 0, 0, 1, 3])):
            (root / host_boot / name).mkdir()
        if rng.random() < 0.1:
            (root / host_boot / "engine-3-4").write_bytes(b"a file")
    if rng.random() < 0.1:
        (root / "engine-1-2").mkdir()
        (root / "engine-1-2" / "000000.jsonl").write_bytes(b"{}\n")
    if rng.random() < 0.1:
        (root / "readme.txt").write_bytes(b"x")
    if rng.random() < 0.03:
        os.symlink(host_boots[0] if host_boots else ".", root / "linked")
    if rng.random() < 0.05:
        os.symlink("nowhere", root / "broken")


def write_log(root: Path, made: list[Made], share: float | None, seed: str, swap: bool) -> None:
    root.mkdir()
    for place, epoch in enumerate(made):
        rng = random.Random(f"{seed}/{place}")
        upto = None if share is None else int(epoch.plan.lines * share)
        epoch_folder.write(epoch.plan, root / epoch.host_boot / epoch.plan.name, upto, rng, swap)


def cuts(rng: random.Random, growing: bool) -> list[float]:
    """Shares of the lines that stand in the earlier states of a log, ascending."""
    if not growing:
        states = rng.choice([1] * 7 + [2, 3])
        return sorted(rng.random() for _ in range(states - 1))
    shares = sorted(rng.random() for _ in range(rng.randrange(2, 8)))
    # A state may come again: an import that finds nothing new.
    return sorted(shares + rng.choices(shares, k=rng.choice([0, 0, 1, 2])))


def refer(rng: random.Random, case_facts: dict[str, Any], made: list[Made]) -> None:
    """Steps that activity of a device points at: they are kept whoever ran in them."""
    for epoch in made:
        for segment in epoch.plan.segments:
            for line in segment.lines:
                at = line.find(b'"iteration":"')
                if at < 0 or b'"scheduled"' not in line or rng.random() < 0.9:
                    continue
                name = line[at + 13 : line.index(b'"', at + 13)].decode("ascii", "ignore")
                producer = f"vllm:{epoch.plan.name}"
                told = line.find(b'"producer":"')
                if told >= 0:
                    producer = line[told + 12 : line.index(b'"', told + 12)].decode("ascii", "ignore")
                reference = {"producer_id": producer, "id": name}
                if name and reference not in case_facts["referenced_iterations"]:
                    case_facts["referenced_iterations"].append(reference)


def lose_keys(rng: random.Random, log: Path) -> None:
    """A key that was not copied this time."""
    for key in sorted(log.glob("*/*/key")):
        if key.is_file() and rng.random() < 0.1:
            key.unlink()


def write_case(case: Path, seed: str, swap: bool = False, growing: bool = False) -> dict[str, Any]:
    """One case folder; returns its case.json. ``swap``: with its lenient lines made unreadable. ``growing``: imported
    three to ten times as it grows, by options that change, with keys that come and go and steps that are referred to."""
    rng = random.Random(seed)
    case.mkdir(parents=True)
    about: dict[str, Any] = {"seed": seed}
    places = [stem(rng) for _ in range(rng.choice([1, 1, 1, 2]))]
    made: list[Made] = []
    for _ in range(rng.choice([1] * 12 + [0, 2, 2, 3])):
        epoch = make_epoch(rng, rng.choice(places), about)
        if all((e.host_boot, e.plan.name) != (epoch.host_boot, epoch.plan.name) for e in made):
            made.append(epoch)
    imports = []
    for at, share in enumerate([*cuts(rng, growing), None]):
        log = "log" if share is None else f"log.{at}"
        write_log(case / log, made, share, f"{seed}/{at}", swap)
        if growing:
            lose_keys(rng, case / log)
        imports.append(
            {
                "log": log,
                "importer": importer(rng, made),
                "server_stopped": rng.random() < 0.2,
                "raw_foreign_ids": rng.random() < 0.15,
            }
        )
    litter(rng, case / "log", sorted({epoch.host_boot for epoch in made}))
    case_facts = facts(rng, made)
    claim(rng, case_facts, made)
    if growing:
        refer(rng, case_facts, made)
    spec = {"about": about, "imports": imports, "facts": case_facts, "loop": loop(rng, made)}
    (case / "case.json").write_text(json.dumps(spec, indent=1) + "\n")
    return spec


def case_seed(seed: int, number: int) -> str:
    return f"{seed}-{number}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for number in range(arguments.count):
        seed = case_seed(arguments.seed, number)
        write_case(arguments.folder / f"case-{seed}", seed)


if __name__ == "__main__":
    main()
