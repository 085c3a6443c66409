"""Prints what each worker of a run asked for, in order, as JSON: a list per worker of
[kind, file, offset, len, flags, transfer], the warm-up included and its flag masked out.

Usage: operations.py RUN
"""

import json
import pathlib
import sys

import duckdb

WARMUP = 4


def main():
    ops = pathlib.Path(sys.argv[1]) / "ops"
    rows = duckdb.execute(
        'SELECT worker, kind, file, "offset", len, flags, transfer FROM read_parquet($files) '
        "ORDER BY worker, issued_ns, done_ns",
        {"files": f"{ops}/**/*.parquet"},
    ).fetchall()
    workers = {}
    for worker, kind, file, offset, length, flags, transfer in rows:
        workers.setdefault(worker, []).append([kind, file, offset, length, flags & ~WARMUP, transfer])
    print(json.dumps(list(workers.values())))


main()
