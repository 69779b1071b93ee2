"""Reads a hook directory and judges each engine epoch with the reference; prints the seconds of both as JSON."""

from __future__ import annotations

import json
import sys
import time

from stormlog.infer import diagnosis_loop as loop
from stormlog.infer import vllm_execution_log as log


def main() -> None:
    began = time.perf_counter()
    read = log.read_execution_log(sys.argv[1], server_stopped=True)
    summaries = [epoch.summary() for epoch in read.epochs]
    read_done = time.perf_counter()
    verdicts = [
        loop.engine_loop_gap([record.data for record in epoch.records], loop.LoopGapConfig(status=epoch.status))
        for epoch in read.engines()
    ]
    done = time.perf_counter()
    answer = {
        "seconds": done - began,
        "read": read_done - began,
        "records": sum(summary["records"] for summary in summaries),
        "value": verdicts[0].value,
        "threshold": verdicts[0].threshold,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
