// Runs as rows of the list: a suite or a proof is one row, and its runs are folded under it. Pure.

import type { RunEntry } from "../data/live";
import { counted } from "../figures/units";
import { type RunFilter, runsShown } from "./run-search";

/** The verb of a suite's row. The row is a group of runs, not a run. */
export const SUITE = "suite";

/** The verb of a proof's row, which is a group, too. */
export const PROOF = "prove";

/** The verb of a procedure's row, which is a group, too. */
export const PROCEDURE = "procedure";

/** Whether this entry is a group of runs, not a run. */
export const holdsRuns = (run: RunEntry): boolean => [SUITE, PROOF, PROCEDURE].includes(run.verb);

/** Whether the user opened or closed a suite, by its name. */
export type Opened = Readonly<Record<string, boolean>>;

export interface ListedRun {
  run: RunEntry;
  /** The runs of a suite, in the order of their starts; the suites of a proof of suites. */
  members: readonly RunEntry[];
  /** The members that are shown under it. */
  under: readonly RunEntry[];
}

/**
 * The rows of the list. If a search finds runs of a suite but not the suite itself, these runs are shown. Otherwise the
 * runs of a suite are shown if the user has opened it.
 */
export function listedRuns(runs: readonly RunEntry[], filter: RunFilter, opened: Opened): ListedRun[] {
  const found = new Set(runsShown(runs, filter).map((run) => run.id));
  const suites = new Set(runs.filter(holdsRuns).map((run) => run.id));
  const isMember = (run: RunEntry) => run.suite !== null && suites.has(run.suite);
  return runs
    .filter((run) => !isMember(run))
    .flatMap((run) => {
      const members = holdsRuns(run) ? runs.filter((other) => other.suite === run.id).reverse() : [];
      // Includes the runs of a suite within a proof.
      const hits = members.length === 0 ? [] : runs.filter(({ id }) => id.startsWith(`${run.id}/`) && found.has(id)).reverse();
      if (!found.has(run.id) && hits.length === 0) return [];
      const isOpen = opened[run.id];
      const under = isOpen === true ? members : isOpen === undefined && !found.has(run.id) ? hits : [];
      return [{ run, members, under }];
    });
}

/** The state after a click on a suite's button: all of its runs are shown, or none. */
export function toggled(opened: Opened, { run, members, under }: ListedRun): Opened {
  return { ...opened, [run.id]: under.length < members.length };
}

/** `12 runs`, `1 of 12 runs`. */
export function membersText({ members, under }: ListedRun): string {
  const isPart = under.length > 0 && under.length < members.length;
  return `${isPart ? `${under.length} of ` : ""}${counted(members.length, "run")}`;
}

/** The number of runs found, without groups such as suites: `14 runs`, `2 of 14 runs in 1 row`. */
export function countText(runs: readonly RunEntry[], filter: RunFilter): string {
  const measured = runs.filter((run) => !holdsRuns(run));
  const found = runsShown(measured, filter);
  const part = found.length < measured.length ? `${found.length} of ` : "";
  // The runs of a suite are folded into its row.
  const rows = listedRuns(runs, filter, {}).length;
  return `${part}${counted(measured.length, "run")}${rows === found.length ? "" : ` in ${counted(rows, "row")}`}`;
}
