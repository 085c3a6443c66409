// A suite: the throughput of each of its workloads, each with its run. Also shown while it is in progress.

import { useMemo, useState } from "preact/hooks";
import { api } from "../data/api";
import { tickTime } from "../charts/axes";
import type { RunEntry, SuitePage, SuiteRow } from "../data/live";
import { count, counted, mbPerS } from "../figures/units";
import { Name } from "../parts/name";
import { Missing } from "../parts/section";
import { Shell } from "../parts/shell";
import { passBars } from "../suites/bar-choice";
import { SuiteBars } from "../suites/suite-bars";
import { type Column, Table } from "../parts/table";
import { ConsoleBar } from "./bar";
import { Confirm, RESULTS_ARE_KEPT } from "./confirm";
import { hashOf } from "./routes";
import { Again } from "./run-columns";
import { StateWord, startedAt } from "./run-words";
import { Delete } from "./runs";
import { useData, useEvery } from "./use-data";

const LOOK_MS = 3_000;

interface Props {
  entry: RunEntry;
  runs: readonly RunEntry[];
  /** The suite that this one repeats; empty for none. */
  against: string;
  /** Requests the list of runs again. */
  again: () => void;
}

export function SuiteView({ entry, runs, against, again }: Props) {
  const suite = useData((stop) => api.suite(entry.id, stop), entry.id);
  const [deletes, setDeletes] = useState(false);
  const [asks, setAsks] = useState(false);
  const [stopped, setStopped] = useState(false);
  useEvery(LOOK_MS, () => {
    if (entry.state !== "running") return;
    again();
    suite.again();
  });
  const running = runs.find((run) => run.suite === entry.id && run.state === "running");
  const bar = (
    <ConsoleBar here="run">
      <Again run={entry} />
      {entry.state !== "running" && against !== "" && against !== entry.id && (
        <a class="button small" href={hashOf({ page: "compare", ids: [against, entry.id] })}>
          Compare with the earlier suite
        </a>
      )}
      {entry.state !== "running" && entry.suite === null && (
        <button type="button" class="small" onClick={() => setDeletes(true)}>
          Delete
        </button>
      )}
    </ConsoleBar>
  );
  const page = suite.data;
  const goesOn = entry.state === "running";
  // A suite is one process, so stopping its current run stops the suite.
  const stop = async () => {
    if (running === undefined) throw new Error("No run of the suite is active right now. Try again in a few seconds.");
    await api.stop(running.id);
    setStopped(true);
  };
  return (
    <Shell title={entry.label === "" ? entry.id : entry.label} kind="Suite" sections={[]} back={bar}>
      <div class="running-head">
        <h1>
          Suite <Name text={entry.label} empty="" />
        </h1>
        {goesOn && (
          <button type="button" class="danger" disabled={stopped} onClick={() => setAsks(true)}>
            {stopped ? "Stopping …" : "Stop"}
          </button>
        )}
      </div>
      <p class="intro">
        On <Name text={entry.target} length={100} />, {startedAt(entry.started_at)}
        {page !== null && `, ${page.passes === 1 ? "one pass" : `${page.passes} passes`} of each workload`}.{" "}
        <StateWord run={entry} />
      </p>
      {page !== null && entry.state !== "running" && <p class={page.complete ? "headline" : "bad"}>{page.complete ? page.sentence : `Ended early: ${page.ended_early ?? "reason unknown"}`}</p>}
      {goesOn && page !== null && <Progress page={page} startedAt={entry.started_at} running={running} />}
      {page === null && <Missing>{suite.error ?? "Loading the suite …"}</Missing>}
      {page !== null && <Bars rows={page.rows} />}
      {page !== null && <Table caption="Workloads" columns={columnsOf(page.rows)} rows={page.rows} most={100} />}
      {asks && (
        <Confirm title="Stop this suite?" yes="Stop" act={stop} close={() => setAsks(false)}>
          <p>The suite stops within seconds. {RESULTS_ARE_KEPT}</p>
        </Confirm>
      )}
      {deletes && <Delete run={entry} close={() => setDeletes(false)} done={() => (window.location.hash = hashOf({ page: "runs" }))} />}
    </Shell>
  );
}

/** Each pass of the workloads that have ended. */
function Bars({ rows }: { rows: readonly SuiteRow[] }) {
  const ended = useMemo(() => rows.filter((row) => row.passes_bytes_per_s.length > 0), [JSON.stringify(rows)]);
  const workloads = useMemo(() => ended.map((row) => row.workload), [ended]);
  const series = useMemo(() => passBars(ended.map((row) => row.passes_bytes_per_s)), [ended]);
  if (ended.length === 0) return null;
  return (
    <>
      <h2 class="sr-only">Workloads</h2>
      <SuiteBars workloads={workloads} series={series} title="Each pass" paper="Figure 9" />
    </>
  );
}

interface ProgressProps {
  page: SuitePage;
  startedAt: string;
  running: RunEntry | undefined;
}

/** The number of finished workloads, the start of the suite, and the current workload. */
function Progress({ page, startedAt, running }: ProgressProps) {
  const [now, setNow] = useState(Date.now());
  useEvery(1_000, () => setNow(Date.now()));
  const [done, all] = [page.rows.filter((row) => row.run !== null).length, page.rows.length];
  const began = Date.parse(startedAt);
  return (
    <div class="card progress">
      <p>
        <strong>
          {count(done)} of {counted(all, "workload")}
        </strong>
        {running !== undefined && (
          <>
            , now <a href={hashOf({ page: "run", id: running.id, against: "" })}>{running.label}</a>
          </>
        )}
        {!Number.isNaN(began) && <span class="faint progress-time">{tickTime(Math.max(0, Math.floor((now - began) / 1_000)))}</span>}
      </p>
      <progress aria-label="Progress of the suite" value={done} max={Math.max(all, 1)} />
    </div>
  );
}

function columnsOf(rows: readonly SuiteRow[]): Column<SuiteRow>[] {
  const most = Math.max(0, ...rows.map((row) => row.median_bytes_per_s ?? 0));
  return [
    {
      title: "workload",
      head: true,
      cell: (row) =>
        row.run === null ? row.workload : <a href={hashOf({ page: "run", id: row.run, against: "" })}>{row.workload}</a>,
      sort: (row) => row.workload,
    },
    { title: "median, MB/s", number: true, cell: (row) => mb(row.median_bytes_per_s), sort: (row) => row.median_bytes_per_s },
    { title: "from 0", cell: (row) => <Bar value={row.median_bytes_per_s} most={most} /> },
    { title: "doubts", cell: (row) => row.doubts, sort: (row) => row.doubts },
    { title: "passes, MB/s", cell: (row) => row.passes_bytes_per_s.map(mb).join(", ") },
  ];
}

/** A bar that starts at 0, on a linear scale. */
function Bar({ value, most }: { value: number | null; most: number }) {
  if (value === null || !(most > 0)) return null;
  return (
    <span class="bar" aria-hidden="true">
      <i style={{ width: `${((100 * value) / most).toFixed(1)}%` }} />
    </span>
  );
}

/** A dash if nothing was measured. */
function mb(bytes_per_s: number | null): string {
  return bytes_per_s === null ? "–" : mbPerS(bytes_per_s);
}
