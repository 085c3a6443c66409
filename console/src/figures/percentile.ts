// How far percentiles go: one of so few operations is only the longest of them under another name. Pure.

import type { PercentileCurve } from "../data/page";

/** A percentile is shown from this many operations on: so that at least one of them lies beyond it. */
export function operationsFor(percentile: number): number {
  return Math.round(1 / (1 - percentile / 100));
}

/** A curve without the percentiles that its count does not carry; the longest stays. */
export function carriedCurve(curve: PercentileCurve): PercentileCurve {
  const keep = curve.percentile.map((percentile) => percentile >= 100 || whyNot(percentile, curve.count) === null);
  return {
    ...curve,
    percentile: curve.percentile.filter((_, at) => keep[at]),
    us: curve.us.filter((_, at) => keep[at]),
  };
}

/** Why a percentile of so many operations is not shown; null where it is. */
export function whyNot(percentile: number, operations: number): string | null {
  const needed = operationsFor(percentile);
  if (operations >= needed) return null;
  const there = operations === 1 ? "there was 1" : `there were ${operations}`;
  return `p${percentile} needs at least ${needed.toLocaleString("en-GB")} operations; ${there}.`;
}
