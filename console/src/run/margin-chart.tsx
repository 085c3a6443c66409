// How close frames came to their deadlines over time: of all streams, or of the one that was chosen.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { deadlineLine, tick, tickTime, timeAxis, timeGrid, valueAxis } from "../charts/axes";
import type { PointStreams } from "../data/page";
import type { LoadPoint } from "../data/summary";
import { count, ms } from "../figures/units";
import type { Extent } from "../period";
import { Term } from "../parts/glossary";
import { chosenStream } from "../view";
import { cellsOf, longestFrame } from "./strip-rows";
import type { StripCell } from "./strip-rows";

/** What is drawn of a load point: cells that are longer than a frame, without what no frame came in. */
interface Margins {
  point: number;
  cells: StripCell[];
}

/** Of the stream, where a load point has it; of all streams, where none was chosen. */
function marginsOf(streams: readonly PointStreams[], points: readonly LoadPoint[], stream: number | null): Margins[] {
  return streams.flatMap((point) => {
    const one = stream === null ? point : point.streams.find((strip) => strip.stream === stream);
    if (one === undefined) return [];
    const load = points.find((candidate) => candidate.index === point.point);
    const cells = cellsOf(point, one, { frame_s: longestFrame(load), allowance_us: null });
    return [{ point: point.point, cells }];
  });
}

/** A line with steps over the cells, broken where there are none. */
export function steps(cells: readonly StripCell[], of: (cell: StripCell) => number | null): [number, number | null][] {
  return cells.flatMap((cell, at) => {
    const next = cells[at + 1];
    const goesOn = next !== undefined && next.from_s - cell.to_s < (cell.to_s - cell.from_s) / 2;
    const begin: [number, number | null] = [cell.from_s, of(cell)];
    return goesOn ? [begin] : [begin, [cell.to_s, of(cell)], [cell.to_s, null]];
  });
}

interface Props {
  streams: PointStreams[];
  points: readonly LoadPoint[];
  extent: Extent;
}

export function MarginChart({ streams: all, points, extent }: Props) {
  const stream = chosenStream.value;
  const streams = useMemo(() => marginsOf(all, points, stream), [all, points, stream]);
  const option = useMemo(() => (look: Look) => drawMargin(look, streams), [streams]);
  const whose = stream === null ? "the smallest of all streams" : `of stream ${count(stream)}`;
  const cells = streams.flatMap((point) => point.cells);
  const margins = cells.map((cell) => cell.margin_us).filter((margin) => margin !== null);
  const worst = margins.reduce((one, two) => Math.min(one, two), Infinity);
  return (
    <Chart
      id="margin"
      title={stream === null ? "Smallest margin, and late frames" : `Margin of stream ${count(stream)}`}
      describe={
        margins.length === 0
          ? "No frame was judged."
          : `The smallest margin is ${ms(worst)} ms, ${whose}; below 0 a frame is late.`
      }
      option={option}
      timeAxis={extent}
      height={230}
      note={<><Term word="margin">Margin</Term>: {whose}. Below 0 a frame came too late.</>}
      table={() => ({
        columns: ["load point", "from, s", "smallest margin, us", "late frames"],
        rows: streams.flatMap(({ point, cells }) =>
          cells.map((cell) => [point, cell.from_s, cell.margin_us, cell.late_frames]),
        ),
      })}
    />
  );
}

function drawMargin(look: Look, streams: Margins[]): ChartOption {
  const margin: LineSeriesOption = {
    type: "line",
    name: "smallest margin",
    step: "end",
    symbol: "none",
    itemStyle: { color: look.read },
    lineStyle: { color: look.read, width: 1.6 },
    data: streams.flatMap(({ cells }) => steps(cells, ({ margin_us: us }) => (us === null ? null : us / 1e3))),
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
    data: streams.flatMap(({ cells }) => steps(cells, (cell) => cell.late_frames)),
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
