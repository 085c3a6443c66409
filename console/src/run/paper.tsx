// The three tables of EBU's paper for one load point, and the same numbers by block size as lines.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { categoryAxis, valueAxis } from "../charts/axes";
import { seriesStyle } from "../charts/palette";
import type { LoadPoint, PaperCell, PaperMode } from "../data/summary";
import { columnText } from "../figures/column";
import { blockSize, duration, number } from "../figures/units";
import { Figure } from "../parts/figure";
import { Table } from "../parts/table";
import type { Column } from "../parts/table";

/** Types of access in words. */
export const MODES: Record<PaperMode, string> = {
  seq_rd: "sequential read",
  rand_rd: "random read",
  seq_wr: "sequential write",
  rand_wr: "random write",
  all: "all",
};

type Field =
  | "transfer_rate_while_transferring_mb_per_s"
  | "average_latency_ms"
  | "maximum_latency_s"
  | "short_block_share";

interface TableOf {
  field: Field;
  id: string;
  name: string;
  unit: string;
  /** What else the table's caption says. */
  more?: string;
  /** From what the cell holds to what is shown. */
  scale?: number;
}

const TABLES: TableOf[] = [
  {
    field: "transfer_rate_while_transferring_mb_per_s",
    id: "rate",
    name: "Transfer rate of one worker while transferring",
    unit: "MB/s",
    more: " (not throughput)",
  },
  {
    field: "average_latency_ms",
    id: "mean",
    name: "Average EBU latency",
    unit: "ms",
    more: ": everything in a transfer that is not data",
  },
  { field: "maximum_latency_s", id: "max", name: "Maximum EBU latency", unit: "ms", scale: 1e3 },
  {
    field: "short_block_share",
    id: "short",
    name: "Reads and writes shorter than the block size",
    unit: "%",
    more: " (the remainder of each transfer)",
    scale: 100,
  },
];

interface Row {
  mode: PaperMode;
  cells: { cell: PaperCell; at: number }[];
}

export function PaperView({ point, at }: { point: LoadPoint; at: number }) {
  const rows = useMemo(() => rowsOf(point.paper.cells), [point]);
  const sizes = point.paper.block_bytes;
  return (
    <>
      <div class="grid wide">
        {TABLES.filter((table) => point.paper.cells.some((cell) => valueOf(cell, table) !== null)).map((table) => (
          <PaperTable
            key={`${at}-${table.id}`}
            table={table}
            rows={rows}
            sizes={sizes}
            at={at}
            cells={point.paper.cells}
          />
        ))}
      </div>
      {point.paper.per_transfer && <Terms cells={point.paper.cells} />}
      {sizes.length > 1 && (
        <div class="grid">
          {TABLES.slice(0, 2).map((table) => (
            <BlockChart key={`${at}-${table.id}`} table={table} rows={rows} sizes={sizes} />
          ))}
        </div>
      )}
    </>
  );
}

/** What a table shows of a cell; null where nothing was measured. */
function valueOf(cell: PaperCell, table: TableOf): number | null {
  const value = cell[table.field];
  return value === null || value === undefined ? null : value * (table.scale ?? 1);
}

/** Where the paper draws the line between data and latency. */
function Terms({ cells }: { cells: PaperCell[] }) {
  const gap = cells.find((cell) => cell.mode === "all" && cell.block_bytes === null)?.average_gap_ms;
  const here =
    gap === null || gap === undefined
      ? ""
      : `, here ${duration(gap * 1e3)} of it on average, in which the storage had nothing to do`;
  return (
    <p class="faint">
      As in EBU Tech 3362: each transfer counts whole, under the block size drawn for it; latency includes the time
      between a transfer’s blocks (§ 5.1{here}); closing a file that was written counts as data transfer.
    </p>
  );
}

/** The cells stand row by row; each row ends with its margin. */
function rowsOf(cells: PaperCell[]): Row[] {
  const rows: Row[] = [];
  cells.forEach((cell, at) => {
    const row = rows.find((one) => one.mode === cell.mode);
    if (row === undefined) rows.push({ mode: cell.mode, cells: [{ cell, at }] });
    else row.cells.push({ cell, at });
  });
  return rows;
}

interface TableProps {
  table: TableOf;
  rows: Row[];
  sizes: number[];
  at: number;
  cells: PaperCell[];
}

function PaperTable({ table, rows, sizes, at, cells }: TableProps) {
  const text = columnText(cells.map((cell) => valueOf(cell, table)));
  const shown = (block: number | null): Column<Row> => ({
    title: block === null ? "all sizes" : blockSize(block),
    number: true,
    cell: (row) => {
      const found = row.cells.find(({ cell }) => cell.block_bytes === block);
      const path = `load_points.${at}.paper.cells.${found?.at ?? 0}.${table.field}`;
      return found === undefined ? "–" : <Figure path={path} value={found.cell[table.field]} text={(value) => text(value * (table.scale ?? 1))} />;
    },
  });
  const columns: Column<Row>[] = [
    { title: "access", head: true, cell: (row) => MODES[row.mode] },
    ...sizes.map(shown),
    shown(null),
  ];
  return <Table caption={`${table.name}, ${table.unit}${table.more ?? ""}`} rows={rows} columns={columns} />;
}

function BlockChart({ table, rows, sizes }: Pick<TableProps, "table" | "rows" | "sizes">) {
  const lines = useMemo(() => {
    const modes = rows.filter((row) => row.mode !== "all" && row.cells.some(({ cell }) => cell.data_ops > 0));
    return modes.map((row) => ({
      name: MODES[row.mode],
      values: sizes.map(
        (size) => row.cells.find(({ cell }) => cell.block_bytes === size)?.cell[table.field] ?? null,
      ),
    }));
  }, [rows, sizes, table]);
  const option = useMemo(() => (look: Look) => blockLines(look, sizes, lines, table.unit), [lines]);
  const ends = lines.map((line) => {
    const there = line.values.filter((value) => value !== null);
    return there.length === 0
      ? `${line.name}: nothing`
      : `${line.name}: ${number(Math.min(...there))} to ${number(Math.max(...there))}`;
  });
  return (
    <Chart
      id={`paper-${table.id}`}
      title={`${table.name} by block size`}
      describe={`${ends.join("; ")}, ${table.unit}.`}
      option={option}
      table={() => ({
        columns: ["block, bytes", ...lines.map((line) => `${line.name}, ${table.unit}`)],
        rows: sizes.map((size, at) => [size, ...lines.map((line) => line.values[at] ?? null)]),
      })}
    />
  );
}

function blockLines(
  look: Look,
  sizes: number[],
  lines: { name: string; values: (number | null)[] }[],
  unit: string,
): ChartOption {
  const series: LineSeriesOption[] = lines.map((line, n) => {
    const style = seriesStyle(look, n);
    return {
      type: "line",
      name: line.name,
      data: line.values,
      connectNulls: true,
      symbol: style.marker,
      symbolSize: 8,
      itemStyle: { color: style.color },
      lineStyle: { color: style.color, type: style.dash, width: 2 },
    };
  });
  return {
    xAxis: categoryAxis(
      look,
      "block size",
      sizes.map((size) => blockSize(size)),
    ),
    yAxis: { ...valueAxis(look, unit), min: 0 },
    grid: { bottom: 24, top: 48 },
    tooltip: {
      valueFormatter: (value: unknown) => (typeof value === "number" ? `${number(value)} ${unit}` : "–"),
    },
    series,
  };
}
