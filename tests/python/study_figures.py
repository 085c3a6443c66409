"""Computes every figure of a procedure's runs from their operation logs alone, compares it with the page and the CSV
files that the program made, and prints what was compared and what differs as JSON.

Usage: study_figures.py PROCEDURE PAGE CSV

PROCEDURE is the procedure's directory, PAGE the HTML file that `report --html` made, CSV the folder of `report --csv`.
The charts of the page draw the numbers of the data in it: rates and response times of each load point, of each host
and of each second, and the cells of the paper's tables, of all clients, of each client and of all clients of a host.

Independent of the program: it knows the columns of the log, the places of the machines in it (`ops/_agents.json`), when
load points ran (`load-points.json`), and the definitions of the figures.
"""

import csv
import json
import math
import pathlib
import re
import sys

import duckdb

from paper_tables import OPENS, RANDOM, ROWS, WARMUP, WRITING, Cell, book

PAPER = ["data_ops", "bytes", "transfers", "transfer_rate_while_transferring_mb_per_s", "short_block_share"]
PAPER += ["average_latency_ms", "average_gap_ms", "maximum_latency_s"]
# Threads end so soon after their last answer, on a machine that is busy otherwise.
ENDS_WITHIN_S = 1
COLUMNS = 'point, agent, worker, transfer, kind, "offset", len, done_len, issued_ns, done_ns, errno, due_ns, flags'


class Compared:
    """Counts what is the same, and keeps what is not."""

    def __init__(self):
        self.counts, self.differs, self.longest_end_s = {}, [], 0

    def number(self, what, where, stated, found, tolerance=1e-9):
        """The program rounds to six digits behind the point, and rates and mean times to three."""
        self.counts[what] = self.counts.get(what, 0) + 1
        if stated is None or found is None:
            same = stated is None and found is None
        else:
            is_rounded = "_per_s" in where or " mean " in where
            same = math.isclose(float(stated), found, rel_tol=tolerance, abs_tol=6e-4 if is_rounded else 2e-6)
        if not same:
            self.differs.append(f"{what}: {where} is {stated}, in the log {found}")


def operations(run):
    """Every operation with its worker's number and its times in the whole run."""
    places = json.loads((run / "ops/_agents.json").read_text())["agents"]
    places = {place["folder"].removeprefix("agent="): place for place in places}
    query = f"SELECT {COLUMNS} FROM read_parquet($files, hive_partitioning = true)"
    for row in duckdb.execute(query, {"files": f"{run}/ops/**/*.parquet"}).fetchall():
        point, agent, worker, transfer, kind, offset, length, done_len, issued, done, errno, due, flags = row
        place = places[agent]
        shift = place["shift_ns"]
        yield {
            "point": point,
            "agent": place["agent"],
            "worker": worker + place["first_worker"],
            "transfer": transfer,
            "paper": [kind, offset, length, done_len, issued, done, errno, due, flags],
            "kind": kind,
            "bytes": done_len if kind in ("read", "write") and errno == 0 else 0,
            "counts": not flags & WARMUP,
            "is_data": kind in ("read", "write") and errno == 0 and done_len == length,
            "response_ns": done - due,
            "done_ns": done + shift,
        }


def paper_cells(ops):
    """The cells of all clients, of each client and of each host, by point, client or host, type of access and size."""
    transfers, cells = {}, {}
    for op in ops:
        transfers.setdefault((op["point"], op["worker"], op["agent"], op["transfer"]), []).append(op["paper"])
    for (point, worker, agent, _), rows in transfers.items():
        rows.sort(key=lambda row: (row[4], row[5]))
        drawn = [offset for kind, offset, *_ in rows if kind in OPENS]
        if not drawn:
            continue
        mode = ROWS[2 * bool(rows[0][-1] & WRITING) + bool(rows[0][-1] & RANDOM)]
        keys = [(who, of, size) for who in ("all", worker, agent) for of in (mode, "all") for size in (drawn[0], None)]
        book(rows, [cells.setdefault((point, *key), Cell()) for key in keys], False)
    return {key: cell.figures() for key, cell in cells.items() if cell.ops or cell.latencies_ns}


