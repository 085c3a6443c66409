// Bars per workload: the median of each suite, or each pass of one suite.

import { useMemo } from "preact/hooks";
import { categoryAxis, valueAxis } from "../charts/axes";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { BarSeriesOption } from "../charts/echarts";
import { seriesStyle } from "../charts/palette";
import { mbPerS } from "../figures/units";
import { chartText } from "../parts/text";

/** The bars of one colour: a name, and a value for each workload. */
export interface BarSeries {
  name: string;
  bytes_per_s: readonly (number | null)[];
}

interface Props {
  workloads: readonly string[];
  series: readonly BarSeries[];
  /** What the bars show: `Median of each suite`. */
  title: string;
  /** The corresponding figures of the paper. */
  paper: string;
}

/** Patterns that distinguish bars without colour. */
const PATTERNS: readonly ({ rotation: number; dashArrayX: number[]; dashArrayY: number[] } | null)[] = [
  null,
  { rotation: 0.8, dashArrayX: [1, 0], dashArrayY: [2, 4] },
  { rotation: -0.8, dashArrayX: [1, 0], dashArrayY: [2, 4] },
  { rotation: 0, dashArrayX: [1, 0], dashArrayY: [2, 5] },
  { rotation: 1.571, dashArrayX: [1, 0], dashArrayY: [2, 5] },
];

export function SuiteBars({ workloads, series, title, paper }: Props) {
  const option = useMemo(() => (look: Look) => draw(look, workloads, series), [workloads, series]);
  const say = (value: number | null) => (value === null ? "not measured" : mbPerS(value));
  return (
    <Chart
      id="suite-bars"
      title={title}
      describe={`${series.map(({ name, bytes_per_s }) => `${name}: ${workloads.map((workload, at) => `${workload} ${say(bytes_per_s[at] ?? null)}`).join(", ")}`).join("; ")}; MB/s.`}
      option={option}
      height={360}
      note={`Corresponds to the NASPT paper, ${paper}.`}
      table={() => ({
        columns: ["workload", ...series.map(({ name }) => `${name}, MB/s`)],
        rows: workloads.map((workload, at) => [workload, ...series.map(({ bytes_per_s }) => inMb(bytes_per_s[at] ?? null))]),
      })}
    />
  );
}

function inMb(bytes_per_s: number | null): number | null {
  return bytes_per_s === null ? null : bytes_per_s / 1e6;
}

function draw(look: Look, workloads: readonly string[], series: readonly BarSeries[]): ChartOption {
  const bar = ({ name, bytes_per_s }: BarSeries, at: number): BarSeriesOption => {
    const pattern = PATTERNS[at % PATTERNS.length] ?? null;
    return {
      type: "bar",
      name,
      barMaxWidth: 28,
      barGap: "10%",
      itemStyle: {
        color: seriesStyle(look, at).color,
        ...(pattern === null ? {} : { decal: { symbol: "rect", color: look.ground, ...pattern } }),
      },
      data: bytes_per_s.map(inMb),
    };
  };
  const names = workloads.map((workload) => chartText(workload.replace(/-synth$/, ""), 28));
  const axis = categoryAxis(look, "", names);
  return {
    xAxis: { ...axis, axisLabel: { ...axis.axisLabel, rotate: 35, interval: 0 } },
    yAxis: { ...valueAxis(look, "MB/s"), min: 0 },
    grid: { bottom: 16, top: 48 },
    tooltip: {
      axisPointer: { type: "shadow" },
      valueFormatter: (value: unknown) => (typeof value === "number" ? `${mbPerS(value * 1e6)} MB/s` : "–"),
    },
    series: series.map(bar),
  };
}
