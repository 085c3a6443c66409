// The systems side by side: what each is, and what it carried. What nobody knows or measured is a dash.

import type { ComparedRun, Comparison, RunPage } from "../data/page";
import { count, mbPerS, ms } from "../figures/units";
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
      <Table caption="Systems" quiet columns={columnsOf(rows)} rows={rows} />
      <h3>The runs</h3>
      <RunKey runs={comparison.runs} />
    </Section>
  );
}

/** The columns in which any run has something. */
function columnsOf(rows: readonly Row[]): Column<Row>[] {
  const text = (title: string, of: (row: Row) => string | null): Column<Row>[] =>
    rows.every((row) => (of(row) ?? "") === "")
      ? []
      : [{ title, cell: (row) => <Name text={of(row) ?? ""} length={40} empty="–" /> }];
  const figure = (title: string, of: (figures: RunFigures) => number | null, say: (value: number) => string): Column<Row>[] =>
    rows.every(({ figures }) => of(figures) === null)
      ? []
      : [
          {
            title,
            number: true,
            cell: ({ figures }) => {
              const value = of(figures);
              return value === null ? "–" : say(value);
            },
          },
        ];
  const run: Column<Row> = {
    title: "run",
    head: true,
    cell: ({ at, run }) => (
      <>
        <Sample at={at} /> <Name text={runName(run, at)} length={44} />
      </>
    ),
  };
  const streams: Column<Row> = { title: "streams", number: true, cell: ({ figures }) => streamsText(figures) };
  return [
    run,
    ...text("make", ({ run }) => run.system.make),
    ...text("model", ({ run }) => run.system.model),
    ...text("firmware", ({ run }) => run.system.firmware),
    ...text("protocol", ({ run }) => run.system.protocol ?? run.system.fs_type),
    ...text("client", ({ run }) => run.system.client),
    ...(rows.every(({ figures }) => figures.streams === null) ? [] : [streams]),
    ...figure("late frames", (figures) => figures.late_frames, count),
    ...figure("worst margin, ms", (figures) => figures.worst_margin_us, ms),
    ...figure("most, MB/s", (figures) => figures.bytes_per_s, mbPerS),
  ];
}

function streamsText({ streams, isAtLeast }: RunFigures): string {
  if (streams === null) return "–";
  return isAtLeast ? `at least ${count(streams)}` : count(streams);
}
