// Which runs can be compared with one another: runs with runs, suites with suites. Pure.

import type { RunEntry } from "../data/live";
import { PROCEDURE, PROOF, SUITE } from "./suite-rows";

export const FEWEST = 2;
export const MOST = 8;

export type CompareChoice =
  | { of: "runs" | "suites" }
  /** The reason for the refusal, and what to choose instead. */
  | { refused: string };

export function compareChoice(ids: readonly string[], runs: readonly RunEntry[]): CompareChoice {
  if (ids.some((id) => runs.some((run) => run.id === id && run.verb === PROOF))) {
    return { refused: "A proof already compares its runs. Choose two of those runs instead." };
  }
  if (ids.some((id) => runs.some((run) => run.id === id && run.verb === PROCEDURE))) {
    return { refused: "Choose two runs of the procedure." };
  }
  const suites = ids.filter((id) => runs.some((run) => run.id === id && run.verb === SUITE)).length;
  if (ids.length === 1) return { refused: suites === 1 ? "Choose one more suite." : "Choose one more run." };
  if (ids.length > MOST) return { refused: `Choose ${MOST} at most.` };
  if (suites === 0) return { of: "runs" };
  if (suites < ids.length) {
    return { refused: "A suite compares only with other suites. For one workload, choose its run in each suite." };
  }
  return { of: "suites" };
}
