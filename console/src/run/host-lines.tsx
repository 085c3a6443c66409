// Each host over time: its throughput, and its late frames or its slowest response.

import { useMemo } from "preact/hooks";
import { tick, tickTime, timeAxis, valueAxis } from "../charts/axes";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { seriesStyle } from "../charts/palette";
import type { Detail, TimeAxis } from "../data/page";
import type { HostsSection } from "../data/summary";
import { count, counted, duration, mbPerS } from "../figures/units";
import type { Extent } from "../period";
import { chartText } from "../parts/text";
import { merged } from "./over-time";

/** More lines would be hard to distinguish, so only the worst hosts have one. */
const MOST_LINES = 8;

/** The maximum number of steps in a chart. */
const MOST_STEPS = 120;

interface HostLine {
  name: string;
  /** The start of each step, and its value. */
  steps: [number, number | null][];
  /** The value over the whole run: the sum or the largest value. */
  whole: number;
}

interface Props {
  section: HostsSection;
  detail: Detail;
  extent: Extent;
}

export function HostLines({ section, detail, extent }: Props) {
  const names = section.hosts.map(({ agent }) => agent);
  const rates = useMemo(() => ratesOf(names, detail), [section, detail]);
  const late = useMemo(() => lateOf(names, detail), [section, detail]);
  const slow = useMemo(() => slowestOf(names, detail), [section, detail]);
  if (rates.length < 2) return null;
  // The worst hosts have the most late frames, or the slowest response.
  const worst = late.length > 0 ? late : slow;
  const shown = new Set([...worst].sort((one, two) => two.whole - one.whole).slice(0, MOST_LINES).map(({ name }) => name));
  const of = (lines: HostLine[]) => lines.filter(({ name }) => shown.has(name));
  const note = rates.length > MOST_LINES ? `The ${MOST_LINES} worst of ${counted(rates.length, "host")}.` : undefined;
  const common = { extent, note };
  return (
    <>
      <LineChart {...common} id="host-rates" title="Throughput by host" unit="MB/s" lines={of(rates)} say={(mb) => mbPerS(mb * 1e6)} />
      {late.length > 0 ? (
        <LineChart {...common} id="host-late" title="Late frames by host" unit="frames" lines={of(late)} say={count} />
      ) : (
        <LineChart {...common} id="host-slowest" title="Slowest response by host" unit="ms" lines={of(slow)} say={(ms) => duration(ms * 1e3)} />
      )}
    </>
  );
}

interface LineProps {
  id: string;
  title: string;
  unit: string;
  lines: HostLine[];
  say: (value: number) => string;
  extent: Extent;
  note?: string | undefined;
}

function LineChart({ id, title, unit, lines, say, extent, note }: LineProps) {
  const option = useMemo(() => (look: Look) => draw(look, lines, unit, say), [lines.map(({ name }) => name).join("\n"), unit]);
  const said = lines.map(({ name, steps }) => `${name}: peak ${say(most(steps))}`);
  return (
    <Chart
      id={id}
      title={title}
      describe={`${said.join("; ")}${unit === "ms" ? "" : ` ${unit}`}.`}
      option={option}
      timeAxis={extent}
      height={200}
      note={note}
      table={() => ({
        columns: ["host", "from, s", unit === "frames" ? "late frames" : `${id === "host-rates" ? "rate" : "slowest"}, ${unit}`],
        rows: lines.flatMap(({ name, steps }) => steps.filter(([, value]) => value !== null).map(([at, value]) => [name, at, value])),
      })}
    />
  );
}

function most(steps: readonly [number, number | null][]): number {
  return steps.reduce((largest, [, value]) => Math.max(largest, value ?? 0), 0);
}

function ratesOf(names: readonly string[], detail: Detail): HostLine[] {
  const { time, hosts } = detail.hosts ?? { time: NO_TIME, hosts: [] };
  return hosts.map(({ bytes }, at) => {
    const { values, bin_s } = joined(time, bytes, "mean");
    const rates = values.map((value) => value / time.bin_s / 1e6);
    return { name: names[at] ?? "", steps: stepsOf(time.from_s, bin_s, rates), whole: bytes.reduce((sum, one) => sum + one, 0) };
  });
}

