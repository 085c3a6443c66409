// Streams over time: a strip for each with its late frames, and how close frames came to their deadlines.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { categoryAxis, tick, tickTime, timeAxis, timeGrid, valueAxis } from "../charts/axes";
import { rasterSeries } from "../charts/raster";
import { stepData } from "../charts/steps";
import type { PointStreams, RunPage, StreamStrip } from "../data/page";
import { count, counted, ms } from "../figures/units";
import type { Extent } from "../period";
import { cut } from "../parts/text";

/** A strip of one stream in one load point. */
interface Strip {
  row: number;
  point: PointStreams;
  strip: StreamStrip;
  /** Buffer and one frame: what the margin is held against. */
  allowance_us: number | null;
}

export function StripChart({
  run,
  streams,
  extent,
}: {
  run: RunPage;
  streams: PointStreams[];
  extent: Extent;
}) {
  const rows = useMemo(() => rowsOf(streams), [streams]);
  const strips = useMemo(() => stripsOf(run, streams, rows), [run, streams, rows]);
  const option = useMemo(() => (look: Look) => drawStrips(look, rows, strips), [strips]);
  const readout = useMemo(() => (x: number, y: number) => stripWords(run, rows, strips, x, y), [strips]);
  const late = streams.reduce((sum, point) => sum + total(point.late_frames), 0);
  const left = streams.reduce((most, point) => Math.max(most, point.left_out), 0);
  return (
    <Chart
      id="stream-strips"
      title="Streams and their late frames"
      describe={`${counted(rows.length, "stream")}, ${counted(late, "late frame")}.`}
      option={option}
      timeAxis={extent}
      height={50 + rows.length * (rows.length > 24 ? 12 : 18)}
      readout={readout}
      note={
        <>
          One row for each stream. <Key />{" "}
          {left > 0 && `${counted(left, "stream")} with fewer late frames have no row.`}
        </>
      }
      table={() => ({
        columns: ["load point", "stream", "from, s", "smallest margin, us", "late frames"],
        rows: strips.flatMap(({ point, strip }) =>
          strip.late_frames.flatMap((frames, bin) => {
            const margin = strip.min_margin_us[bin] ?? null;
            const empty = frames === 0 && margin === null;
            return empty
              ? []
              : [[point.point, strip.stream, point.time.from_s + bin * point.time.bin_s, margin, frames]];
          }),
        ),
      })}
    />
  );
}

function Key() {
  return (
    <span class="strip-key">
      <i class="late" aria-hidden="true" /> late frames, <i class="close" aria-hidden="true" /> less than a
      tenth of the time left, <i class="some" aria-hidden="true" /> less than half,{" "}
      <i class="free" aria-hidden="true" /> more than half.
    </span>
  );
}

function total(values: readonly number[]): number {
  return values.reduce((one, two) => one + two, 0);
}

/** Numbers of streams, ascending; at most 64, the late ones first. */
function rowsOf(streams: PointStreams[]): number[] {
  const late = new Map<number, number>();
  for (const point of streams) {
    for (const strip of point.streams)
      late.set(strip.stream, (late.get(strip.stream) ?? 0) + total(strip.late_frames));
  }
  const order = [...late].sort((one, two) => two[1] - one[1] || one[0] - two[0]).slice(0, 64);
  return order.map(([stream]) => stream).sort((one, two) => one - two);
}

function stripsOf(run: RunPage, streams: PointStreams[], rows: number[]): Strip[] {
  return streams.flatMap((point) => {
    const load = run.summary.load_points.find((one) => one.index === point.point);
    return point.streams.flatMap((strip) => {
      const row = rows.indexOf(strip.stream);
      const facts = load?.streams?.streams.find((one) => one.stream === strip.stream);
      const allowance_us =
        facts === undefined ? null : (facts.buffer_s + 1 / facts.nominal_frames_per_s) * 1e6;
      return row < 0 ? [] : [{ row, point, strip, allowance_us }];
    });
  });
}

