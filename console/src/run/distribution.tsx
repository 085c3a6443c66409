// The durations of operations from the log: histogram and percentile curve.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { BarSeriesOption, LineSeriesOption } from "../charts/echarts";
import { categoryAxis, decades, latencyAxis, tickUs, valueAxis } from "../charts/axes";
import { seriesStyle } from "../charts/palette";
import type { Detail, PercentileCurve } from "../data/page";
import { carriedCurve } from "../figures/percentile";
import { count, counted, duration } from "../figures/units";
import { period } from "../period";
import { binEndUs, binStartUs, latencyCounts, spanOf } from "./period-stats";

/** Histogram of the period, and percentiles of the whole run, from the log alone. */
export function LatencyCharts({ detail }: { detail: Detail }) {
  return (
    <div class="grid">
      <Histogram detail={detail} />
      {detail.percentiles.length > 0 && <Percentiles detail={detail} />}
    </div>
  );
}

function Histogram({ detail }: { detail: Detail }) {
  const chosen = period.value;
  const span = spanOf(detail.time, chosen);
  const [reads, writes] = useMemo(
    () => [latencyCounts(detail.latency.reads, span), latencyCounts(detail.latency.writes, span)],
    [detail, span.first, span.end],
  );
  const option = useMemo(
    () => (look: Look) => drawHistogram(look, reads ?? [], writes ?? []),
    [reads, writes],
  );
  const sum = (values: number[] | undefined) => (values ?? []).reduce((one, two) => one + two, 0);
  const what = detail.measure === "response" ? "Response times" : "Service times";
  return (
    <Chart
      id="latency-histogram"
      title={`${what}${chosen === null ? "" : " in the period"}`}
      describe={`${counted(sum(reads), "read")} and ${counted(sum(writes), "write")}.`}
      option={option}
      height={300}
      note="Four bars per doubling of time. Warm-up is excluded."
      table={() => ({
        columns: ["from, ms", "to, ms", "reads", "writes"],
        rows: Array.from({ length: Math.max(reads?.length ?? 0, writes?.length ?? 0) }, (_, bin) => [
          binStartUs(bin) / 1e3,
          binEndUs(bin) / 1e3,
          reads?.[bin] ?? 0,
          writes?.[bin] ?? 0,
        ]),
      })}
    />
  );
}

function drawHistogram(look: Look, reads: number[], writes: number[]): ChartOption {
  const used = (values: number[]) => values.findIndex((many) => many > 0);
  const firsts = [used(reads), used(writes)].filter((bin) => bin >= 0);
  const first = firsts.length === 0 ? 0 : Math.min(...firsts);
  const end = Math.max(reads.length, writes.length, first + 1);
  const bins = Array.from({ length: end - first }, (_, at) => first + at);
  const bar = (name: string, values: number[], color: string, dense: boolean): BarSeriesOption => ({
    type: "bar",
    name,
    stack: "count",
    barCategoryGap: "4%",
    itemStyle: {
      color,
      ...(dense
        ? {
            decal: {
              symbol: "rect",
              dashArrayX: [1, 0],
              dashArrayY: [2, 4],
              rotation: 0.8,
              color: look.ground,
            },
          }
        : {}),
    },
    data: bins.map((bin) => values[bin] ?? 0),
  });
  const series: BarSeriesOption[] = [];
  if (reads.length > 0) series.push(bar("reads", reads, look.read, false));
  if (writes.length > 0) series.push(bar("writes", writes, look.write, true));
  const axis = categoryAxis(
    look,
    "",
    bins.map((bin) => tickUs(Number(binStartUs(bin).toPrecision(2)))),
  );
  return {
    xAxis: { ...axis, axisLabel: { ...axis.axisLabel, interval: (at: number) => (first + at) % 4 === 0 } },
    yAxis: { ...valueAxis(look, "operations"), min: 0 },
    grid: { top: 48 },
    tooltip: { axisPointer: { type: "shadow" }, formatter: (items: unknown) => barWords(items, first) },
    series,
  };
}

