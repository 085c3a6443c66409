// A proof: what came of it, and the runs with and without the change, in the order in which they were measured.

import { useState } from "preact/hooks";
import type { RunEntry } from "../data/live";
import { Name } from "../parts/name";
import { Shell } from "../parts/shell";
import { type Column, Table } from "../parts/table";
import { ConsoleBar } from "./bar";
import { hashOf } from "./routes";
import { StateWord, startedAt } from "./run-words";
import { Delete } from "./runs";
import { useEvery } from "./use-data";

const LOOK_MS = 3_000;

interface Props {
  entry: RunEntry;
  runs: readonly RunEntry[];
  /** Asks for the runs again. */
  again: () => void;
}

export function ProofView({ entry, runs, again }: Props) {
  const [deletes, setDeletes] = useState(false);
  const isRunning = entry.state === "running";
  useEvery(LOOK_MS, () => isRunning && again());
  const passes = runs.filter((run) => run.suite === entry.id).reverse();
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
      {!isRunning && entry.sentence !== "" && <p class={entry.state === "complete" ? "headline" : "bad"}>{entry.sentence}</p>}
      <p>
        Every figure with its spread: <code>reelgauge report {entry.id}</code>. The first run makes the test files and does
        not count.
      </p>
      <Table caption="Runs" columns={COLUMNS} rows={passes} most={100} />
      {deletes && <Delete run={entry} close={() => setDeletes(false)} done={() => (window.location.hash = hashOf({ page: "runs" }))} />}
    </Shell>
  );
}

const COLUMNS: Column<RunEntry>[] = [
  {
    title: "run",
    head: true,
    cell: (run) => <a href={hashOf({ page: "run", id: run.id, against: "" })}>{startedAt(run.started_at)}</a>,
  },
  { title: "answer", cell: (run) => run.sentence },
];