function drawStrips(look: Look, rows: number[], strips: Strip[]): ChartOption {
  const paint = rasterSeries("streams", (context, plot) => {
    const height = plot.height / Math.max(rows.length, 1);
    for (const one of strips) {
      const { time } = one.point;
      for (let bin = 0; bin < time.bins; bin += 1) {
        const kind = kindOf(one, bin);
        if (kind === null) continue;
        const left = plot.x(time.from_s + bin * time.bin_s);
        const right = plot.x(time.from_s + (bin + 1) * time.bin_s);
        if (right < 0 || left > plot.width) continue;
        const share = kind === "late" ? 0.92 : 0.5;
        context.fillStyle = { late: look.bad, close: look.ink, some: look.faint, free: look.line }[kind];
        const top = one.row * height + (height * (1 - share)) / 2;
        context.fillRect(
          Math.floor(left),
          top,
          Math.max(Math.ceil(right - left), kind === "late" ? 3 : 1),
          height * share,
        );
      }
    }
  });
  const axis = categoryAxis(look, "", rows.map(String));
  return {
    xAxis: timeAxis(look),
    yAxis: {
      ...axis,
      inverse: true,
      axisTick: { show: false },
      axisLabel: { ...axis.axisLabel, interval: rows.length > 24 ? 3 : 0 },
    },
    legend: { show: false },
    grid: { top: 8 },
    tooltip: { show: false },
    series: [paint],
  };
}

function kindOf({ strip, allowance_us }: Strip, bin: number): "late" | "close" | "some" | "free" | null {
  if ((strip.late_frames[bin] ?? 0) > 0) return "late";
  const margin = strip.min_margin_us[bin] ?? null;
  if (margin === null) return null;
  if (allowance_us === null) return "free";
  const left = margin / allowance_us;
  if (left < 0.1) return "close";
  return left < 0.5 ? "some" : "free";
}

function stripWords(run: RunPage, rows: number[], strips: Strip[], x: number, y: number): string | null {
  const row = Math.round(y);
  const at = strips.find(
    ({ row: its, point: { time } }) =>
      its === row && x >= time.from_s && x < time.from_s + time.bins * time.bin_s,
  );
  if (at === undefined) return `Stream ${rows[row] ?? ""} at ${tickTime(Number(x.toFixed(3)))}: no frame`;
  const { time } = at.point;
  const bin = Math.floor((x - time.from_s) / time.bin_s);
  const margin = at.strip.min_margin_us[bin] ?? null;
  const late = at.strip.late_frames[bin] ?? 0;
  const name = cut(at.strip.name, 60);
  const label = cut(run.summary.load_points.find((point) => point.index === at.point.point)?.label ?? "", 30);
  const closest = margin === null ? "no frame came" : `smallest margin ${ms(margin)} ms`;
  return `Stream ${at.strip.stream}, ${name} (${label}) at ${tickTime(Number(x.toFixed(3)))}: ${counted(late, "late frame")}, ${closest}`;
}

export function MarginChart({ streams, extent }: { streams: PointStreams[]; extent: Extent }) {
  const option = useMemo(() => (look: Look) => drawMargin(look, streams), [streams]);
  const margins = streams.flatMap((point) => point.min_margin_us).filter((margin) => margin !== null);
  const worst = margins.reduce((one, two) => Math.min(one, two), Infinity);
  return (
    <Chart
      id="margin"
      title="Smallest margin, and late frames"
      describe={
        margins.length === 0
          ? "No frame was judged."
          : `The smallest margin of all is ${ms(worst)} ms; below 0 a frame is late.`
      }
      option={option}
      timeAxis={extent}
      height={320}
      note="Margin: time from the arrival of a frame to its deadline, the smallest of all streams. Below 0 it came too late."
      table={() => ({
        columns: ["load point", "from, s", "smallest margin, us", "late frames"],
        rows: streams.flatMap((point) =>
          point.late_frames.map((late, bin) => [
            point.point,
            point.time.from_s + bin * point.time.bin_s,
            point.min_margin_us[bin] ?? null,
            late,
          ]),
        ),
      })}
    />
  );
}

function drawMargin(look: Look, streams: PointStreams[]): ChartOption {
  const gap = (point: PointStreams): [number, null][] => [
    [point.time.from_s + point.time.bins * point.time.bin_s, null],
  ];
  const margin: LineSeriesOption = {
    type: "line",
    name: "smallest margin",
    step: "end",
    symbol: "none",
    itemStyle: { color: look.read },
    lineStyle: { color: look.read, width: 1.6 },
    data: streams.flatMap((point) => [...stepData(point.time, point.min_margin_us, 1e3), ...gap(point)]),
    markLine: {
      silent: true,
      symbol: "none",
      lineStyle: { color: look.bad, type: "solid", width: 1 },
      label: { formatter: "deadline", position: "insideEndBottom", color: look.bad, fontSize: 11 },
      data: [{ yAxis: 0 }],
    },
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
    data: streams.flatMap((point) => [...stepData(point.time, point.late_frames), ...gap(point)]),
  };
  const grid = timeGrid(look);
  return {
    grid: [
      { ...grid, bottom: 120 },
      { ...grid, top: "auto", bottom: 24, height: 62 },
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
