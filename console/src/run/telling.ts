// Which counters to show first: those that changed during the incidents; without incidents, those that changed at all.
// The others are flat or irrelevant. Pure.

import type { Band } from "../charts/bands";
import type { CounterSeries } from "../data/page";

/** A counter that changed by less than this share of its largest value is flat. */
const FLAT_SHARE = 0.25;

/** In an incident a counter must be this far from what it was else, as a share of the larger of both. */
const TOLD_SHARE = 0.5;

/** And so many times as far as it moves else: from its lower to its upper quartile. */
const TOLD_SPREADS = 2;

/** Counters are samples of the second before them. */
const SAMPLE_S = 1;

/** What the tool itself took, and how full a memory was, is no reason for a late frame; a mere count is one only where
 * it went with an incident. */
function isBeside(series: CounterSeries, bands: readonly Band[]): boolean {
  return series.layer === "tool" || series.unit === "bytes" || (series.unit === "count" && bands.length === 0);
}

/** How much a counter tells, 0 where it is flat or beside the point; more is more. */
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

/** How far the value that is farthest from what was usual lies from it; 0 where that is not clear: less than `least`,
 * or than what the counter moves anyway. */
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

/** Movements that no stream notices: a few percent of a processor, a few requests, some kilobytes per second. */
function isSlight(unit: string, most: number): boolean {
  if (unit === "percent") return most < 10;
  if (unit === "count") return most < 16;
  return unit === "bytes_per_s" && most < 1e6;
}
