"""Adds up the operation log of a run, once with pyarrow and once with DuckDB, and prints both as JSON.

Usage: totals.py RUN

Nothing here knows more of the log than its column names: it has to be readable as it is.
"""

import json
import pathlib
import sys

import duckdb
import pyarrow.compute as pc
import pyarrow.dataset

WARMUP = 4


def with_pyarrow(ops):
    """One dict per load point."""
    table = pyarrow.dataset.dataset(ops, format="parquet", partitioning="hive").to_table()
    points = []
    for point in sorted(pc.unique(table["point"]).to_pylist()):
        here = table.filter(pc.equal(table["point"], point))
        warm = pc.not_equal(pc.bit_wise_and(here["flags"].cast("int64"), WARMUP), 0)
        measured = here.filter(pc.invert(warm))
        good = measured.filter(pc.equal(measured["errno"], 0))
        total = lambda kind: pc.sum(good.filter(pc.equal(good["kind"], kind))["done_len"].cast("int64")).as_py() or 0
        points.append(
            {
                "point": point,
                "ops": measured.num_rows,
                "warmup_ops": here.num_rows - measured.num_rows,
                "failed_ops": measured.num_rows - good.num_rows,
                "read_bytes": total("read"),
                "written_bytes": total("write"),
            }
        )
    return points


def with_duckdb(ops):
    """The same, from one query."""
    rows = duckdb.execute(
        """
        SELECT point,
               count(*) FILTER (flags & 4 = 0),
               count(*) FILTER (flags & 4 <> 0),
               count(*) FILTER (flags & 4 = 0 AND errno <> 0),
               coalesce(sum(done_len) FILTER (flags & 4 = 0 AND errno = 0 AND kind = 'read'), 0)::BIGINT,
               coalesce(sum(done_len) FILTER (flags & 4 = 0 AND errno = 0 AND kind = 'write'), 0)::BIGINT
        FROM read_parquet($files, hive_partitioning = true)
        WHERE agent IS NOT NULL
        GROUP BY point ORDER BY point
        """,
        {"files": f"{ops}/**/*.parquet"},
    ).fetchall()
    names = ["point", "ops", "warmup_ops", "failed_ops", "read_bytes", "written_bytes"]
    return [dict(zip(names, row)) for row in rows]


def main():
    ops = pathlib.Path(sys.argv[1]) / "ops"
    print(json.dumps({"pyarrow": with_pyarrow(ops), "duckdb": with_duckdb(ops)}))


main()
