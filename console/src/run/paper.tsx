// The EBU paper's figures of one load point by block size, as lines.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { categoryAxis, valueAxis } from "../charts/axes";
import { seriesStyle } from "../charts/palette";
import type { LoadPoint, PaperMode } from "../data/summary";
import { blockSize, number } from "../figures/units";

/** The displayed names of the types of access. */
export const MODES: Record<PaperMode, string> = {
  seq_rd: "sequential read",
  rand_rd: "random read",
  seq_wr: "sequential write",
  rand_wr: "random write",
  all: "all",
};

const FIGURES = [
  {
    field: "transfer_rate_while_transferring_mb_per_s",
    id: "rate",
    name: "Transfer rate of one worker while transferring",
    unit: "MB/s",
  },
  { field: "average_latency_ms", id: "mean", name: "Average EBU latency", unit: "ms" },
] as const;

export function BlockCharts({ point }: { point: LoadPoint }) {
  if (point.paper.block_bytes.length < 2) return null;
  return (
    <div class="grid">
      {FIGURES.map((figure) => (
        <BlockChart key={figure.id} figure={figure} point={point} />
      ))}
    </div>
  );
}

function BlockChart({ figure, point }: { figure: (typeof FIGURES)[number]; point: LoadPoint }) {
  const { block_bytes: sizes, cells } = point.paper;
  const lines = useMemo(() => {
    const modes = (Object.keys(MODES) as PaperMode[]).filter(
      (mode) => mode !== "all" && cells.some((cell) => cell.mode === mode && cell.data_ops > 0),
    );
    return modes.map((mode) => ({
      name: MODES[mode],
      values: sizes.map(
        (size) => cells.find((cell) => cell.mode === mode && cell.block_bytes === size)?.[figure.field] ?? null,
      ),
    }));
  }, [point, figure]);
  const option = useMemo(() => (look: Look) => draw(look, sizes, lines, figure.unit), [lines]);
  const ends = lines.map((line) => {
    const there = line.values.filter((value) => value !== null);
    return there.length === 0
      ? `${line.name}: not measured`
      : `${line.name}: ${number(Math.min(...there))} to ${number(Math.max(...there))}`;
  });
  return (
    <Chart
      id={`paper-${figure.id}`}
      title={`${figure.name} by block size`}
      describe={`${ends.join("; ")}, ${figure.unit}.`}
      option={option}
      table={() => ({
        columns: ["block, bytes", ...lines.map((line) => `${line.name}, ${figure.unit}`)],
        rows: sizes.map((size, at) => [size, ...lines.map((line) => line.values[at] ?? null)]),
      })}
    />
  );
}

function draw(
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
