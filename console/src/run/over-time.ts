// Operations and bytes over time, bin by bin: from the detail of the log if there is one, else from summary.json.

import type { Detail, TimeAxis } from "../data/page";
import type { Summary } from "../data/summary";
import type { Extent } from "../period";

export interface Flow {
  time: TimeAxis;
  /** `log`: fine bins; `summary`: seconds. */
  source: "log" | "summary";
  ops: number[];
  failed_ops: number[];
  warmup_ops: number[];
  read_bytes: number[];
  written_bytes: number[];
  /** The longest response in each bin; null if the bin has no operation. */
  max_us: (number | null)[];
}

export function extentOf(time: TimeAxis): Extent {
  return { from_s: time.from_s, to_s: time.from_s + Math.max(time.bins, 1) * time.bin_s };
}

/** Null if there is no operation at all. */
export function flowOf(summary: Summary, detail: Detail | null): Flow | null {
  return detail !== null && detail.time.bins > 0 ? flowOfDetail(detail) : flowOfSeries(summary);
}

/** From the log's bins. */
export function flowOfDetail(detail: Detail): Flow {
  const { reads, writes } = detail.latency;
  const max_us = Array.from({ length: detail.time.bins }, (_, bin) => {
    const most = Math.max(reads.max_us[bin] ?? 0, writes.max_us[bin] ?? 0);
    return most > 0 ? most : null;
  });
  return { time: detail.time, source: "log", ...detail.over_time, max_us };
}

/** A second that belongs to two load points has two steps in the summary, and one bin here. */
function flowOfSeries(summary: Summary): Flow | null {
  const { steps, step_s } = summary.series;
  const first = steps[0];
  const last = steps[steps.length - 1];
  if (first === undefined || last === undefined || !(step_s > 0)) return null;
  const bins = Math.round((last.began_s - first.began_s) / step_s) + 1;
  const zeros = () => new Array<number>(bins).fill(0);
  const flow: Flow = {
    time: { from_s: first.began_s, bin_s: step_s, bins },
    source: "summary",
    ops: zeros(),
    failed_ops: zeros(),
    warmup_ops: zeros(),
    read_bytes: zeros(),
    written_bytes: zeros(),
    max_us: new Array<number | null>(bins).fill(null),
  };
  for (const step of steps) {
    const bin = Math.round((step.began_s - first.began_s) / step_s);
    const add = (list: number[], value: number) => (list[bin] = (list[bin] ?? 0) + value);
    add(flow.ops, step.ops + step.warmup_ops);
    add(flow.failed_ops, step.errors);
    add(flow.warmup_ops, step.warmup_ops);
    add(flow.read_bytes, step.read_bytes);
    add(flow.written_bytes, step.written_bytes);
    if (step.max_response_us !== null)
      flow.max_us[bin] = Math.max(flow.max_us[bin] ?? 0, step.max_response_us);
  }
  return flow;
}

/** Joins bins so that there are at most `most`, by their sum or their largest value. */
export function joined(
  values: readonly number[],
  most: number,
  how: "sum" | "max",
): { values: number[]; per: number } {
  const per = Math.max(1, Math.ceil(values.length / most));
  return { values: merged(values, per, how), per };
}

/** Joins `per` bins to one. The last one may have fewer. */
export function merged(values: readonly number[], per: number, how: "sum" | "max" | "mean"): number[] {
  if (per <= 1) return [...values];
  const out: number[] = [];
  for (let from = 0; from < values.length; from += per) {
    const part = values.slice(from, from + per);
    const whole = part.reduce((one, two) => (how === "max" ? Math.max(one, two) : one + two), 0);
    out.push(how === "mean" ? whole / part.length : whole);
  }
  return out;
}
