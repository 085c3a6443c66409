// Which counters are worth a look first: those that went with the incidents; where there were none, those that
// moved. The others are flat, or beside the point. Pure.

import type { Band } from "../charts/bands";
import type { CounterSeries } from "../data/page";

/** A counter that changed by less than this share of its largest value is flat. */
const FLAT_SHARE = 0.25;

/** Inside incidents a counter must differ by this share of its range. */
const TOLD_SHARE = 0.3;

/** Counters are samples of a second: the one that an incident ends in counts, too. */
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
  const isInside = (at_s: number) => bands.some((band) => at_s >= band.from_s && at_s <= band.to_s + SAMPLE_S);
  const inside = mean(samples.filter(({ at_s }) => isInside(at_s)).map(({ value }) => value));
  const outside = mean(samples.filter(({ at_s }) => !isInside(at_s)).map(({ value }) => value));
  if (inside === null || outside === null) return 0;
  const share = Math.abs(inside - outside) / range;
  return share >= TOLD_SHARE ? share : 0;
}

/** Movements that no stream notices: a few percent of a processor, some kilobytes per second. */
function isSlight(unit: string, most: number): boolean {
  if (unit === "percent") return most < 10;
  return unit === "bytes_per_s" && most < 1e6;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((one, two) => one + two, 0) / values.length;
}