/** Empty if no stream has frames. */
function lateOf(names: readonly string[], detail: Detail): HostLine[] {
  const points = detail.streams.filter((point) => point.host_late_frames.length > 0);
  if (points.length === 0) return [];
  return names.slice(0, points[0]?.host_late_frames.length).map((name, host) => {
    const all = points.map(({ time, host_late_frames }) => ({ time, frames: host_late_frames[host] ?? [] }));
    const steps = all.flatMap(({ time, frames }) => {
      const { values, bin_s } = joined(time, frames, "sum");
      return stepsOf(time.from_s, bin_s, values);
    });
    const whole = all.reduce((sum, { frames }) => sum + frames.reduce((one, two) => one + two, 0), 0);
    return { name, steps, whole };
  });
}

function slowestOf(names: readonly string[], detail: Detail): HostLine[] {
  const { time, hosts } = detail.hosts ?? { time: NO_TIME, hosts: [] };
  return hosts.map(({ max_response_us }, at) => {
    const { values, bin_s } = joined(time, max_response_us, "max");
    // A step without an operation has no value.
    const ms = values.map((us) => (us === 0 ? null : us / 1e3));
    const steps = stepsOf(time.from_s, bin_s, ms);
    return { name: names[at] ?? "", steps, whole: most(steps) };
  });
}

const NO_TIME: TimeAxis = { from_s: 0, bin_s: 1, bins: 0 };

function joined(time: TimeAxis, values: readonly number[], how: "sum" | "max" | "mean"): { values: number[]; bin_s: number } {
  // A step takes at least half a second (less in a run of under 10 s), because single transfers are not a rate.
  const per = Math.max(1, Math.ceil(values.length / MOST_STEPS), Math.round(Math.min(0.5, (time.bins * time.bin_s) / 20) / time.bin_s));
  return { values: merged(values, per, how), bin_s: time.bin_s * per };
}

/** The steps, the end of the last one, and a gap after it. */
function stepsOf(from_s: number, bin_s: number, values: readonly (number | null)[]): [number, number | null][] {
  const steps = values.map((value, at): [number, number | null] => [from_s + at * bin_s, value]);
  const end_s = from_s + values.length * bin_s;
  return values.length === 0 ? [] : [...steps, [end_s, values.at(-1) ?? null], [end_s, null]];
}

function draw(look: Look, lines: readonly HostLine[], unit: string, say: (value: number) => string): ChartOption {
  const series = lines.map(({ name, steps }, n): LineSeriesOption => {
    const { color, dash } = seriesStyle(look, n);
    return {
      type: "line",
      name: chartText(name, 40),
      step: "end",
      symbol: "none",
      itemStyle: { color },
      lineStyle: { color, type: dash, width: 1.6 },
      data: steps,
    };
  });
  return {
    xAxis: timeAxis(look),
    yAxis: { ...valueAxis(look, unit, { room: true, min: 0, format: tick }), splitNumber: 3, ...(unit === "frames" ? { minInterval: 1 } : {}) },
    tooltip: { formatter: (items: unknown) => words(items, unit, say) },
    series,
  };
}

function words(items: unknown, unit: string, say: (value: number) => string): string {
  const list = Array.isArray(items) ? (items as { seriesName?: string; value?: unknown }[]) : [];
  const at = (item: { value?: unknown }) => (Array.isArray(item.value) ? (item.value as (number | null)[]) : []);
  const moment = tickTime(Number((at(list[0] ?? {})[0] ?? 0).toFixed(2)));
  const lines = list.map((item) => {
    const value = at(item)[1];
    return `${item.seriesName ?? ""}: ${value == null ? "–" : `${say(value)}${unit === "ms" ? "" : ` ${unit}`}`}`;
  });
  return [moment, ...lines].join("\n");
}
