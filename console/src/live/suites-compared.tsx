// Two suites side by side: how many times as fast the second was, in all and in each workload. What came of them is
// the server's; nothing is computed here.

import type { ComponentChildren } from "preact";
import { api } from "../data/api";
import type { SuiteComparison, SuitePage } from "../data/live";
import { fixed, mbPerS } from "../figures/units";
import { Missing } from "../parts/section";
import { Shell } from "../parts/shell";
import { type Column, Table } from "../parts/table";
import { hashOf } from "./routes";
import { useData } from "./use-data";
import { Waiting } from "./waiting";

interface Props {
  ids: string[];
  bar: ComponentChildren;
}

export function SuitesCompared({ ids, bar }: Props) {
  const { data, error } = useData((stop) => api.compareSuites(ids, stop), ids.join("\n"));
  if (data === null) return <Waiting title="Comparison" what="the suites" error={error} back={bar} />;
  return (
    <Shell title={`${data.before.id} · ${data.after.id}`} kind="Comparison" sections={[]} back={bar}>
      <h1>Two suites</h1>
      <p class="headline" dir="auto">
        {data.sentence}
      </p>
      <Said suite={data.before} which="First" />
      <Said suite={data.after} which="Second" />
      {data.missing.length > 0 && (
        <p class="bad">Only the first has {data.missing.join(", ")}; that counts in no mean of both.</p>
      )}
      {data.rows.length === 0 ? (
        <Missing>No workload of the second suite has ended.</Missing>
      ) : (
        <Table caption="Workloads of both suites" columns={COLUMNS} rows={data.rows} most={100} />
      )}
    </Shell>
  );
}

/** What came of one of them, with the way to it. */
function Said({ suite, which }: { suite: SuitePage; which: string }) {
  return (
    <p>
      {which}:{" "}
      <a href={hashOf({ page: "run", id: suite.id, against: "" })}>
        <bdi>{suite.id}</bdi>
      </a>
      . {suite.sentence}
      {!suite.complete && <span class="bad"> Ended early: {suite.ended_early ?? "not known why"}.</span>}
    </p>
  );
}

type Row = SuiteComparison["rows"][number];

const COLUMNS: Column<Row>[] = [
  { title: "workload", head: true, cell: (row) => row.workload, sort: (row) => row.workload },
  { title: "first, MB/s", number: true, cell: (row) => shown(row.before_bytes_per_s, mbPerS), sort: (row) => row.before_bytes_per_s },
  { title: "second, MB/s", number: true, cell: (row) => shown(row.after_bytes_per_s, mbPerS), sort: (row) => row.after_bytes_per_s },
  { title: "times the first", number: true, cell: (row) => shown(row.ratio, (ratio) => fixed(ratio, 2)), sort: (row) => row.ratio },
];

/** A dash for what was not measured. */
function shown(value: number | null, words: (value: number) => string): string {
  return value === null ? "–" : words(value);
}
