// Throughput over time, with possible explanations: warm-up, the starts of load points, failed operations, late frames.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption, ScatterSeriesOption } from "../charts/echarts";
import { tickTime, timeAxis, valueAxis } from "../charts/axes";
import { spans, stepData } from "../charts/steps";
import type { Detail, TimeAxis } from "../data/page";
import type { LoadPoint } from "../data/summary";
import { counted, mbPerS } from "../figures/units";
import type { Extent, Period } from "../period";
import { inView, period } from "../period";
import { chartText } from "../parts/text";
import type { Flow } from "./over-time";
import { merged } from "./over-time";

/** More start marks of load points would cover the chart. */
const MOST_MARKS = 40;

/** The maximum number of steps in the chart. */
const MOST_STEPS = 500;

/** The minimum, so that a short run still has a shape. */
const FEWEST_STEPS = 10;

interface Props {
  detail: Detail | null;
  /** The load points whose starts are marked; empty for a trace. */
  points: LoadPoint[];
  flow: Flow;
  extent: Extent;
}

export function ThroughputChart({ detail, points, flow, extent }: Props) {
  const late = useMemo(() => lateMoments(detail), [detail]);
  const demand = useMemo(() => demandOf(detail, points), [detail, points]);
  const per = stepFor(flow, inView(extent, period.value), extent);
  const shown = useMemo(() => coarser(flow, per), [flow, per]);
  const option = useMemo(() => (look: Look) => draw(look, shown, flow, points, late, demand), [shown, points, late, demand]);
  const peak = (values: number[]) =>
    mbPerS(values.reduce((one, two) => Math.max(one, two), 0) / flow.time.bin_s);
  return (
    <Chart
      id="throughput"
      title="Throughput"
      describe={`Peak: read ${peak(flow.read_bytes)} MB/s, write ${peak(flow.written_bytes)} MB/s, in bins of ${tickTime(flow.time.bin_s)}.`}
      option={option}
      timeAxis={extent}
      height={200}
      note={noteOf(flow, shown.time)}
      table={() => ({
        columns: ["from, s", "operations", "failed", "warm-up operations", "read, bytes", "written, bytes"],
        rows: flow.ops.map((ops, bin) => [
          flow.time.from_s + bin * flow.time.bin_s,
          ops,
          flow.failed_ops[bin] ?? 0,
          flow.warmup_ops[bin] ?? 0,
          flow.read_bytes[bin] ?? 0,
          flow.written_bytes[bin] ?? 0,
        ]),
      })}
    />
  );
}

function noteOf(flow: Flow, drawn: TimeAxis): string {
  const steps = `Steps of ${tickTime(Number(drawn.bin_s.toFixed(4)))}.`;
  if (flow.source === "summary") return `${steps} From summary.json, without warm-up.`;
  return flow.warmup_ops.some((ops) => ops > 0)
    ? `${steps} Shaded: warm-up, not counted.`
    : steps;
}

/**
 * How many bins are drawn as one step: one second if the whole run is in view, less in a shorter period. There are at
 * most 500 steps.
 */
function stepFor(flow: Flow, now: Period, extent: Extent): number {
  const view_s = now.to_s - now.from_s;
  const isWhole = view_s > 0.99 * (extent.to_s - extent.from_s);
  const wished_s = Math.min(1, roundDown(view_s / (isWhole ? FEWEST_STEPS : MOST_STEPS / 4)));
  return Math.max(1, Math.round(Math.max(wished_s, view_s / MOST_STEPS) / flow.time.bin_s));
}

/** The largest of 1, 2 or 5 times a power of ten that is not larger. */
function roundDown(seconds: number): number {
  const power = 10 ** Math.floor(Math.log10(seconds));
  return power * ([5, 2].find((step) => step * power <= seconds) ?? 1);
}

interface Drawn {
  time: TimeAxis;
  read_mb_per_s: number[];
  written_mb_per_s: number[];
}

function coarser(flow: Flow, per: number): Drawn {
  const rates = (values: number[]) =>
    merged(values, per, "mean").map((bytes) => bytes / flow.time.bin_s / 1e6);
  const read_mb_per_s = rates(flow.read_bytes);
  const time = { ...flow.time, bin_s: flow.time.bin_s * per, bins: read_mb_per_s.length };
  return { time, read_mb_per_s, written_mb_per_s: rates(flow.written_bytes) };
}

/** The total demand of the streams of each load point, in the measured part. */
function demandOf(detail: Detail | null, points: readonly LoadPoint[]): [number, number | null][] {
  return (detail?.streams ?? []).flatMap(({ point, time }): [number, number | null][] => {
    const streams = points.find((one) => one.index === point)?.streams?.streams ?? [];
    const needs = streams.map(({ bytes_per_s, achieved_share }) =>
      bytes_per_s === null || !achieved_share ? null : bytes_per_s / achieved_share,
    );
    // The demand of a stream that moved nothing is unknown, so the sum is unknown, too.
    if (needs.length === 0 || needs.some((need) => need === null)) return [];
    const mb_per_s = needs.reduce<number>((one, two) => one + (two ?? 0), 0) / 1e6;
    const to_s = time.from_s + time.bins * time.bin_s;
    return [[time.from_s, mb_per_s], [to_s, mb_per_s], [to_s, null]];
  });
}

/** The bins with late frames of any stream. */
function lateMoments(detail: Detail | null): [number, number][] {
  return (detail?.streams ?? []).flatMap(({ time, late_frames }) =>
    late_frames.flatMap((frames, bin): [number, number][] =>
      frames > 0 ? [[time.from_s + (bin + 0.5) * time.bin_s, frames]] : [],
    ),
  );
}

