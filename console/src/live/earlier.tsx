// "Same as last month?": the list of earlier runs to repeat.

import { api } from "../data/api";
import type { RunEntry } from "../data/live";
import { Name } from "../parts/name";
import { Missing } from "../parts/section";
import { type Column, Table } from "../parts/table";
import { againOf } from "./again";
import { hashOf } from "./routes";
import { StateWord, startedAt } from "./run-words";
import { useData } from "./use-data";

export function EarlierRuns() {
  const runs = useData(api.runs, "runs");
  const those = (runs.data ?? []).filter((run) => run.suite === null && againOf(run) !== null);
  return (
    <>
      <p class="intro">Choose a run to repeat. Afterwards, Reelgauge compares both runs.</p>
      {runs.error !== null && <p class="bad" role="alert">{runs.error}</p>}
      {runs.data === null && runs.error === null && <Missing>Loading …</Missing>}
      {runs.data !== null && (
        <div class="runs-table earlier">
          <Table caption="Earlier runs" quiet columns={COLUMNS} rows={those} most={50} empty="No run has finished yet." />
        </div>
      )}
    </>
  );
}

const COLUMNS: Column<RunEntry>[] = [
  {
    title: "again",
    cell: (run) => {
      const route = againOf(run);
      if (route === null) return null;
      return (
        <a class="button" href={hashOf(route)} aria-label={`Run again: ${run.id.slice(0, 100)}`}>
          Run again
        </a>
      );
    },
  },
  { title: "run", head: true, cell: (run) => <Name text={run.label === "" ? run.verb : run.label} length={60} />, sort: (run) => run.label },
  { title: "started", cell: (run) => <span class="nowrap">{startedAt(run.started_at)}</span>, sort: (run) => run.started_at },
  { title: "state", cell: (run) => <StateWord run={run} /> },
  { title: "answer", cell: (run) => <Name text={run.sentence} length={140} empty="" /> },
  { title: "storage", cell: (run) => <Name text={run.target} length={40} /> },
];
