// The traces on the console's host: those that are shipped, and its own.

import { api } from "../data/api";
import type { TraceEntry } from "../data/live";
import { Name } from "../parts/name";
import { Missing } from "../parts/section";
import { Shell } from "../parts/shell";
import { type Column, Table } from "../parts/table";
import { ConsoleBar } from "./bar";
import { hashOf } from "./routes";
import { useData } from "./use-data";

const COLUMNS: Column<TraceEntry>[] = [
  {
    title: "trace",
    head: true,
    cell: (trace) => (
      <a href={hashOf({ page: "trace", name: trace.name })}>
        <bdi>{trace.name}</bdi>
      </a>
    ),
    sort: (trace) => trace.name,
  },
  { title: "contents", cell: (trace) => <Name text={trace.about} length={200} /> },
];

export function TracesPage() {
  const { data, error } = useData(api.traces, "traces");
  return (
      <Shell title="Traces" kind="Console" sections={[]} back={<ConsoleBar here="traces" />}>
        <h1>Traces</h1>
        <p class="intro">A trace holds the I/O of an application. View it here, or replay it on a target.</p>
        {error !== null && <p class="bad" role="alert">{error}</p>}
        {data === null && error === null && <Missing>Loading …</Missing>}
        {data !== null && (
        <div class="traces-table">
          <Table caption="Traces" quiet columns={COLUMNS} rows={data} most={200} empty="No traces." />
        </div>
      )}
      </Shell>
  );
}
