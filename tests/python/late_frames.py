"""Counts late frames from the operation log of a run and its streams.json, by the definition alone:

    Frame i is late if its last byte comes after t0 + prebuffer + i / rate. t0 is when the first operation of
    its stream was due, or was to be, where none ever came back. Judged are the frames whose deadline lies in the measured part of the load point.

A frame that failed, is incomplete or was never begun is late too. Frames that nobody wanted, because play
jumped over them or had stopped for good while somebody looked for another place, are not judged. All arithmetic is in whole nanoseconds; nothing is rounded.

In a run of several machines each one's log has its own numbers and times; ops/_agents.json says what is added to
them (see docs/run-directory.md), as streams.json has it.

Usage: late_frames.py RUN
"""

import json
import pathlib
import sys

import duckdb

RANDOM, LAST, FRAME, CUE = 2, 8, 16, 32
SECOND_NS = 10**9


def frames_before(time_ns, spec, t0_ns):
    """How many frames of the timeline have their deadline before a time."""
    since_ns = time_ns - t0_ns - spec["prebuffer_ns"]
    frames = -(-since_ns * spec["rate_num"] // (spec["rate_den"] * SECOND_NS))
    return max(0, frames)


def is_after_deadline(done_ns, frame, spec, t0_ns):
    since_ns = done_ns - t0_ns - spec["prebuffer_ns"]
    return since_ns * spec["rate_num"] > frame * spec["rate_den"] * SECOND_NS


def frames_of(ops):
    """What became of every frame that was begun: number -> (when its last byte came, whether all came)."""
    frames = {}
    for op in ops:
        if op["flags"] & FRAME:
            done_ns, has_last, is_good, nbytes, is_cue = frames.get(op["transfer"], (0, False, True, 0, False))
            moves_data = op["kind"] in ("read", "write")
            good = op["errno"] == 0 and not (moves_data and op["done_len"] < op["len"])
            frames[op["transfer"]] = (
                max(done_ns, op["done_ns"]),
                has_last or bool(op["flags"] & LAST),
                is_good and good,
                nbytes + (op["done_len"] if op["errno"] == 0 else 0),
                is_cue or bool(op["flags"] & CUE),
            )
    return frames


def unwanted(frames):
    """Frames that play jumped over."""
    found, before = set(), -1
    for number in sorted(frames):
        if frames[number][4]:
            found.update(range(before + 1, number))
        before = number
    return found


def has_stopped(ops, all_ops):
    """Whether the stream's worker was looking at single frames, on any of its streams, when it ended."""
    worker = ops[0]["worker"]
    frames = [op["due_ns"] for op in ops if op["flags"] & FRAME]
    looks = [
        op["due_ns"]
        for op in all_ops
        if op["worker"] == worker and op["kind"] == "read" and op["flags"] & (RANDOM | FRAME) == RANDOM
    ]
    return max(looks, default=-1) > max(frames, default=-1)


def judge(spec, part, ops, all_ops):
    """The figures of one stream, and when its late frames were needed."""
    if ops:
        t0_ns = min(ops, key=lambda op: (op["issued_ns"], op["due_ns"]))["due_ns"]
    elif spec.get("begins") is not None:
        t0_ns = part["started_ns"] + spec["begins"]["after_ns"]
    else:
        return {"stream": spec["stream"], "frames_judged": 0, "late_frames": 0, "first_late_frame": None}, []
    first = frames_before(part["from_ns"], spec, t0_ns)
    end = frames_before(part["until_ns"], spec, t0_ns)
    if spec.get("frames_total") is not None:
        end = min(end, spec["frames_total"])
    frames = frames_of(ops)
    if ops and has_stopped(ops, all_ops):
        end = min(end, max(frames, default=-1) + 1)
    skipped = unwanted(frames)
    judged = [number for number in range(first, end) if number not in skipped]
    late = []
    for number in judged:
        done_ns, has_last, is_good, nbytes, _ = frames.get(number, (0, False, False, 0, False))
        needed = spec.get("frame_bytes")
        all_came = is_good if needed is None else nbytes >= needed
        if not has_last or not all_came or is_after_deadline(done_ns, number, spec, t0_ns):
            late.append(number)
    figures = {
        "stream": spec["stream"],
        "frames_judged": len(judged),
        "late_frames": len(late),
        "first_late_frame": late[0] if late else None,
    }
    frame_ns = spec["rate_den"] * SECOND_NS
    return figures, [t0_ns + spec["prebuffer_ns"] + number * frame_ns // spec["rate_num"] for number in late]


def places_of(run):
    """What is added to the numbers and times of each machine; nothing in a run of one."""
    path = run / "ops" / "_agents.json"
    agents = json.loads(path.read_text())["agents"] if path.exists() else []
    return {place["folder"].removeprefix("agent="): place for place in agents}


def placed(op, place):
    """An operation with the numbers of the whole run, on its clock."""
    for name, first in [("worker", "first_worker"), ("stream", "first_stream")]:
        op[name] += place.get(first, 0)
    for name in ["due_ns", "issued_ns", "done_ns"]:
        op[name] += place.get("shift_ns", 0)
    return op


def main():
    run = pathlib.Path(sys.argv[1])
    places = places_of(run)
    names = ["worker", "stream", "kind", "transfer", "flags", "len", "done_len", "errno", "due_ns", "issued_ns", "done_ns", "agent"]
    points = []
    for part in json.loads((run / "streams.json").read_text())["points"]:
        rows = duckdb.execute(
            f"SELECT {', '.join(names)} FROM read_parquet($files, hive_partitioning = true) WHERE point = $point",
            {"files": f"{run}/ops/**/*.parquet", "point": part["point"]},
        ).fetchall()
        all_ops = [dict(zip(names, row)) for row in rows]
        all_ops = [placed(op, places.get(str(op["agent"]), {})) for op in all_ops]
        ops = {}
        for op in all_ops:
            ops.setdefault(op["stream"], []).append(op)
        judged = [judge(spec, part, ops.get(spec["stream"], []), all_ops) for spec in part["streams"]]
        points.append({
            "point": part["point"],
            "streams": [figures for figures, _ in judged],
            "late_deadlines_ns": sorted(deadline for _, deadlines in judged for deadline in deadlines),
        })
    print(json.dumps({"points": points}))


main()
