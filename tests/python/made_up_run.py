"""Writes a run directory whose late frames can be counted on the fingers; late_frames.py must find them.

Usage: made_up_run.py RUN

Frames at 10 per second, prebuffer 200 ms, t0 = 1 s: frame i is due at 1.2 s + i / 10.
Measured from 2.2 s (frame 10) until 4.2 s (frame 30 is out).
"""

import json
import pathlib
import sys

import pyarrow
import pyarrow.parquet

WRITING, RANDOM, LAST, FRAME, CUE = 1, 2, 8, 16, 32
MS = 10**6


def row(stream, kind, transfer, flags, due_ms, done_ns, done_len=100, errno=0):
    return {
        "worker": stream, "stream": stream, "transfer": transfer, "kind": kind, "file": 0, "offset": 0,
        "len": 100 if kind in ("read", "write") else 0, "done_len": done_len if kind in ("read", "write") else 0,
        "due_ns": due_ms * MS, "issued_ns": due_ms * MS + 7, "done_ns": done_ns, "errno": errno, "flags": flags,
        "point": 0,
    }  # fmt: skip


def deadline_ns(frame):
    return 1200 * MS + frame * 100 * MS


def healthy(stream, frames):
    """Every frame comes at its very deadline, which is in time."""
    return [row(stream, "open", 0, 0, 1000, 1001 * MS)] + [
        row(stream, "read", i, FRAME | LAST, 1000 + 100 * i, deadline_ns(i)) for i in frames
    ]


def troubled(stream):
    """Frames 12 (a nanosecond), 13 (error), 14 (short), 15 and 16 (never begun), 29 (no last part) are late;
    9 and 30 are too, but are not judged."""
    rows = healthy(stream, (i for i in range(40) if i not in (9, 12, 13, 14, 15, 16, 29, 30)))
    late = [(9, 50, 100, 0), (12, 1, 100, 0), (13, -9, 0, 5), (14, -9, 99, 0), (30, 1, 100, 0)]
    for frame, after_ns, done_len, errno in late:
        done_ns = deadline_ns(frame) + after_ns
        rows.append(row(stream, "read", frame, FRAME | LAST, 1000 + 100 * frame, done_ns, done_len, errno))
    rows.append(row(stream, "read", 29, FRAME, 3900, deadline_ns(29) - 9))
    return rows


def jumping(stream):
    """Frames 12 to 16 were not wanted, so 15 frames are judged and none is late."""
    rows = healthy(stream, (i for i in range(40) if not 12 <= i <= 17))
    rows.append(row(stream, "read", 50, 0, 2450, 2460 * MS))
    rows.append(row(stream, "read", 17, FRAME | LAST | CUE, 2700, deadline_ns(17)))
    return rows


def stopped(stream):
    """From frame 25 on somebody looks at single frames: 15 frames are judged and none is late."""
    rows = healthy(stream, range(25))
    return rows + [row(stream, "read", 25, RANDOM, 3500 + 10 * look, 3505 * MS) for look in range(9)]


def file_per_frame(stream):
    """Of frame 20 the data come in time, and the close, with which they are all there, does not."""
    rows = []
    for i in range(40):
        for kind in ("create", "write", "close"):
            flags = FRAME | WRITING | (LAST if kind == "close" else 0)
            done_ns = deadline_ns(i) + (1 if (i, kind) == (20, "close") else 0)
            rows.append(row(stream, kind, i, flags, 1000 + 100 * i, done_ns))
    return rows


def spec(stream, frame_bytes):
    return {
        "stream": stream, "name": "made up", "writes": False, "policy": "drop", "rate_num": 10, "rate_den": 1,
        "prebuffer_ns": 200 * MS, "frame_bytes": frame_bytes, "frames_total": None,
        "throughput_needed_bytes_per_s": None,
    }  # fmt: skip


def main():
    run = pathlib.Path(sys.argv[1])
    folder = run / "ops" / "agent=made-up"
    folder.mkdir(parents=True)
    rows = healthy(0, range(40)) + troubled(1) + troubled(2) + jumping(3) + file_per_frame(4) + stopped(6)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "part-000001.parquet")
    specs = [spec(0, 100), spec(1, 100), spec(2, None), spec(3, 100), spec(4, None), spec(5, 100), spec(6, 100)]
    point = {"point": 0, "scale": 1, "started_ns": 0, "from_ns": 2200 * MS, "until_ns": 4200 * MS}
    (run / "streams.json").write_text(json.dumps({"points": [point | {"streams": specs}]}))
    print("{}")


main()
