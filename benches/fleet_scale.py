#!/usr/bin/env python3
"""How many agents one controller holds: a run with 10, 50, 100 and 200 agents on this machine, a nats-server and
the controller beside them.

Usage: fleet_scale.py REELGAUGE NATS_SERVER [AGENTS ...]

For each: the controller's and the server's processor time and largest memory, how long the agents took to appear, how
evenly the controller's line of figures came (it is to come every second), by how much starts differed, and whether
all that was measured arrived. Every agent makes little load, 25 accesses (75 logged operations) a second: what is
measured is the fleet.
Needs as many processes as there are agents, twice.
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

LOAD_S = 20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(what, limit_s, done):
    began = time.monotonic()
    while not done():
        if time.monotonic() - began > limit_s:
            sys.exit(f"{what}: not within {limit_s} s")
        time.sleep(0.1)
    return time.monotonic() - began


def usage(pid):
    """Processor seconds and the largest memory in MiB of a process that lives."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    return seconds, peak / 1024


def child_called(name, parent):
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = status.read_text()
        except OSError:
            continue
        comm, fields = text[text.index("(") + 1 :].rsplit(") ", 1)
        if comm == name and os.getpgid(int(status.parent.name)) == os.getpgid(parent):
            return int(status.parent.name)
    sys.exit(f"no {name} runs")


def lines_of(stream, into):
    for line in stream:
        into.append((time.monotonic(), line.decode(errors="replace")))


def plan_of(reelgauge, folder):
    """The plan of a short run, made longer."""
    target, out = folder / "target", folder / "one"
    target.mkdir()
    words = ["mix", target, "--out", out, "--buffered", "--workers", "1", "--files", "1", "--file-size", "4MiB"]
    words += ["--blocks", "64KiB", "--length", "64KiB", "--max-delay", "80ms", "--warmup", "0ms"]
    subprocess.run([reelgauge, *words, "--duration", "100ms", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    text = next(out.glob("*/run.toml")).read_text()
    assert '"100ms"' in text, text
    (folder / "mix.toml").write_text(text.replace('"100ms"', f'"{LOAD_S}s"'))
    plan = folder / "fleet.toml"
    plan.write_text(f'[[group]]\nname = "all"\nplan = "mix.toml"\ntargets = ["{folder}/nas/{{agent}}"]\n')
    return plan


def measure(reelgauge, nats_server, agents):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fleet-scale-"))
    log = open(folder / "agents.log", "wb")
    started = []

    def start(words, **more):
        process = subprocess.Popen([reelgauge, *words], stdin=subprocess.DEVNULL, start_new_session=True, **more)
        started.append(process)
        return process

    try:
        plan, site = plan_of(reelgauge, folder), folder / "fleet"
        port = free_port()
        words = ["fleet", "init", site, "--count", str(agents), "--listen", f"127.0.0.1:{port}"]
        subprocess.run([reelgauge, *words], check=True, stdout=subprocess.DEVNULL)
        up_said = []
        up = start(["fleet", "up", site, "--nats-server", nats_server], stdout=log, stderr=subprocess.PIPE)
        threading.Thread(target=lines_of, args=(up.stderr, up_said), daemon=True).start()
        wait_until("the server", 30, lambda: any("server is up" in line for _, line in up_said))
        server = child_called("nats-server", up.pid)
        began = time.monotonic()
        for number in range(1, agents + 1):
            name = f"agent-{number}"
            (folder / "nas" / name).mkdir(parents=True)
            words = ["agent", "--join", site / "join" / f"{name}.toml", "--root", folder / "nas" / name]
            start([*words, "--keep", folder / "kept" / name], stdout=log, stderr=log)

        def all_there():
            listed = subprocess.run([reelgauge, "fleet", "ls", "--fleet", site], capture_output=True, check=False)
            return listed.returncode == 0

        wait_until("the agents", 120, all_there)
        appeared_s = time.monotonic() - began
        said = []
        run = start(["fleet", "run", plan, "--fleet", site, "--json", "--out", folder / "runs"],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        threading.Thread(target=lines_of, args=(run.stderr, said), daemon=True).start()
        printed = []
        reader = threading.Thread(target=lambda: printed.append(run.stdout.read()))
        reader.start()
        largest, server_used = [0.0, 0.0], [0.0, 0.0]
        while run.poll() is None:
            try:
                seconds, peak = usage(run.pid)
                largest = [max(largest[0], seconds), max(largest[1], peak)]
                server_used = list(usage(server))
            except (FileNotFoundError, StopIteration):
                pass
            time.sleep(0.1)
        reader.join()
        if run.returncode != 0:
            sys.exit(f"{agents} agents: exit code {run.returncode}\n" + "".join(line for _, line in said)[-3000:])
        summary = json.loads(printed[0])
        point = summary["hosts"]["points"][0]
        moments = [at for at, line in said if ", p99 " in line]
        gaps = sorted(later - sooner for sooner, later in zip(moments, moments[1:]))
        total = summary["load_points"][0]["total"]
        rows = summary["log"]["rows"]
        assert rows == total["ops"] + total["warmup_ops"], (rows, total)
        assert len(point["hosts"]) == agents
        return {
            "agents": agents,
            "appeared_s": round(appeared_s, 1),
            "controller_cpu_s": round(largest[0], 2),
            "controller_peak_mib": round(largest[1], 1),
            "server_cpu_s": round(server_used[0], 2),
            "server_peak_mib": round(server_used[1], 1),
            "lines": len(moments),
            "longest_gap_s": round(gaps[-1], 2) if gaps else None,
            "start_skew_ms": round(point["start_skew_us"] / 1e3, 3),
            "operations": rows,
        }
    finally:
        for process in reversed(started):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        log.close()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    reelgauge, nats_server = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    counts = [int(word) for word in sys.argv[3:]] or [10, 50, 100, 200]
    print(f"{os.cpu_count()} processors; a load of {LOAD_S} s")
    for agents in counts:
        print(json.dumps(measure(reelgauge, nats_server, agents)), flush=True)


main()
