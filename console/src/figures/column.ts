// A column of numbers with their points below one another, as the terminal's tables have them
// (crates/report/src/tables.rs, `numbers`).

import { columnDecimals, fixed } from "./units";

/** How each number of this column is written; `scale` is what the raw numbers are divided by. */
export function columnText(
  values: Iterable<number | null | undefined>,
  scale = 1,
): (value: number) => string {
  const sizes: number[] = [];
  for (const value of values) if (value !== null && value !== undefined) sizes.push(Math.abs(value / scale));
  const decimals = columnDecimals(sizes);
  return (value) => fixed(value / scale, decimals);
}
