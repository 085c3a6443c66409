// Values in bins of time as lines with steps: a value applies from the start of its bin to the start of the next.

import type { TimeAxis } from "../data/page";

/** Points for a line with `step: "end"`. The last value extends to the end of its bin. */
export function stepData(
  time: TimeAxis,
  values: readonly (number | null)[],
  scale = 1,
): [number, number | null][] {
  const scaled = (value: number | null | undefined) =>
    value === null || value === undefined ? null : value / scale;
  const points: [number, number | null][] = values.map((value, bin) => [
    time.from_s + bin * time.bin_s,
    scaled(value),
  ]);
  if (values.length > 0)
    points.push([time.from_s + values.length * time.bin_s, scaled(values[values.length - 1])]);
  return points;
}

/** Sequences of bins for which `holds` is true, as times. */
export function spans(time: TimeAxis, holds: (bin: number) => boolean): { from_s: number; to_s: number }[] {
  const found: { from_s: number; to_s: number }[] = [];
  let first: number | null = null;
  for (let bin = 0; bin <= time.bins; bin += 1) {
    const now = bin < time.bins && holds(bin);
    if (now && first === null) first = bin;
    if (!now && first !== null) {
      found.push({ from_s: time.from_s + first * time.bin_s, to_s: time.from_s + bin * time.bin_s });
      first = null;
    }
  }
  return found;
}
