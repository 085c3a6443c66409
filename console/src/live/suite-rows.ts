// Runs as the list shows them: a suite or a proof is one row, with its runs folded under it. Pure.

import type { RunEntry } from "../data/live";
import { counted } from "../figures/units";
import { type RunFilter, runsShown } from "./run-search";

/** The verb of a suite's row, which groups runs and is not a run. */
export const SUITE = "suite";

/** The verb of a proof's row, which groups runs, too. */
export const PROOF = "prove";

/** The verb of a procedure's row, which groups runs, too. */
export const PROCEDURE = "procedure";

/** Whether this entry groups runs and is not a run. */
export const holdsRuns = (run: RunEntry): boolean => [SUITE, PROOF, PROCEDURE].includes(run.verb);

/** What a reader opened or closed, by the suite's name. */
export type Opened = Readonly<Record<string, boolean>>;

export interface ListedRun {
  run: RunEntry;
  /** Of a suite: the runs in it, in the order in which they began; of a proof of suites, these. */
  members: readonly RunEntry[];
  /** Those that are shown under it. */
  under: readonly RunEntry[];
}

/**
 * The rows of the list. A search that finds runs of a suite, and not the suite itself, shows those; otherwise they are
 * shown where the user opened the suite.
 */
export function listedRuns(runs: readonly RunEntry[], filter: RunFilter, opened: Opened): ListedRun[] {
  const found = new Set(runsShown(runs, filter).map((run) => run.id));
  const suites = new Set(runs.filter(holdsRuns).map((run) => run.id));
  const isMember = (run: RunEntry) => run.suite !== null && suites.has(run.suite);
  return runs
    .filter((run) => !isMember(run))
    .flatMap((run) => {
      const members = holdsRuns(run) ? runs.filter((other) => other.suite === run.id).reverse() : [];
      // Those of a suite within a proof, too.
      const hits = members.length === 0 ? [] : runs.filter(({ id }) => id.startsWith(`${run.id}/`) && found.has(id)).reverse();
      if (!found.has(run.id) && hits.length === 0) return [];
      const isOpen = opened[run.id];
      const under = isOpen === true ? members : isOpen === undefined && !found.has(run.id) ? hits : [];
      return [{ run, members, under }];
    });
}

/** What a click on a suite's button does: all of its runs, or none. */
export function toggled(opened: Opened, { run, members, under }: ListedRun): Opened {
  return { ...opened, [run.id]: under.length < members.length };
}

/** `12 runs`, `1 of 12 runs`. */
export function membersText({ members, under }: ListedRun): string {
  const isPart = under.length > 0 && under.length < members.length;
  return `${isPart ? `${under.length} of ` : ""}${counted(members.length, "run")}`;
}

/** How many runs are found, not counting groups such as suites: `14 runs`, `2 of 14 runs in 1 row`. */
export function countText(runs: readonly RunEntry[], filter: RunFilter): string {
  const measured = runs.filter((run) => !holdsRuns(run));
  const found = runsShown(measured, filter);
  const part = found.length < measured.length ? `${found.length} of ` : "";
  // The runs of a suite are folded into its row.
  const rows = listedRuns(runs, filter, {}).length;
  return `${part}${counted(measured.length, "run")}${rows === found.length ? "" : ` in ${counted(rows, "row")}`}`;
}
