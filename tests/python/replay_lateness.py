"""Computes from two logs how late a replay at the recorded pace issued its operations: the trace says what each
had to wait for, the run's log when that was done.

An operation waits for what its own thread had finished when it was issued in the recording. So it could begin
at the later of two times: when it was due, and when the last of those was done in the replay.

Usage: replay_lateness.py TRACE RUN
Reads and writes of the trace must be distinct by kind, offset and length.
"""

import collections
import json
import pathlib
import sys

import pyarrow.parquet as pq

WARMUP = 4
COLUMNS = ["stream", "kind", "offset", "len", "due_ns", "issued_ns", "done_ns", "flags"]


def rows_of(directory):
    rows = []
    for path in sorted(pathlib.Path(directory, "ops").glob("**/*.parquet")):
        rows += pq.ParquetFile(path).read(columns=COLUMNS).to_pylist()
    return sorted((row for row in rows if not row["flags"] & WARMUP), key=lambda row: row["due_ns"])


def by_name(rows):
    """Rows by what they are in both logs: data by its place, others by their number in the thread."""
    named, seen = {}, collections.Counter()
    for row in rows:
        # A replay only makes the files that were not there.
        place = ("opens" if row["kind"] in ("open", "create") else row["kind"], row["stream"])
        if row["kind"] in ("read", "write"):
            place = (row["kind"], row["offset"], row["len"])
        else:
            seen[place] += 1
            place += (seen[place],)
        assert place not in named, place
        named[place] = row
    return named


def main():
    recorded, replayed = by_name(rows_of(sys.argv[1])), by_name(rows_of(sys.argv[2]))
    assert recorded.keys() == replayed.keys(), recorded.keys() ^ replayed.keys()
    lateness, behind = [], []
    for name, op in recorded.items():
        before = [
            replayed[other]["done_ns"]
            for other, one in recorded.items()
            if other != name and one["stream"] == op["stream"] and one["done_ns"] <= op["issued_ns"]
        ]
        now = replayed[name]
        lateness.append(now["issued_ns"] - max([now["due_ns"], *before]))
        behind.append(now["issued_ns"] - now["due_ns"])
    lateness.sort()
    print(
        json.dumps(
            {
                "ops": len(lateness),
                "lateness_max_ns": lateness[-1],
                "lateness_p50_ns": lateness[(len(lateness) - 1) // 2],
                "late_ops": sum(ns > 1_000_000 for ns in lateness),
                "behind_max_ns": max(behind),
            }
        )
    )


main()
