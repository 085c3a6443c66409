// The highest percentile to show: with few operations, higher percentiles all equal the longest operation. Pure.

import type { PercentileCurve } from "../data/page";

/** The smallest number of operations for this percentile, so that at least one of them is beyond it. */
export function operationsFor(percentile: number): number {
  return Math.round(1 / (1 - percentile / 100));
}

/** The curve without the percentiles that its number of operations does not support; the maximum stays. */
export function carriedCurve(curve: PercentileCurve): PercentileCurve {
  const keep = curve.percentile.map((percentile) => percentile >= 100 || whyNot(percentile, curve.count) === null);
  return {
    ...curve,
    percentile: curve.percentile.filter((_, at) => keep[at]),
    us: curve.us.filter((_, at) => keep[at]),
  };
}

/** Why a percentile of this many operations is not shown; null if it is shown. */
export function whyNot(percentile: number, operations: number): string | null {
  const needed = operationsFor(percentile);
  if (operations >= needed) return null;
  const there = operations === 1 ? "there was 1" : `there were ${operations}`;
  return `p${percentile} needs at least ${needed.toLocaleString("en-GB")} operations; ${there}.`;
}
