// Axes with the terminal's units: times as `85.0 µs`, `1.5 s`, `3 min 12 s`; throughput in MB/s = 10^6 bytes;
// sizes as `4 KiB`. Ticks omit trailing zeros.

import { amount, blockSize, count, fixed } from "../figures/units";
import type { LineSeriesOption } from "./echarts";
import type { Look } from "./palette";

/** A number without trailing zeros: `0.25`, `1.5`, `12,000`. */
export function tick(value: number): string {
  const size = Math.abs(value);
  const decimals =
    size >= 100 || size === 0 ? 0 : size >= 1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(size)));
  const text = fixed(value, decimals);
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

/** A latency at a tick: `10 µs`, `1 ms`, `30 s`. */
export function tickUs(us: number): string {
  if (us < 1e3) return `${tick(us)} µs`;
  return us < 1e6 ? `${tick(us / 1e3)} ms` : `${tick(us / 1e6)} s`;
}

/** A point in time at a tick: `0.25 s`, `45 s`, `2:30 min`, `1:05 h`. */
export function tickTime(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 120) return `${trimmed(seconds)} s`;
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  if (size < 7200) {
    const part = size % 60;
    const rest =
      Math.abs(part - Math.round(part)) < 0.005 ? two(Math.round(part)) : part.toFixed(2).padStart(5, "0");
    return `${Math.floor(seconds / 60)}:${rest} min`;
  }
  return `${count(Math.floor(seconds / 3600))}:${two((size % 3600) / 60)} h`;
}

function trimmed(seconds: number): string {
  return String(Number(seconds.toFixed(4)));
}

const styles = (look: Look) => ({
  axisLine: { show: true, lineStyle: { color: look.faint } },
  axisTick: { lineStyle: { color: look.faint } },
  axisLabel: { color: look.faint, fontSize: 11, hideOverlap: true },
  splitLine: { lineStyle: { color: look.line, width: 1 } },
  nameTextStyle: { color: look.faint, fontSize: 11 },
});

/** The margins of the plot, equal in all charts with a time axis, so that the charts line up. */
export function timeGrid(look: Look) {
  return {
    left: look.width < 500 ? 50 : 64,
    right: 16,
    top: 42,
    bottom: 24,
    outerBoundsMode: "none" as const,
  };
}

/** The time axis that charts share. Chart sets its limits. */
export function timeAxis(look: Look, labels = true) {
  const base = styles(look);
  return {
    ...base,
    type: "value" as const,
    splitNumber: look.width < 500 ? 3 : look.width < 1400 ? 8 : 12,
    splitLine: { show: false },
    axisLabel: {
      ...base.axisLabel,
      show: labels,
      formatter: tickTime,
      showMinLabel: false,
      showMaxLabel: false,
    },
  };
}

interface AxisMore {
  max?: number;
  min?: number;
  format?: (value: number) => string;
  /** There is room to the left of the plot, as in charts with a time axis: the name is above the numbers. */
  room?: boolean;
}

/** A numeric axis that starts at 0. The name includes the unit. */
export function valueAxis(look: Look, name: string, more: AxisMore = {}) {
  const base = styles(look);
  return {
    ...base,
    type: "value" as const,
    name,
    nameLocation: "end" as const,
    nameGap: 8,
    nameTextStyle: {
      ...base.nameTextStyle,
      align: "left" as const,
      padding: [0, 0, 0, more.room === true ? -30 : -6],
    },
    min: more.min,
    max: more.max,
    axisLabel: { ...base.axisLabel, formatter: more.format ?? tick },
  };
}

/** A logarithmic axis of latencies in µs. */
export function latencyAxis(look: Look, name: string, ends: { min: number; max: number }) {
  const base = valueAxis(look, name, { format: tickUs });
  const axisLabel = { ...base.axisLabel, showMinLabel: isDecade(ends.min), showMaxLabel: isDecade(ends.max) };
  return { ...base, axisLabel, type: "log" as const, logBase: 10, min: ends.min, max: ends.max };
}

function isDecade(value: number): boolean {
  const power = Math.log10(value);
  return Math.abs(power - Math.round(power)) < 1e-9;
}

/** The line at 0 in a chart of margins. Frames below it were late. */
export function deadlineLine(look: Look): NonNullable<LineSeriesOption["markLine"]> {
  return {
    silent: true,
    symbol: "none",
    lineStyle: { color: look.bad, type: "solid", width: 1 },
    label: { formatter: "deadline", position: "insideEndBottom", color: look.bad, fontSize: 11 },
    data: [{ yAxis: 0 }],
  };
}

/** Names below the chart. Overlapping names are omitted. */
export function categoryAxis(look: Look, name: string, data: string[]) {
  const base = styles(look);
  return {
    ...base,
    type: "category" as const,
    data,
    name,
    nameLocation: "middle" as const,
    nameGap: 28,
    axisTick: { ...base.axisTick, alignWithLabel: true },
    splitLine: { show: false },
  };
}

/** The powers of ten around all values; at least one decade. */
export function decades(values: Iterable<number>): { min: number; max: number } {
  let low = Infinity;
  let high = 0;
  for (const value of values) {
    if (!(value > 0) || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (high === 0) return { min: 1, max: 10 };
  const min = 10 ** Math.floor(Math.log10(low) + 1e-9);
  const max = 10 ** Math.ceil(Math.log10(high) - 1e-9);
  return { min, max: max > min ? max : min * 10 };
}

/** The next round number: 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten. */
export function roundUp(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value * (1 - 1e-9)) ?? 10;
  return step * power;
}

export { amount, blockSize };
