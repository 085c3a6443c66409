// How far percentiles go: one of so few operations is only the longest of them under another name. Pure.

/** A percentile is shown from this many operations on: so that at least one of them lies beyond it. */
export function operationsFor(percentile: number): number {
  return Math.round(1 / (1 - percentile / 100));
}

/** Why a percentile of so many operations is not shown; null where it is. */
export function whyNot(percentile: number, operations: number): string | null {
  const needed = operationsFor(percentile);
  if (operations >= needed) return null;
  const there = operations === 1 ? "there was 1" : `there were ${operations}`;
  return `p${percentile} needs at least ${needed.toLocaleString("en-GB")} operations; ${there}.`;
}
