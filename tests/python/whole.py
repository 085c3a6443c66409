"""Adds up the logs of a run that several machines made, without the product, and prints JSON.

Usage: whole.py RUN

For each load point: operations, bytes and the response times of its reads and writes, over all machines' rows as
pyarrow reads them from the hive partitions, and the operations of each machine by its folder's name. A percentile is
the value that as large a share of all values does not exceed, found by sorting them all.
"""

import json
import math
import pathlib
import sys

import pyarrow.dataset

WARMUP = 4


def percentile_us(values, share):
    """None of nothing."""
    ranked = sorted(values)
    return ranked[max(math.ceil(share * len(ranked)), 1) - 1] / 1e3 if ranked else None


def main(run):
    columns = ["point", "agent", "kind", "flags", "errno", "len", "done_len", "due_ns", "done_ns"]
    dataset = pyarrow.dataset.dataset(run / "ops", format="parquet", partitioning="hive")
    points = {}
    for row in dataset.to_table(columns=columns).to_pylist():
        if row["flags"] & WARMUP:
            continue
        point = points.setdefault(row["point"], {"ops": 0, "bytes": 0, "by_agent": {}, "response": []})
        point["ops"] += 1
        point["by_agent"][row["agent"]] = point["by_agent"].get(row["agent"], 0) + 1
        if row["errno"] == 0 and row["kind"] in ("read", "write"):
            point["bytes"] += row["done_len"]
            if row["done_len"] == row["len"]:
                point["response"].append(row["done_ns"] - row["due_ns"])
    told = []
    for _, point in sorted(points.items()):
        times = point.pop("response")
        shares = {"p50_us": 0.5, "p95_us": 0.95, "p99_us": 0.99}
        found = {name: percentile_us(times, share) for name, share in shares.items()}
        told.append(point | found | {"count": len(times), "max_us": max(times) / 1e3 if times else None})
    print(json.dumps(told))


main(pathlib.Path(sys.argv[1]))
