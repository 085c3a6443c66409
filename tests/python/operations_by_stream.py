"""Prints what each stream of a run asked for, in order, as JSON: a list per worker and stream of
[kind, file, offset, len].

Usage: operations_by_stream.py RUN
"""

import json
import pathlib
import sys

import duckdb


def main():
    ops = pathlib.Path(sys.argv[1]) / "ops"
    rows = duckdb.execute(
        'SELECT worker, stream, kind, file, "offset", len FROM read_parquet($files) '
        "ORDER BY worker, stream, issued_ns, done_ns",
        {"files": f"{ops}/**/*.parquet"},
    ).fetchall()
    streams = {}
    for worker, stream, *asked in rows:
        streams.setdefault((worker, stream), []).append(asked)
    print(json.dumps(list(streams.values())))


main()