def rates(ops, seconds):
    """Bytes a second of reads, writes and both."""
    sums = {kind: sum(op["bytes"] for op in ops if op["kind"] == kind) for kind in ("read", "write")}
    sums = {"read_bytes_per_s": sums["read"], "written_bytes_per_s": sums["write"], "bytes_per_s": sum(sums.values())}
    return {name: value / seconds for name, value in sums.items()}


def figures(compared, what, where, stated, ops, seconds):
    """Rates and response times of some operations."""
    ops = [op for op in ops if op["counts"]]
    compared.number(what, f"{where} ops", stated["ops"], len(ops))
    for name, found in rates(ops, seconds).items():
        compared.number(what, f"{where} {name}", stated[name], found)
    for side, kinds in (("read", ["read"]), ("write", ["write"]), ("data", ["read", "write"])):
        times = [op["response_ns"] for op in ops if op["is_data"] and op["kind"] in kinds]
        # A host has those of reads and writes together.
        response = stated["response"] or {}
        if "count" in response and side != "data":
            continue
        of_side = response if "count" in response else response.get(side) or {}
        mean = sum(times) / len(times) / 1e3 if times else None
        compared.number(what, f"{where} mean {side}", of_side.get("mean_us"), mean)
        compared.number(what, f"{where} max {side}", of_side.get("max_us"), max(times) / 1e3 if times else None)


def measured_time(compared, where, seconds, ops, from_ns):
    """From the end of the warm-up until every thread has ended, which the log does not have: at the last answer or later."""
    answered = max(op["done_ns"] for op in ops if op["counts"])
    late = seconds - (answered - from_ns) / 1e9
    compared.number("measured time", f"{where} is late by {late} s", 0, 0 if -1e-6 <= late < ENDS_WITHIN_S else late)
    compared.longest_end_s = max(compared.longest_end_s, late)


def cells(compared, what, where, stated, found, who):
    """Every cell of a table, and that none is missing."""
    stated = [cell for cell in stated if cell["data_ops"] or cell["transfers"]]
    own = {key[2:]: cell for key, cell in found.items() if key[:2] == who}
    compared.number(what, f"{where} cells", len(stated), len(own))
    for cell in stated:
        in_log = own.get((cell["mode"], cell["block_bytes"]), {})
        for name in PAPER:
            place = f"{where} {cell['mode']} {cell['block_bytes']} {name}".replace("mb_per_s", "mb_s")
            compared.number(what, place, cell[name], in_log.get(name))


def combined(tables):
    """The cells of several clients as one, as the page's lines of hosts have them."""
    together = {}
    for cell in (cell for table in tables for cell in table["cells"]):
        together.setdefault((cell["mode"], cell["block_bytes"]), []).append(cell)
    rate = "transfer_rate_while_transferring_mb_per_s"
    for (mode, size), own in together.items():
        seconds = sum(cell["bytes"] / cell[rate] for cell in own if cell[rate])
        transfers = sum(cell["transfers"] for cell in own)
        latency = sum((cell["average_latency_ms"] or 0) * cell["transfers"] for cell in own)
        longest = [cell["maximum_latency_s"] for cell in own if cell["maximum_latency_s"] is not None]
        yield mode, size, {
            rate: sum(cell["bytes"] for cell in own if cell[rate]) / seconds if seconds else None,
            "average_latency_ms": latency / transfers if transfers else None,
            "maximum_latency_s": max(longest) if longest else None,
        }


def host_lines(compared, where, point, hosts, found):
    """The lines of hosts (Figure 55)."""
    for host in hosts:
        first, count = host["first_worker"], host["workers"]
        own = [worker["paper"] for worker in point["per_worker"] if first <= worker["worker"] < first + count]
        for mode, size, line in combined(own):
            in_log = found.get((point["index"], host["agent"], mode, size), {})
            for name, value in line.items():
                place = f"{where} {host['agent']} {mode} {size} {name}".replace("mb_per_s", "mb_s")
                compared.number("host lines", place, value, in_log.get(name), 1e-6)


