// The margins of frames over time, of all streams or of the chosen one.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, ChartProps, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { deadlineLine, tick, tickTime, timeAxis, timeGrid, valueAxis } from "../charts/axes";
import type { PointStreams } from "../data/page";
import { count, ms } from "../figures/units";
import type { Extent } from "../period";
import { Term } from "../parts/glossary";
import { chosenStream } from "../view";
import { type Cell, MARGIN_NOTE } from "../figures/margin";
import { cellsOf, marginLine } from "./strip-rows";

/** The margins of one load point. */
interface Margins {
  point: number;
  cells: Cell[];
}

/** The margins of the chosen stream in the load points that have it; of all streams if none is chosen. */
function marginsOf(streams: readonly PointStreams[], stream: number | null): Margins[] {
  return streams.flatMap((point) => {
    const one = stream === null ? point : point.streams.find((strip) => strip.stream === stream);
    return one === undefined ? [] : [{ point: point.point, cells: cellsOf(point, one, 0) }];
  });
}

interface Props {
  streams: PointStreams[];
  extent: Extent;
}

export function MarginChart(props: Props) {
  return <Chart {...useMarginChart(props, chosenStream.value)} />;
}

/** The chart for all streams, or for the chosen one. */
export function useMarginChart({ streams: all, extent }: Props, stream: number | null): ChartProps {
  const streams = useMemo(() => marginsOf(all, stream), [all, stream]);
  const option = useMemo(() => (look: Look) => drawMargin(look, streams), [streams]);
  const whose = stream === null ? "of all streams" : `of stream ${count(stream)}`;
  const cells = streams.flatMap((point) => point.cells);
  const margins = cells.map((cell) => cell.margin_ms).filter((margin) => margin !== null);
  const worst = margins.reduce((one, two) => Math.min(one, two), Infinity);
  return {
    id: "margin",
    title: stream === null ? "Smallest margin and late frames" : `Margin of stream ${count(stream)}`,
    describe:
      margins.length === 0
        ? "No frame was due."
        : `Smallest margin ${whose}: ${ms(worst * 1e3)} ms. Below 0, a frame is overdue.`,
    option,
    timeAxis: extent,
    height: 230,
    note: (
      <>
        Smallest <Term word="margin" /> {whose}: {MARGIN_NOTE}
      </>
    ),
    table: () => ({
      columns: ["load point", "from, s", "to, s", "smallest margin, ms", "late frames"],
      rows: streams.flatMap(({ point, cells }) =>
        cells.map((cell) => [point, cell.from_s, cell.to_s, cell.margin_ms, cell.late_frames]),
      ),
    }),
  };
}

/** Late frames of each cell as a step; 0 between load points. */
function lateSteps(cells: readonly Cell[]): [number, number | null][] {
  const last = cells.at(-1);
  const steps = cells.map(({ from_s, late_frames }): [number, number | null] => [from_s, late_frames]);
  return last === undefined ? [] : [...steps, [last.to_s, last.late_frames], [last.to_s, null]];
}

function drawMargin(look: Look, streams: Margins[]): ChartOption {
  const margin: LineSeriesOption = {
    type: "line",
    name: "smallest margin",
    symbol: "none",
    itemStyle: { color: look.read },
    lineStyle: { color: look.read, width: 1.6 },
    data: streams.flatMap(({ cells }) => [...marginLine(cells), [null, null]]),
    markLine: deadlineLine(look),
  };
  const late: LineSeriesOption = {
    type: "line",
    name: "late frames",
    xAxisIndex: 1,
    yAxisIndex: 1,
    step: "end",
    symbol: "none",
    itemStyle: { color: look.bad },
    lineStyle: { color: look.bad, width: 1 },
    areaStyle: { color: look.bad, opacity: 0.7 },
    data: streams.flatMap(({ cells }) => lateSteps(cells)),
  };
  const grid = timeGrid(look);
  return {
    grid: [
      { ...grid, bottom: 88 },
      { ...grid, top: "auto", bottom: 24, height: 36 },
    ],
    xAxis: [timeAxis(look, false), { ...timeAxis(look), gridIndex: 1 }],
    yAxis: [
      valueAxis(look, "ms", { format: tick, room: true }),
      { ...valueAxis(look, "frames", { room: true }), gridIndex: 1, min: 0, minInterval: 1, splitNumber: 2 },
    ],
    tooltip: { formatter: (items: unknown) => marginWords(items) },
    series: [margin, late],
  };
}

function marginWords(items: unknown): string {
  const list = Array.isArray(items) ? (items as { seriesName?: string; value?: unknown }[]) : [];
  return list
    .map((item) => {
      const value = Array.isArray(item.value) ? (item.value as (number | null)[]) : [];
      const at = tickTime(Number((value[0] ?? 0).toFixed(3)));
      if (value[1] == null) return at;
      return item.seriesName === "late frames"
        ? `${at}: ${count(value[1])} late`
        : `${at}: margin ${ms(value[1] * 1e3)} ms`;
    })
    .join("\n");
}
