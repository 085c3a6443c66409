// The meaning of a figure of summary.json, by its path: the doc comment of the field in the Rust types.

import { MEANINGS } from "../data/meanings";

/** The meaning of `load_points.0.total.read_bytes_per_s`; undefined if the path is unknown. */
export function meaningOf(path: string): string | undefined {
  let type: string | undefined = "Summary";
  let meaning: string | undefined;
  for (const step of path.split(".")) {
    if (/^\d+$/.test(step)) continue;
    const field: [string, string?] | undefined = type === undefined ? undefined : MEANINGS[type]?.[step];
    if (field === undefined) return undefined;
    [meaning, type] = field;
  }
  return meaning === "" ? undefined : meaning;
}
