// Statistics for the period in view, computed from bins instead of operations. So the effort is the same for a thousand
// operations and for ten million. Times snap to whole bins, and a percentile is only known as a bin of latency.

import type { LatencyGrid, LatencySide, TimeAxis } from "../data/page";
import { whyNot } from "../figures/percentile";
import type { Period } from "../period";
import type { Flow } from "./over-time";

/** The start of latency bin b, in µs: 2^(b/4). The first bin also holds all smaller values. */
export function binStartUs(bin: number): number {
  return bin <= 0 ? 0 : 2 ** (bin / 4);
}

export function binEndUs(bin: number): number {
  return 2 ** ((bin + 1) / 4);
}

/** Whole bins of time, from `first` to `end`, exclusive. */
export interface BinSpan {
  first: number;
  end: number;
  from_s: number;
  to_s: number;
}

/** The bins that a period touches; all bins for null. */
export function spanOf(time: TimeAxis, chosen: Period | null): BinSpan {
  const at = (seconds: number) => (seconds - time.from_s) / time.bin_s;
  const first = chosen === null ? 0 : Math.floor(at(chosen.from_s) + 1e-9);
  const end = chosen === null ? time.bins : Math.ceil(at(chosen.to_s) - 1e-9);
  const inside = (bin: number) => Math.min(Math.max(bin, 0), time.bins);
  const span = { first: inside(first), end: Math.max(inside(end), inside(first)) };
  return {
    ...span,
    from_s: time.from_s + span.first * time.bin_s,
    to_s: time.from_s + span.end * time.bin_s,
  };
}

export interface FlowStats {
  span: BinSpan;
  length_s: number;
  ops: number;
  failed_ops: number;
  warmup_ops: number;
  read_bytes: number;
  written_bytes: number;
  read_bytes_per_s: number | null;
  written_bytes_per_s: number | null;
  /** The longest time without a transferred byte, in whole bins. */
  longest_pause_s: number;
}

export function flowStats(flow: Flow, chosen: Period | null): FlowStats {
  const span = spanOf(flow.time, chosen);
  const length_s = span.to_s - span.from_s;
  const sum = (values: readonly number[]) =>
    values.slice(span.first, span.end).reduce((one, two) => one + two, 0);
  const read_bytes = sum(flow.read_bytes);
  const written_bytes = sum(flow.written_bytes);
  return {
    span,
    length_s,
    ops: sum(flow.ops),
    failed_ops: sum(flow.failed_ops),
    warmup_ops: sum(flow.warmup_ops),
    read_bytes,
    written_bytes,
    read_bytes_per_s: length_s > 0 ? read_bytes / length_s : null,
    written_bytes_per_s: length_s > 0 ? written_bytes / length_s : null,
    longest_pause_s: longestPause(flow, span) * flow.time.bin_s,
  };
}

function longestPause(flow: Flow, span: BinSpan): number {
  let longest = 0;
  let now = 0;
  for (let bin = span.first; bin < span.end; bin += 1) {
    now = (flow.read_bytes[bin] ?? 0) + (flow.written_bytes[bin] ?? 0) > 0 ? 0 : now + 1;
    longest = Math.max(longest, now);
  }
  return longest;
}

/** The bin of latency that contains a percentile. Its limits are at most 19 % apart. */
export interface Within {
  from_us: number;
  to_us: number;
}

export interface LatencyStats {
  count: number;
  mean_us: number | null;
  max_us: number | null;
  p50: Within | null;
  p99: Within | null;
}

export function latencyStats(side: LatencySide, time: TimeAxis, chosen: Period | null): LatencyStats {
  const span = spanOf(time, chosen);
  const counts = latencyCounts(side, span);
  const count = counts.reduce((one, two) => one + two, 0);
  if (count === 0) return { count, mean_us: null, max_us: null, p50: null, p99: null };
  const sum = side.sum_us.slice(span.first, span.end).reduce((one, two) => one + two, 0);
  const max_us = side.max_us.slice(span.first, span.end).reduce((one, two) => Math.max(one, two), 0);
  return {
    count,
    mean_us: sum / count,
    max_us,
    p50: percentileOf(counts, count, 0.5, max_us),
    p99: percentileOf(counts, count, 0.99, max_us),
  };
}

/** The number of operations in each bin of latency, in these bins of time. */
export function latencyCounts(side: LatencySide, span: Pick<BinSpan, "first" | "end">): number[] {
  const counts: number[] = [];
  for (let at = 0; at + 2 < side.cells.length; at += 3) {
    const time = side.cells[at] ?? 0;
    if (time < span.first || time >= span.end) continue;
    const bin = side.cells[at + 1] ?? 0;
    while (counts.length <= bin) counts.push(0);
    counts[bin] = (counts[bin] ?? 0) + (side.cells[at + 2] ?? 0);
  }
  return counts;
}

/**
 * The smallest value that is not exceeded by this share of all values, as HdrHistogram counts it. Null if there are too
 * few operations for it.
 */
function percentileOf(
  counts: readonly number[],
  count: number,
  share: number,
  max_us: number,
): Within | null {
  if (whyNot(share * 100, count) !== null) return null;
  const wanted = Math.max(1, Math.ceil(count * share));
  let seen = 0;
  for (let bin = 0; bin < counts.length; bin += 1) {
    seen += counts[bin] ?? 0;
    if (seen >= wanted) return { from_us: binStartUs(bin), to_us: Math.min(binEndUs(bin), max_us) };
  }
  return null;
}

/** Reads and writes together. */
export function bothSides(grid: LatencyGrid): LatencySide {
  const bins = Math.max(grid.reads.max_us.length, grid.writes.max_us.length);
  const each = (of: (at: number) => number) => Array.from({ length: bins }, (_, at) => of(at));
  return {
    cells: [...grid.reads.cells, ...grid.writes.cells],
    max_us: each((at) => Math.max(grid.reads.max_us[at] ?? 0, grid.writes.max_us[at] ?? 0)),
    sum_us: each((at) => (grid.reads.sum_us[at] ?? 0) + (grid.writes.sum_us[at] ?? 0)),
  };
}
