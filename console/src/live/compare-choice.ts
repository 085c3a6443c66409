// Which runs can be compared with one another: runs with runs, suites with suites. Pure.

import type { RunEntry } from "../data/live";
import { PROCEDURE, PROOF, SUITE } from "./suite-rows";

export const FEWEST = 2;
export const MOST = 8;

export type CompareChoice =
  | { of: "runs" | "suites" }
  /** Why not, and what to choose instead. */
  | { refused: string };

export function compareChoice(ids: readonly string[], runs: readonly RunEntry[]): CompareChoice {
  if (ids.some((id) => runs.some((run) => run.id === id && run.verb === PROOF))) {
    return { refused: "A proof has compared its runs already; two of its runs can be chosen." };
  }
  if (ids.some((id) => runs.some((run) => run.id === id && run.verb === PROCEDURE))) {
    return { refused: "Choose two runs of the procedure." };
  }
  const suites = ids.filter((id) => runs.some((run) => run.id === id && run.verb === SUITE)).length;
  if (ids.length === 1) return { refused: suites === 1 ? "One more suite to compare." : "One more to compare." };
  if (ids.length > MOST) return { refused: `At most ${MOST} can be compared.` };
  if (suites === 0) return { of: "runs" };
  if (suites < ids.length) {
    return { refused: "Suites are compared with suites, not with single runs; for one workload choose its runs in each suite." };
  }
  return { of: "suites" };
}
