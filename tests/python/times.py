"""Prints when the last operation in the log of a run was done, and whether all its times are in order.

Usage: times.py RUN
"""

import json
import pathlib
import sys

import duckdb


def main():
    ops = pathlib.Path(sys.argv[1]) / "ops"
    rows, last_done_ns, disordered = duckdb.execute(
        "SELECT count(*), max(done_ns), count(*) FILTER (NOT due_ns <= issued_ns OR NOT issued_ns <= done_ns) "
        "FROM read_parquet($files)",
        {"files": f"{ops}/**/*.parquet"},
    ).fetchone()
    print(json.dumps({"rows": rows, "last_done_ns": last_done_ns, "disordered": disordered}))


main()