function draw(
  look: Look,
  drawn: Drawn,
  flow: Flow,
  points: LoadPoint[],
  late: [number, number][],
  demand: [number, number | null][],
): ChartOption {
  const reads = flow.read_bytes.some((bytes) => bytes > 0);
  const writes = flow.written_bytes.some((bytes) => bytes > 0);
  const series: (LineSeriesOption | ScatterSeriesOption)[] = [];
  if (reads || !writes)
    series.push(line("read", stepData(drawn.time, drawn.read_mb_per_s), look.read, "solid"));
  if (writes) series.push(line("write", stepData(drawn.time, drawn.written_mb_per_s), look.write, "solid"));
  if (demand.length > 0) series.push(demandLine(look, demand));
  const first = series[0];
  if (first !== undefined)
    Object.assign(first, { markArea: warmups(look, flow), markLine: begins(look, points) });
  const failed = flow.failed_ops.flatMap((ops, bin): [number, number][] =>
    ops > 0 ? [[flow.time.from_s + (bin + 0.5) * flow.time.bin_s, ops]] : [],
  );
  if (late.length > 0) series.push(marks("late frames", late, look.bad, "triangle"));
  if (failed.length > 0) series.push(marks("failed operations", failed, look.mark, "diamond"));
  return {
    xAxis: timeAxis(look),
    yAxis: [
      { ...valueAxis(look, "MB/s", { room: true }), min: 0 },
      { type: "value", show: false, min: 0, max: 1 },
    ],
    tooltip: { formatter: (items: unknown) => words(items, late, drawn.time.bin_s) },
    series,
  };
}

function line(
  name: string,
  data: [number, number | null][],
  color: string,
  dash: "solid" | number[],
): LineSeriesOption {
  return {
    type: "line",
    name,
    data,
    step: "end",
    symbol: "none",
    itemStyle: { color },
    lineStyle: { color, width: 1.6, type: dash },
    areaStyle: { color, opacity: 0.12 },
  };
}

function demandLine(look: Look, data: [number, number | null][]): LineSeriesOption {
  const color = look.ink;
  return { type: "line", name: "needed", data, symbol: "none", itemStyle: { color }, lineStyle: { color, width: 1.2, type: [6, 4] } };
}

/** Marks at the lower edge of the plot. */
function marks(name: string, at: [number, number][], color: string, symbol: string): ScatterSeriesOption {
  return {
    type: "scatter",
    name,
    yAxisIndex: 1,
    symbolKeepAspect: true,
    symbol,
    symbolSize: 9,
    itemStyle: { color },
    data: at.map(([seconds, many]) => ({ value: [seconds, 0.03, many] })),
  };
}

function warmups(look: Look, flow: Flow): LineSeriesOption["markArea"] {
  // A bin without operations counts as the previous bin does.
  const isWarmup: boolean[] = [];
  flow.ops.forEach((ops, bin) => isWarmup.push(ops > 0 ? (flow.warmup_ops[bin] ?? 0) > ops / 2 : (isWarmup[bin - 1] ?? false)));
  const parts = spans(flow.time, (bin) => isWarmup[bin] ?? false);
  return {
    silent: true,
    itemStyle: {
      color: look.faint,
      opacity: 0.12,
      decal: {
        symbol: "circle",
        symbolSize: 0.3,
        dashArrayX: [
          [6, 6],
          [0, 6, 6, 0],
        ],
        dashArrayY: [6, 0],
      },
    },
    data: parts.map((part) => [{ xAxis: part.from_s }, { xAxis: part.to_s }]),
  };
}

function begins(look: Look, points: LoadPoint[]): LineSeriesOption["markLine"] {
  if (points.length < 2 || points.length > MOST_MARKS) return { data: [] };
  return {
    silent: true,
    symbol: "none",
    lineStyle: { color: look.faint, type: "dotted" },
    data: points.map((point) => ({
      xAxis: point.started_s,
      label: {
        show: points.length <= 6 && look.width > 700,
        formatter: chartText(point.label, 20),
        color: look.faint,
        fontSize: 11,
        position: "insideEndTop" as const,
        rotate: 0,
        align: "left" as const,
        distance: [4, 0] as [number, number],
      },
    })),
  };
}

/** The throughput of a step, and its late frames. */
function words(items: unknown, late: readonly [number, number][], step_s: number): string {
  const list = Array.isArray(items) ? (items as { seriesName?: string; value?: unknown }[]) : [];
  const lines: string[] = [];
  for (const item of list) {
    const value = Array.isArray(item.value) ? (item.value as (number | null)[]) : [];
    const at_s = value[0] ?? 0;
    if (lines.length === 0) {
      const frames = late.filter(([late_s]) => late_s >= at_s && late_s < at_s + step_s).reduce((sum, [, many]) => sum + many, 0);
      lines.push(tickTime(Number(at_s.toFixed(3))), ...(late.length > 0 ? [counted(frames, "late frame")] : []));
    }
    if (item.seriesName === "late frames" || item.seriesName === "needed") continue;
    if (item.seriesName === "failed operations") lines.push(counted(value[2] ?? 0, "failed operation"));
    else lines.push(`${item.seriesName ?? ""} ${value[1] == null ? "–" : mbPerS(value[1] * 1e6)} MB/s`);
  }
  return lines.join("\n");
}
