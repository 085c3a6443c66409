// A proof: its result, and the runs with and without the change in the order of measurement.

import { useState } from "preact/hooks";
import { api } from "../data/api";
import type { ProofPassRow, RunEntry } from "../data/live";
import { Name } from "../parts/name";
import { Missing } from "../parts/section";
import { Shell } from "../parts/shell";
import { type Column, Table } from "../parts/table";
import { ConsoleBar } from "./bar";
import { hashOf } from "./routes";
import { StateWord, startedAt } from "./run-words";
import { Delete } from "./runs";
import { useData, useEvery } from "./use-data";

const LOOK_MS = 3_000;

/** A pass with its run's entry in the list. */
type Pass = ProofPassRow & { entry: RunEntry | null };

interface Props {
  entry: RunEntry;
  runs: readonly RunEntry[];
  /** Requests the list of runs again. */
  again: () => void;
}

export function ProofView({ entry, runs, again }: Props) {
  const [deletes, setDeletes] = useState(false);
  const isRunning = entry.state === "running";
  useEvery(LOOK_MS, () => isRunning && again());
  const proof = useData((stop) => api.proof(entry.id, stop), `${entry.id} ${runs.length} ${entry.state}`);
  const rows = (proof.data?.passes ?? []).map((pass) => ({ ...pass, entry: runs.find((run) => run.id === pass.run) ?? null }));
  const bar = (
    <ConsoleBar here="run">
      {!isRunning && (
        <button type="button" class="small" onClick={() => setDeletes(true)}>
          Delete
        </button>
      )}
    </ConsoleBar>
  );
  return (
    <Shell title={entry.id} kind="Proof" sections={[]} back={bar}>
      <h1>Proof</h1>
      <p class="intro">
        On <Name text={entry.target} length={100} />, {startedAt(entry.started_at)}. <StateWord run={entry} />
      </p>
      {proof.data === null && <Missing>{proof.error ?? "Loading the proof …"}</Missing>}
      {proof.data !== null && <pre class="plan">{proof.data.text}</pre>}
      <Table caption="Passes" columns={COLUMNS} rows={rows} most={200} />
      {deletes && <Delete run={entry} close={() => setDeletes(false)} done={() => (window.location.hash = hashOf({ page: "runs" }))} />}
    </Shell>
  );
}

const COLUMNS: Column<Pass>[] = [
  { title: "pass", head: true, number: true, cell: (_, index) => String(index + 1) },
  { title: "state", cell: (pass) => pass.state },
  { title: "counts", cell: (pass) => (pass.counts ? "yes" : "no, repeated") },
  {
    title: "run",
    cell: (pass) => <a href={hashOf({ page: "run", id: pass.run, against: "" })}>{pass.run.split("/").pop()}</a>,
  },
  { title: "answer", cell: (pass) => pass.entry?.sentence ?? "" },
];