def seconds_of_run(compared, where, series, ops):
    """Every second of the run."""
    assert series["step_s"] == 1
    steps = {}
    for op in (op for op in ops if op["counts"]):
        step = steps.setdefault(op["done_ns"] // 10**9, {"read": 0, "write": 0})
        if op["bytes"]:
            step[op["kind"]] += op["bytes"]
    for step in series["steps"]:
        own = steps.pop(step["began_s"], {"read": 0, "write": 0})
        compared.number("seconds", f"{where} {step['began_s']} s read", step["read_bytes"], own["read"])
        compared.number("seconds", f"{where} {step['began_s']} s written", step["written_bytes"], own["write"])
    compared.number("seconds", f"{where} left", 0, len(steps))


def csv_cells(compared, where, path, found):
    """Every row of the paper's tables as CSV."""
    rows = 0
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if not (int(row["data_ops"]) or int(row["transfers"])):
                continue
            rows += 1
            who = int(row["worker"]) if row["worker"] else "all"
            size = int(row["block_bytes"]) if row["block_bytes"] not in ("", "all") else None
            in_log = found.get((int(row["point"]), who, row["mode"].lower(), size), {})
            for name in (name for name in PAPER if name in row):
                value = float(row[name]) if row[name] else None
                place = f"{where} {row['point']} {who} {row['mode']} {size} {name}".replace("mb_per_s", "mb_s")
                compared.number("csv", place, value, in_log.get(name))
    own = [key for key in found if key[1] == "all" or isinstance(key[1], int)]
    compared.number("csv", f"{where} rows", rows, len(own))


def main(procedure, page, tables):
    data = re.search(r'<script type="application/json" id="reelgauge-data">(.*?)</script>', page.read_text(), re.S)
    compared = Compared()
    runs = json.loads(data.group(1))["runs"]
    for run in runs:
        summary, directory = run["summary"], procedure / run["id"]
        ops = list(operations(directory))
        found = paper_cells(ops)
        planned = json.loads((directory / "load-points.json").read_text())
        for point in summary["load_points"]:
            index, where = point["index"], f"{run['id']} {point['label']}"
            own = [op for op in ops if op["point"] == index]
            timing = next(one for one in planned if one["index"] == index)
            seconds = point["measured_ns"] / 1e9
            measured_time(compared, where, seconds, own, timing["warmup_until_ns"])
            figures(compared, "load points", where, point["total"], own, seconds)
            cells(compared, "paper", where, point["paper"]["cells"], found, (index, "all"))
            for worker in point["per_worker"]:
                number = worker["worker"]
                of_worker = [op for op in own if op["worker"] == number]
                figures(compared, "clients", f"{where} client {number}", worker, of_worker, seconds)
                cells(compared, "client lines", f"{where} client {number}", worker["paper"]["cells"], found, (index, number))
            for named, host in zip(summary["hosts"]["hosts"], summary["hosts"]["points"][index]["hosts"], strict=True):
                agent = named["agent"]
                of_host = [op for op in own if op["agent"] == agent]
                of_its_own = host["figures"]["measured_s"]
                if of_host:
                    figures(compared, "hosts", f"{where} {agent}", host["figures"], of_host, of_its_own)
            host_lines(compared, where, point, summary["hosts"]["hosts"], found)
        seconds_of_run(compared, run["id"], summary["series"], ops)
        csv_cells(compared, run["id"], tables / run["id"] / "paper-tables.csv", found)
    told = {"runs": len(runs), "compared": compared.counts, "differs": compared.differs}
    print(json.dumps(told | {"longest_end_s": compared.longest_end_s}))


main(*map(pathlib.Path, sys.argv[1:]))
