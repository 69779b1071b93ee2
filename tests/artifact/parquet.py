"""The Parquet tables, read by DuckDB and by Polars.

    parquet.py --stepscope PROGRAM NAME …

Of each real log named, tables and an artifact are written. What both engines count in the tables must be what
`stepscope summary` counts in the artifact and `stepscope diagnose` in the log; both must read the same rows; and the
queries of the README must run as they stand there.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import epochs
import polars

README = epochs.FIXTURES.parent / "README.md"
TABLES = ("steps", "memberships", "requests", "stages", "stalls")


def equal(what: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise AssertionError(f"{what}: {found}, expected {expected}")


def run(words: list[str]) -> str:
    ran = subprocess.run(words, capture_output=True, check=False)
    if ran.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: exit {ran.returncode}, {ran.stderr.decode('utf-8', 'replace')}")
    return ran.stdout.decode()


def expected_counts(program: str, log: Path, folder: Path) -> dict[str, dict[str, int]]:
    """Rows of every table by epoch, as the command line counts them."""
    artifact = folder / "run.jsonl"
    run([program, "reduce", str(log), "-o", str(artifact)])
    summary = json.loads(run([program, "summary", "--json", str(artifact)]))
    judged = {one["epoch"]: one for one in json.loads(run([program, "diagnose", "--json", str(log)]))["epochs"]}
    return {
        one["epoch"]: {
            "steps": one["steps"],
            "memberships": one["memberships"],
            "requests": sum(one["requests"].values()),
            "stages": sum(one["stages"].values()),
            "stalls": len(judged[one["epoch"]]["over_limit"]),
        }
        for one in summary["epochs"]
    }


def rows(relation: duckdb.DuckDBPyRelation) -> list[dict[str, Any]]:
    names = relation.columns
    return [dict(zip(names, row)) for row in relation.fetchall()]


def check(program: str, name: str, folder: Path) -> dict[str, int]:
    log, tables = epochs.LOGS / name, folder / "tables"
    run([program, "reduce", str(log), "--parquet", str(tables)])
    expected = expected_counts(program, log, folder)
    totals: dict[str, int] = {}
    for table in TABLES:
        wanted = {epoch: counts[table] for epoch, counts in expected.items() if counts[table]}
        pattern = f"{tables}/{table}/*/*.parquet"
        scanned = duckdb.sql(f"from read_parquet('{pattern}', hive_partitioning = true)")
        by_duckdb = duckdb.sql("select epoch, count(*) from scanned group by epoch").fetchall()
        equal(f"{name}, {table} by DuckDB", dict(by_duckdb), wanted)
        frame = polars.scan_parquet(tables / table, hive_partitioning=True)
        by_polars = frame.group_by("epoch").len().collect().rows()
        equal(f"{name}, {table} by Polars", dict(by_polars), wanted)
        order = lambda row: json.dumps(row, sort_keys=True, default=str)  # noqa: E731
        both = [sorted(rows(scanned), key=order), sorted(frame.collect().to_dicts(), key=order)]
        equal(f"{name}, rows of {table}", both[0] == both[1], True)
        totals[table] = sum(wanted.values())
    members = duckdb.sql(
        f"select sum(members - withheld_members) from read_parquet('{tables}/steps/*/*.parquet')"
    ).fetchall()
    equal(f"{name}, members of the steps", members, [(totals["memberships"],)])
    worst = queries(tables, folder)
    equal(f"{name}, the worst steps", worst["duckdb"], worst["polars"])
    equal(f"{name}, how many", len(worst["duckdb"]), min(10, totals["steps"]))
    return totals


def queries(tables: Path, folder: Path) -> dict[str, list[Any]]:
    """What the README's two queries answer for these tables."""
    blocks = dict(re.findall(r"```(sql|python)\n(.*?)```", README.read_text(), re.DOTALL))
    here = Path.cwd()
    os.chdir(folder)
    try:
        by_duckdb = duckdb.sql(blocks["sql"]).fetchall()
        scope: dict[str, Any] = {}
        exec(blocks["python"], scope)  # noqa: S102  the README's own text
    finally:
        os.chdir(here)
    equal("the folder of the queries", tables, folder / "tables")
    return {"duckdb": by_duckdb, "polars": scope["worst"].rows()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stepscope", required=True)
    parser.add_argument("names", nargs="+")
    arguments = parser.parse_args()
    failed = 0
    for name in arguments.names:
        with tempfile.TemporaryDirectory(prefix="stepscope-parquet-") as folder:
            try:
                print(name, json.dumps(check(arguments.stepscope, name, Path(folder))))
            except AssertionError as error:
                failed += 1
                print(name, error)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
