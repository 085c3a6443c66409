// What workers of the original Media Storage Meter reported: its three tables for each test, in its own units and with
// its own meaning of latency, which is said above them.

import type { MeterCell, MeterTest } from "../data/generated";
import type { MeterFacts, PaperMode } from "../data/summary";
import { count, fixed, moment } from "../figures/units";
import { Name } from "../parts/name";
import { Section } from "../parts/section";
import { Table } from "../parts/table";
import type { Column } from "../parts/table";
import { MODES } from "./paper";

const TABLES: { title: string; cell: (cell: MeterCell) => string }[] = [
  {
    title: "Rate of one worker while transferring, MiB/s (not throughput)",
    cell: (cell) => fixed(cell.rate_while_transferring_mib_per_s, 2),
  },
  { title: "The original’s average latency, ms", cell: (cell) => fixed(cell.msmeter_average_latency_ms, 1) },
  { title: "The original’s maximum latency, s", cell: (cell) => fixed(cell.msmeter_maximum_latency_s, 3) },
];

export function MsmeterSection({ facts }: { facts: MeterFacts }) {
  return (
    <Section
      id="msmeter"
      title="What the original’s workers reported"
      about="Latency is the time of an operation outside its reads, writes and syncs, the worker’s own filling of buffers included. Waiting for a read or a write is not in it, so a stall lowers rates and leaves latencies as they are."
    >
      {facts.tests.map((test) => (
        <Test key={test.text_file} test={test} />
      ))}
    </Section>
  );
}

function Test({ test }: { test: MeterTest }) {
  const silence = test.longest_silence;
  const missing = test.workers_without_records;
  return (
    <>
      <h3>
        <Name text={test.name} />
      </h3>
      <p>
        {test.wall_clock_mib_per_s === null
          ? "Throughput was not measured."
          : `${fixed(test.wall_clock_mib_per_s, 1)} MiB/s of all workers together, by the clock, in ${count(test.figures.records)} records.`}{" "}
        {silence === null
          ? ""
          : `The longest silence: worker ${silence.worker} reported nothing for ${moment(silence.seconds)} from ${moment(silence.from_s)} on.`}
      </p>
      {missing.length > 0 && <p class="bad">Started, and reported nothing: {missing.join(", ")}.</p>}
      {test.figures.cells.length > 0 && (
        <div class="grid wide">
          {TABLES.map((table) => (
            <Cells key={table.title} title={`${test.name}: ${table.title}`} cells={test.figures.cells} text={table.cell} />
          ))}
        </div>
      )}
    </>
  );
}

interface CellsProps {
  title: string;
  cells: MeterCell[];
  text: (cell: MeterCell) => string;
}

function Cells({ title, cells, text }: CellsProps) {
  const blocks = cells.filter((cell) => cell.access === "all").map((cell) => cell.block_kib);
  const rows = [...new Set(cells.map((cell) => cell.access))];
  const columns: Column<PaperMode>[] = [
    { title: "access", head: true, cell: (row) => MODES[row] },
    ...blocks.map((block) => ({
      title: block === null ? "all sizes" : `${count(block)} KiB`,
      number: true,
      cell: (row: PaperMode) => {
        const found = cells.find((cell) => cell.access === row && cell.block_kib === block);
        return found === undefined ? "–" : text(found);
      },
    })),
  ];
  return <Table caption={title} columns={columns} rows={rows} />;
}
