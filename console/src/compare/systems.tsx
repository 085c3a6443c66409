// The systems side by side: what each is, and what it carried. What nobody knows or measured is a dash.

import type { ComparedRun, Comparison, RunPage } from "../data/page";
import { count, ms } from "../figures/units";
import { Name } from "../parts/name";
import { Section } from "../parts/section";
import { type Column, Table } from "../parts/table";
import { RunKey, Sample, runName } from "./run-key";
import { type RunFigures, figuresOf } from "./run-figures";

interface Row {
  at: number;
  run: ComparedRun;
  figures: RunFigures;
}

export function Systems({ comparison, runs }: { comparison: Comparison; runs: RunPage[] }) {
  const rows = runs.flatMap((page, at): Row[] => {
    const run = comparison.runs[at];
    return run === undefined ? [] : [{ at, run, figures: figuresOf(page) }];
  });
  return (
    <Section id="systems" title="Systems">
      <Table caption="Systems" quiet columns={COLUMNS} rows={rows} />
      <h3>The runs</h3>
      <RunKey runs={comparison.runs} />
    </Section>
  );
}

const text = (title: string, of: (row: Row) => string | null): Column<Row> => ({
  title,
  cell: (row) => <Name text={of(row) ?? ""} length={40} empty="–" />,
});

const COLUMNS: Column<Row>[] = [
  {
    title: "run",
    head: true,
    cell: ({ at, run }) => (
      <>
        <Sample at={at} /> <Name text={runName(run, at)} length={40} />
      </>
    ),
  },
  text("make", ({ run }) => run.system.make),
  text("model", ({ run }) => run.system.model),
  text("firmware", ({ run }) => run.system.firmware),
  text("protocol", ({ run }) => run.system.protocol ?? run.system.fs_type),
  text("client", ({ run }) => run.system.client),
  { title: "streams", number: true, cell: ({ figures }) => streamsText(figures) },
  {
    title: "late frames",
    number: true,
    cell: ({ figures }) => (figures.late_frames === null ? "–" : count(figures.late_frames)),
  },
  {
    title: "worst margin, ms",
    number: true,
    cell: ({ figures }) => (figures.worst_margin_us === null ? "–" : ms(figures.worst_margin_us)),
  },
];

function streamsText({ streams, isAtLeast }: RunFigures): string {
  if (streams === null) return "–";
  return isAtLeast ? `at least ${count(streams)}` : count(streams);
}
