// Which bars the page of suites draws: the medians of all suites, or the passes of one. Pure.

import type { SuitesPage } from "../data/page";
import type { BarSeries } from "./suite-bars";

/** `null` for the medians, else the number of a suite, from 0, whose passes are shown. */
export type BarChoice = number | null;

/** The passes of a suite that stands alone, else the medians. */
export function usualBars({ suites }: SuitesPage): BarChoice {
  return suites.length === 1 ? 0 : null;
}

export function barsOf({ suites, rows }: SuitesPage, choice: BarChoice): BarSeries[] {
  if (choice === null) {
    return suites.map((_, at) => ({ name: nameOf(suites, at), bytes_per_s: rows.map((row) => row.bytes_per_s[at] ?? null) }));
  }
  return passBars(rows.map((row) => row.passes_bytes_per_s[choice] ?? []));
}

/** A series for each pass; workloads with fewer passes have none there. */
export function passBars(passes: readonly (readonly (number | null)[])[]): BarSeries[] {
  const most = Math.max(0, ...passes.map((each) => each.length));
  return Array.from({ length: most }, (_, pass) => ({ name: `pass ${pass + 1}`, bytes_per_s: passes.map((each) => each[pass] ?? null) }));
}

/** Numbered, because two may be called the same. */
export function nameOf(suites: SuitesPage["suites"], at: number): string {
  const label = suites[at]?.label ?? "";
  return suites.length === 1 ? label : `${at + 1}: ${label}`;
}
