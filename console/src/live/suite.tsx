// A suite: what each of its workloads moved, each with its run; also while it goes on.

import { useState } from "preact/hooks";
import { api } from "../data/api";
import type { RunEntry, SuiteRow } from "../data/live";
import { mbPerS } from "../figures/units";
import { Name } from "../parts/name";
import { Missing } from "../parts/section";
import { Shell } from "../parts/shell";
import { type Column, Table } from "../parts/table";
import { ConsoleBar } from "./bar";
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
  /** Asks for the runs again. */
  again: () => void;
}

export function SuiteView({ entry, runs, against, again }: Props) {
  const suite = useData((stop) => api.suite(entry.id, stop), entry.id);
  const [deletes, setDeletes] = useState(false);
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
          Compare with the suite before
        </a>
      )}
      {entry.state !== "running" && (
        <button type="button" class="small" onClick={() => setDeletes(true)}>
          Delete
        </button>
      )}
    </ConsoleBar>
  );
  const page = suite.data;
  return (
    <Shell title={entry.label === "" ? entry.id : entry.label} kind="Suite" sections={[]} back={bar}>
      <h1>
        Suite <Name text={entry.label} empty="" />
      </h1>
      <p class="intro">
        On <Name text={entry.target} length={100} />, {startedAt(entry.started_at)}
        {page !== null && `, ${page.passes === 1 ? "one pass" : `${page.passes} passes`} of each workload`}.{" "}
        <StateWord run={entry} />
      </p>
      {page !== null && entry.state !== "running" && <p class={page.complete ? "headline" : "bad"}>{page.complete ? page.sentence : `Ended early: ${page.ended_early ?? "not known why"}`}</p>}
      {running !== undefined && (
        <p>
          Now: <a href={hashOf({ page: "run", id: running.id, against: "" })}>{running.label}</a>
        </p>
      )}
      {page === null && <Missing>{suite.error ?? "Reading the suite …"}</Missing>}
      {page !== null && <Table caption="Workloads" columns={COLUMNS} rows={page.rows} most={100} />}
      {deletes && <Delete run={entry} close={() => setDeletes(false)} done={() => (window.location.hash = hashOf({ page: "runs" }))} />}
    </Shell>
  );
}

const COLUMNS: Column<SuiteRow>[] = [
  {
    title: "workload",
    head: true,
    cell: (row) =>
      row.run === null ? row.workload : <a href={hashOf({ page: "run", id: row.run, against: "" })}>{row.workload}</a>,
    sort: (row) => row.workload,
  },
  { title: "median, MB/s", number: true, cell: (row) => mb(row.median_bytes_per_s), sort: (row) => row.median_bytes_per_s },
  { title: "passes, MB/s", cell: (row) => row.passes_bytes_per_s.map(mb).join(", ") },
];

/** A dash for what was not measured. */
function mb(bytes_per_s: number | null): string {
  return bytes_per_s === null ? "–" : mbPerS(bytes_per_s);
}
