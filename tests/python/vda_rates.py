"""What the cameras and companions of a VDA-like run did, from its operation log and its streams.json alone.

Cameras are the workers that only write. A transfer is what the benchmark calls an operation; its last
operation carries a flag. Counted are transfers that were due in the measured part of their load point.

Usage: vda_rates.py RUN
"""

import collections
import json
import pathlib
import sys

import duckdb

RANDOM, LAST = 2, 8
# "offset" is a word of SQL as well.
NAMES = ["worker", "kind", "transfer", "flags", "file", '"offset"', "len", "done_len", "errno", "due_ns", "issued_ns"]


def transfers_of(ops):
    """The operations of a worker, grouped: a list of lists, in order."""
    groups = collections.OrderedDict()
    for op in sorted(ops, key=lambda op: op["issued_ns"]):
        groups.setdefault(op["transfer"], []).append(op)
    return list(groups.values())


def finished_in(part, transfers):
    """Those that were due in the measured part and came to their end without an error."""
    due = lambda transfer: min(op["due_ns"] for op in transfer)
    return [
        transfer
        for transfer in transfers
        if part["from_ns"] <= due(transfer) < part["until_ns"]
        and any(op["flags"] & LAST for op in transfer)
        and all(op["errno"] == 0 for op in transfer)
    ]


def kind_of(transfer):
    """What the benchmark calls it. Opening belongs to what follows; a create may have had to make room first."""
    kinds = [op["kind"] for op in transfer if op["kind"] not in ("open", "close")]
    if kinds == ["read"]:
        is_random = any(op["flags"] & RANDOM for op in transfer)
        return "rand read" if is_random else "read"
    if kinds[-1:] in (["create"], ["unlink"]):
        return kinds[-1]
    return {("read", "write"): "rmw", ("write", "sync"): "committed write"}.get(tuple(kinds), "+".join(kinds))


def jumps(transfers, kind):
    """How many transfers of a sequential kind begin neither where the last one in their file ended nor at 0."""
    ends, found = {}, 0
    for transfer in transfers:
        if kind_of(transfer) in kind:
            op = next(op for op in transfer if op["kind"] in ("read", "write"))
            found += op["offset"] not in (0, ends.get(op["file"], 0))
            ends[op["file"]] = op["offset"] + op["len"]
    return found


def component(workers, part):
    """The figures of one of the two components."""
    seconds = (part["until_ns"] - part["from_ns"]) / 1e9
    kinds, read_sizes, write_sizes = collections.Counter(), collections.Counter(), collections.Counter()
    rates, written = [], 0
    for transfers in workers:
        done = finished_in(part, transfers)
        rates.append(len(done) / seconds)
        for transfer in done:
            kind = kind_of(transfer)
            kinds[kind] += 1
            read_sizes.update(op["len"] for op in transfer if op["kind"] == "read")
            write_sizes.update(op["len"] for op in transfer if op["kind"] == "write" and kind != "rmw")
            written += sum(op["done_len"] for op in transfer if op["kind"] == "write")
    ops = [op for transfers in workers for transfer in transfers for op in transfer]
    return {
        "workers": len(workers),
        "ops_per_s_min": min(rates, default=0),
        "ops_per_s_max": max(rates, default=0),
        "kinds": kinds,
        "read_sizes": read_sizes,
        "write_sizes": write_sizes,
        "written_kib_per_s_each": written / 1024 / seconds / max(1, len(workers)),
        "short_ops": sum(op["kind"] in ("read", "write") and op["done_len"] < op["len"] for op in ops),
        "jumps": sum(jumps(transfers, ("read", "write", "committed write")) for transfers in workers),
    }


def main():
    run = pathlib.Path(sys.argv[1])
    points = []
    for part in json.loads((run / "streams.json").read_text())["points"]:
        rows = duckdb.execute(
            f"SELECT {', '.join(NAMES)} FROM read_parquet($files) WHERE point = $point",
            {"files": f"{run}/ops/**/*.parquet", "point": part["point"]},
        ).fetchall()
        workers = collections.defaultdict(list)
        for row in rows:
            workers[row[0]].append(dict(zip((name.strip('"') for name in NAMES), row)))
        cameras, companions = [], []
        for ops in workers.values():
            only_writes = not {op["kind"] for op in ops} - {"open", "write", "sync", "close"}
            (cameras if only_writes else companions).append(transfers_of(ops))
        figures = {"camera": component(cameras, part), "companion": component(companions, part)}
        points.append({"point": part["point"]} | figures)
    print(json.dumps({"points": points}))


main()
