// Which counters to show first: those that changed during the incidents; without incidents, those that changed at all.
// The others are flat or irrelevant. Pure.

import type { Band } from "../charts/bands";
import type { CounterSeries } from "../data/page";

/** A counter that changed by less than this share of its largest value is flat. */
const FLAT_SHARE = 0.25;

/** In an incident a counter must differ this much from its usual value, as a share of the larger of both. */
const TOLD_SHARE = 0.5;

/** It must also differ by this multiple of its usual spread, from the lower to the upper quartile. */
const TOLD_SPREADS = 2;

/** The time that a sample covers, in seconds before it. */
const SAMPLE_S = 1;

/**
 * The tool's own load and the amount of used memory do not cause late frames. A count can be a cause only if it changed
 * in an incident.
 */
function isBeside(series: CounterSeries, bands: readonly Band[]): boolean {
  return series.layer === "tool" || series.unit === "bytes" || (series.unit === "count" && bands.length === 0);
}

/** How informative a counter is; higher is more informative, 0 for flat or irrelevant counters. */
export function tells(series: CounterSeries, bands: readonly Band[]): number {
  if (isBeside(series, bands)) return 0;
  const samples = series.at_s.flatMap((at_s, n) => {
    const value = series.value[n] ?? null;
    return value === null ? [] : [{ at_s, value }];
  });
  const values = samples.map(({ value }) => value);
  const most = values.reduce((one, two) => Math.max(one, two), -Infinity);
  const least = values.reduce((one, two) => Math.min(one, two), Infinity);
  const range = most - least;
  if (samples.length < 3 || !(most > 0) || range < most * FLAT_SHARE || isSlight(series.unit, most)) return 0;
  if (bands.length === 0) return range / most;
  const shared_s = (at_s: number, band: Band) => Math.min(at_s, band.to_s) - Math.max(at_s - SAMPLE_S, band.from_s);
  const isInside = (at_s: number) => bands.some((band) => shared_s(at_s, band) >= SAMPLE_S / 2);
  const inside = samples.filter(({ at_s }) => isInside(at_s)).map(({ value }) => value);
  const outside = samples.filter(({ at_s }) => !isInside(at_s)).map(({ value }) => value);
  return farthest(inside, outside, range * FLAT_SHARE);
}

/**
 * The largest distance of a value from the usual one, as a share. 0 if it is not clear: below `least`, or below the
 * usual spread of the counter.
 */
function farthest(inside: readonly number[], outside: readonly number[], least: number): number {
  if (inside.length === 0 || outside.length < 3) return 0;
  const usual = quantile(outside, 0.5);
  const spread = quantile(outside, 0.75) - quantile(outside, 0.25);
  const shares = inside.map((value) => {
    const distance = Math.abs(value - usual);
    const isClear = distance > spread * TOLD_SPREADS && distance >= least;
    return isClear ? distance / Math.max(Math.abs(value), Math.abs(usual)) : 0;
  });
  const share = Math.max(...shares);
  return share >= TOLD_SHARE ? share : 0;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, two) => one - two);
  return sorted[Math.round((sorted.length - 1) * share)] ?? 0;
}

/** Changes that no stream notices: a few percent of a processor, a few requests, less than 1 MB/s. */
function isSlight(unit: string, most: number): boolean {
  if (unit === "percent") return most < 10;
  if (unit === "count") return most < 16;
  return unit === "bytes_per_s" && most < 1e6;
}
