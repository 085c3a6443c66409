// The bars on the page of suites: the medians of all suites, or the passes of one. Pure.

import type { SuitesPage } from "../data/page";
import type { BarSeries } from "./suite-bars";

/** `null` for the medians, or the index of the suite whose passes are shown. */
export type BarChoice = number | null;

/** The passes if there is only one suite, otherwise the medians. */
export function usualBars({ suites }: SuitesPage): BarChoice {
  return suites.length === 1 ? 0 : null;
}

export function barsOf({ suites, rows }: SuitesPage, choice: BarChoice): BarSeries[] {
  if (choice === null) {
    return suites.map((_, at) => ({ name: nameOf(suites, at), bytes_per_s: rows.map((row) => row.bytes_per_s[at] ?? null) }));
  }
  return passBars(rows.map((row) => row.passes_bytes_per_s[choice] ?? []));
}

/** A series for each pass, without values for workloads that have fewer passes. */
export function passBars(passes: readonly (readonly (number | null)[])[]): BarSeries[] {
  const most = Math.max(0, ...passes.map((each) => each.length));
  return Array.from({ length: most }, (_, pass) => ({ name: `pass ${pass + 1}`, bytes_per_s: passes.map((each) => each[pass] ?? null) }));
}

/** Numbered, because two suites may have the same name. */
export function nameOf(suites: SuitesPage["suites"], at: number): string {
  const label = suites[at]?.label ?? "";
  return suites.length === 1 ? label : `${at + 1}: ${label}`;
}