function barWords(items: unknown, first: number): string {
  const list = Array.isArray(items)
    ? (items as { seriesName?: string; value?: unknown; dataIndex?: number }[])
    : [];
  const bin = first + (list[0]?.dataIndex ?? 0);
  const lines = list.map((item) => `${item.seriesName ?? ""}: ${count(Number(item.value ?? 0))}`);
  return [`${duration(binStartUs(bin))} to ${duration(binEndUs(bin))}`, ...lines].join("\n");
}

/** As in hgrm files, 90 %, 99 % and 99.9 % are equally far apart. */
function Percentiles({ detail }: { detail: Detail }) {
  const curves = useMemo(() => detail.percentiles.map(carriedCurve), [detail]);
  const option = useMemo(() => (look: Look) => drawCurves(look, curves), [curves]);
  const said = curves.map(
    (curve) =>
      `${curve.kind}: ${counted(curve.count, "operation")}, longest ${duration(curve.us[curve.us.length - 1] ?? 0)}`,
  );
  return (
    <Chart
      id="percentiles"
      title={`${detail.measure === "response" ? "Response" : "Service"} time by percentile`}
      describe={`${said.join("; ")}.`}
      option={option}
      height={300}
      note={
        "A point shows the time within which that share of operations completed. With each step to the right, " +
        "slower operations are ten times rarer."
      }
      table={() => ({
        columns: ["kind", "percentile", "ms"],
        rows: curves.flatMap((curve) =>
          curve.percentile.map((percentile, at) => [curve.kind, percentile, (curve.us[at] ?? 0) / 1e3]),
        ),
      })}
    />
  );
}

/** 1/(1-p). For 100 % this would be infinite: it is placed at the number of operations, or at 2 if there is one. */
export function rarity(percentile: number, operations: number): number {
  const most = Math.max(operations, 2);
  return percentile >= 100 ? most : Math.min(1 / (1 - percentile / 100), most);
}

function drawCurves(look: Look, curves: PercentileCurve[]): ChartOption {
  const series: LineSeriesOption[] = curves.map((curve, n) => {
    const known = {
      read: { color: look.read, dash: "solid" as const },
      write: { color: look.write, dash: [7, 4] },
    }[curve.kind];
    const style = known ?? seriesStyle(look, n + 2);
    return {
      type: "line",
      name: curve.kind,
      symbol: "none",
      itemStyle: { color: style.color },
      lineStyle: { color: style.color, type: style.dash, width: 2 },
      data: curve.percentile.map((percentile, at) => [
        rarity(percentile, curve.count),
        Math.max(curve.us[at] ?? 0, 0.1),
      ]),
    };
  });
  const most = curves.reduce((one, curve) => Math.max(one, curve.count), 10);
  const x = valueAxis(look, "", { format: percentTick });
  return {
    xAxis: {
      ...x,
      type: "log",
      logBase: 10,
      min: 1,
      max: 10 ** Math.ceil(Math.log10(most)),
      splitLine: { ...x.splitLine, show: true },
    },
    yAxis: latencyAxis(look, "", decades(curves.flatMap((curve) => curve.us))),
    grid: { top: 48 },
    tooltip: { formatter: (items: unknown) => curveWords(items) },
    series,
  };
}

/** The percentile at a tick of 1/(1-p): 0 %, 90 %, 99 %, 99.9 %. */
function percentTick(value: number): string {
  const nines = Math.round(Math.log10(value));
  return nines <= 0 ? "0 %" : `${(100 - 100 / 10 ** nines).toFixed(Math.max(nines - 2, 0))} %`;
}

function curveWords(items: unknown): string {
  const list = Array.isArray(items) ? (items as { seriesName?: string; value?: unknown }[]) : [];
  return list
    .map((item) => {
      const value = Array.isArray(item.value) ? (item.value as number[]) : [];
      const percentile = 100 - 100 / (value[0] ?? 1);
      return `${item.seriesName ?? ""}: ${Number(percentile.toPrecision(6))} % within ${duration(value[1] ?? 0)}`;
    })
    .join("\n");
}
