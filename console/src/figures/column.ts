// A column of numbers with aligned decimal points, as in the terminal's tables (crates/report/src/tables.rs,
// `numbers`).

import { columnDecimals, fixed } from "./units";

/** Returns the function that formats each number of this column. Raw numbers are divided by `scale`. */
export function columnText(
  values: Iterable<number | null | undefined>,
  scale = 1,
): (value: number) => string {
  const sizes: number[] = [];
  for (const value of values) if (value !== null && value !== undefined) sizes.push(Math.abs(value / scale));
  const decimals = columnDecimals(sizes);
  return (value) => fixed(value / scale, decimals);
}
