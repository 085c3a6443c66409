"""Computes the EBU tables of a run from its operation log alone, and prints every cell as JSON.

Usage: paper_tables.py RUN

Independent of the program: it knows the log's columns and the definitions of EBU Tech 3362, and no figure
that the program computed. A transfer is the operations of one worker with one number. The `offset` of its
open is the block size drawn for it, under which all of it is booked. Where its operations overlap, time
counts once. Where a limit on bytes a second was set (`load-points.json`), time until a read or write was due
is no latency.
"""

import json
import pathlib
import sys

import duckdb

WRITING, RANDOM, WARMUP, LAST = 1, 2, 4, 8
OPENS = ("open", "create")
ROWS = ["seq_rd", "rand_rd", "seq_wr", "rand_wr"]


def transfers(ops):
    """The operations of each transfer, in the order in which they were issued."""
    rows = duckdb.execute(
        """
        SELECT point, worker, transfer, kind, "offset", len, done_len, issued_ns, done_ns, errno, due_ns, flags
        FROM read_parquet($files) ORDER BY point, worker, transfer, issued_ns, done_ns
        """,
        {"files": f"{ops}/**/*.parquet"},
    ).fetchall()
    found = {}
    for point, worker, transfer, *op in rows:
        found.setdefault((point, worker, transfer), []).append(op)
    return found


class Cell:
    """What a cell is computed from."""

    def __init__(self):
        self.ops = self.short = self.bytes = self.data_ns = 0
        self.latencies_ns, self.gaps_ns = [], 0

    def figures(self):
        count = len(self.latencies_ns)
        return {
            "data_ops": self.ops,
            "bytes": self.bytes,
            "transfers": count,
            "transfer_rate_while_transferring_mb_per_s": self.bytes * 1e3 / self.data_ns if self.data_ns and self.ops else None,
            "short_block_share": self.short / self.ops if self.ops else None,
            "average_latency_ms": sum(self.latencies_ns) / 1e6 / count if count else None,
            "average_gap_ms": self.gaps_ns / 1e6 / count if count else None,
            "maximum_latency_s": max(self.latencies_ns) / 1e9 if count else None,
        }


def limited(run):
    """Whether a limit on bytes a second was set."""
    path = pathlib.Path(run) / "load-points.json"
    points = json.loads(path.read_text()) if path.exists() else []
    return any(point.get("max_bytes_per_s") is not None for point in points)


def covered_ns(intervals):
    """How long at least one of these lasted."""
    total, until = 0, None
    for start, end in sorted(intervals):
        start = start if until is None else max(start, until)
        total += max(0, end - start)
        until = end if until is None else max(until, end)
    return total


def book(ops, cells, is_limited):
    """Books one transfer into each of these cells."""
    drawn = next(offset for kind, offset, *_ in ops if kind in OPENS)
    is_whole = bool(ops[-1][-1] & LAST)
    data, measured, held = [], [], []
    last_ns = None
    for kind, _, length, done_len, issued_ns, done_ns, errno, due_ns, flags in ops:
        if flags & WARMUP or errno or (kind in ("read", "write") and done_len < length):
            is_whole = False
            continue
        if last_ns is not None and is_limited and kind in ("read", "write"):
            held.append((last_ns, max(last_ns, min(due_ns, issued_ns))))
        last_ns = max(done_ns, last_ns or 0)
        measured.append((issued_ns, done_ns))
        is_data = kind in ("read", "write")
        # A sync waits for data, and so does closing a file that was written.
        if is_data or kind == "sync" or kind == "close" and flags & WRITING:
            data.append((issued_ns, done_ns))
        if is_data:
            for cell in cells:
                cell.ops += 1
                cell.short += length < drawn
                cell.bytes += done_len
    data_ns = covered_ns(data)
    for cell in cells:
        cell.data_ns += data_ns
    if is_whole:
        gap_ns = max(op[5] for op in ops) - ops[0][4] - covered_ns(measured + held)
        total_ns = max(op[5] for op in ops) - ops[0][4]
        for cell in cells:
            cell.latencies_ns.append(total_ns - covered_ns(data + held))
            cell.gaps_ns += gap_ns


def main():
    tables = {}
    is_limited = limited(sys.argv[1])
    for (point, worker, _), ops in transfers(pathlib.Path(sys.argv[1]) / "ops").items():
        drawn = [offset for kind, offset, *_ in ops if kind in OPENS]
        if not drawn:
            continue
        flags = ops[0][-1]
        row = ROWS[2 * bool(flags & WRITING) + bool(flags & RANDOM)]
        keys = [(who, mode, size) for who in ("all", worker) for mode in (row, "all") for size in (drawn[0], None)]
        book(ops, [tables.setdefault((point, *key), Cell()) for key in keys], is_limited)
    cells = [
        {"point": point, "worker": None if who == "all" else who, "mode": mode, "block_bytes": size, **cell.figures()}
        for (point, who, mode, size), cell in tables.items()
        if cell.ops or cell.latencies_ns
    ]
    print(json.dumps({"cells": cells}))


if __name__ == "__main__":
    main()
