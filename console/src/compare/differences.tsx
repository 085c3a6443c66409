// The table of differences: every figure of every run, the change against the first, and how far it may be noise.

import { useMemo, useState } from "preact/hooks";
import type { Comparison, ComparisonRow } from "../data/page";
import { Name } from "../parts/name";
import { Section } from "../parts/section";
import { Table } from "../parts/table";
import type { Column } from "../parts/table";
import { byWeight, changeOf, matters, noise, told } from "./judged";

export function Differences({ comparison }: { comparison: Comparison }) {
  const [all, setAll] = useState(false);
  const mattering = useMemo(() => comparison.rows.filter(matters).sort(byWeight), [comparison]);
  const rows = all ? comparison.rows : mattering;
  const columns = useMemo(() => columnsOf(comparison), [comparison]);
  return (
    <Section
      id="differences"
      title="Differences"
      about="A change counts only where it is larger than the noise, which is estimated from the runs themselves. Where the noise is not known, nothing is claimed."
    >
      <p class="pick">
        <label>
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} /> Show all{" "}
          {comparison.rows.length} figures, not only the {mattering.length} that differ
        </label>
      </p>
      <Table
        caption={all ? "Every figure" : "Figures that differ by more than the noise"}
        columns={columns}
        rows={rows}
        most={60}
        empty="No figure differs by more than the noise."
      />
    </Section>
  );
}

function columnsOf({ runs }: Comparison): Column<ComparisonRow>[] {
  const columns: Column<ComparisonRow>[] = [
    { title: "figure", head: true, cell: (row) => <Name text={row.label} />, sort: (row) => row.label },
    { title: "load point", cell: (row) => <Name text={row.group} empty="whole run" />, sort: (row) => row.group },
  ];
  runs.forEach((_, at) => {
    columns.push({
      title: `run ${at + 1}`,
      number: true,
      cell: (row) => row.texts[at] ?? "–",
      sort: (row) => row.values[at] ?? null,
    });
    if (at === 0) return;
    columns.push({
      title: runs.length === 2 ? "change" : `change of ${at + 1}`,
      number: true,
      cell: (row) => <Change row={row} at={at} />,
      sort: (row) => row.change_percent[at] ?? null,
    });
  });
  return columns;
}

function Change({ row, at }: { row: ComparisonRow; at: number }) {
  const { word, sign, tone } = told(row.judgement[at]);
  return (
    <span class="change">
      {changeOf(row, at)}{" "}
      <span class={tone === "plain" ? "faint" : tone}>
        <span aria-hidden="true">{sign}</span> {word}
      </span>
      <br />
      <small class="faint">noise {noise(row.noise_percent[at])}</small>
    </span>
  );
}
