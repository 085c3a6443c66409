"""Reads the counters of a run, once with pyarrow and once with DuckDB, and prints both as JSON.

Usage: counters.py RUN

For each counter: its unit, its samples, those that say nothing, and its total: every value times the seconds since
the sample before, added up. Of a rate per second that is how much there was. Beside them what the log holds: the bytes
that were written, and when the last operation was done.

Nothing here knows more of the files than their column names: they have to be readable as they are.
"""

import json
import pathlib
import sys

import duckdb
import pyarrow.dataset


def with_pyarrow(counters):
    """The counters by "layer name device"."""
    table = pyarrow.dataset.dataset(counters, format="parquet", partitioning="hive").to_table()
    found, before = {}, {}
    first_ns = min(table["at_ns"].to_pylist())
    for row in sorted(table.to_pylist(), key=lambda row: row["at_ns"]):
        assert row["agent"] == "local"
        key = f"{row['layer']} {row['name']} {row['device']}"
        counter = found.setdefault(key, {"unit": row["unit"], "samples": 0, "nulls": 0, "total": 0.0, "last_ns": 0})
        counter["samples"] += 1
        counter["last_ns"] = row["at_ns"]
        if row["value"] is None:
            counter["nulls"] += 1
        # The first value of a rate is of the time since the look before, which is the first one of all.
        seconds = (row["at_ns"] - before.get(key, first_ns)) / 1e9
        counter["total"] += (row["value"] or 0.0) * seconds
        before[key] = row["at_ns"]
    return found


def with_duckdb(counters):
    """The same, from one query."""
    rows = duckdb.execute(
        """
        WITH samples AS (
            SELECT layer || ' ' || name || ' ' || device AS key, unit, at_ns, value,
                   at_ns - coalesce(lag(at_ns) OVER (PARTITION BY layer, name, device ORDER BY at_ns),
                                    min(at_ns) OVER ()) AS since_ns
            FROM read_parquet($files, hive_partitioning = true) WHERE agent = 'local'
        )
        SELECT key, any_value(unit), count(*), count(*) - count(value),
               coalesce(sum(value * since_ns / 1e9), 0), max(at_ns)
        FROM samples GROUP BY key
        """,
        {"files": f"{counters}/**/*.parquet"},
    ).fetchall()
    return {
        key: {"unit": unit, "samples": samples, "nulls": nulls, "total": total, "last_ns": last_ns}
        for key, unit, samples, nulls, total, last_ns in rows
    }


def log(ops):
    """What the log says."""
    written, last_done_ns = duckdb.execute(
        "SELECT coalesce(sum(done_len) FILTER (kind = 'write'), 0)::BIGINT, max(done_ns) FROM read_parquet($files)",
        {"files": f"{ops}/**/*.parquet"},
    ).fetchone()
    return {"written_bytes": written, "last_done_ns": last_done_ns}


def main():
    run = pathlib.Path(sys.argv[1])
    counters = run / "counters"
    print(json.dumps({"pyarrow": with_pyarrow(counters), "duckdb": with_duckdb(counters), "log": log(run / "ops")}))


main()
