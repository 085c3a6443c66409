"""Computes the medians and means of suites again, from the operation logs of their runs, and prints them as JSON,
with the rows of a CSV file.

Usage: suite_figures.py CSV SUITE...

A pass of a replay lasts from the issue of its first operation to the end of its last. A mix has one pass, its
measured time. Nothing is taken from suite.json but the names of the runs.
"""

import csv
import json
import math
import pathlib
import statistics
import sys

import duckdb


def rows(run, sql):
    return duckdb.execute(sql, {"files": f"{run}/ops/**/*.parquet"}).fetchall()


def passes(run):
    """Bytes per second of each pass of a run."""
    summary = json.loads((run / "summary.json").read_text())
    moved = "sum(done_len) FILTER (kind IN ('read', 'write') AND errno = 0 AND flags & 4 = 0)::BIGINT"
    if summary.get("replay") is None:
        [(total,)] = rows(run, f"SELECT {moved} FROM read_parquet($files, hive_partitioning = true)")
        return [total * 1e9 / summary["load_points"][0]["measured_ns"]]
    found = rows(
        run,
        f"SELECT point, {moved}, min(issued_ns), max(done_ns) FROM read_parquet($files, hive_partitioning = true) "
        "GROUP BY point ORDER BY point",
    )
    return [total * 1e9 / (end - begin) for _, total, begin, end in found]


def figures(suite):
    table = json.loads((suite / "suite.json").read_text())
    medians = {}
    for row, run in zip(table["table"]["rows"], table["runs"]):
        medians[row["workload"]] = statistics.median(passes(suite / run))
    traces = [rate for name, rate in medians.items() if "-qd" not in name]
    return {
        "medians": medians,
        "arithmetic": sum(traces) / len(traces),
        "geometric": math.prod(traces) ** (1 / len(traces)),
    }


def main():
    with open(sys.argv[1], newline="") as file:
        lines = list(csv.DictReader(file))
    print(json.dumps({"rows": lines, "suites": [figures(pathlib.Path(suite)) for suite in sys.argv[2:]]}))


main()
