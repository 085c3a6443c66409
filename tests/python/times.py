"""Prints when the last operation in the log of a run was done, and whether all its times are in order.

Usage: times.py RUN [--running]

A run that goes on replaces its newest part by a longer one of the same name. DuckDB opens each part twice, and fails
where that happened in between: with --running it is asked again.
"""

import json
import pathlib
import sys
import time

import duckdb

TRIES = 20


def read(ops):
    return duckdb.execute(
        "SELECT count(*), max(done_ns), count(*) FILTER (NOT due_ns <= issued_ns OR NOT issued_ns <= done_ns) "
        "FROM read_parquet($files)",
        {"files": f"{ops}/**/*.parquet"},
    ).fetchone()


def read_running(ops):
    for _ in range(TRIES):
        try:
            return read(ops)
        except duckdb.Error as error:
            print(f"asked again: {error}", file=sys.stderr)
            time.sleep(0.1)
    return read(ops)


def main():
    ops = pathlib.Path(sys.argv[1]) / "ops"
    rows, last_done_ns, disordered = (read_running if "--running" in sys.argv else read)(ops)
    print(json.dumps({"rows": rows, "last_done_ns": last_done_ns, "disordered": disordered}))


main()
