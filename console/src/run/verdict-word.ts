// Whether a load point met its criteria, in a word.

import type { Verdict as Judged } from "../data/summary";

type Criteria = "none" | "met" | "not_known" | "inconclusive" | "not_met";

/** Whether criteria were met, or why that is unknown. */
export function criteria(verdict: Judged | null | undefined, culprit?: string | null): Criteria {
  if (verdict == null) return "none";
  if (verdict.passed) return "met";
  if (verdict.failures.every((failure) => !failure.measured)) return "not_known";
  return OWN.includes(culprit ?? "") ? "inconclusive" : "not_met";
}

/** As the terminal's tables have it. */
const WORDS: Record<Criteria, string> = { none: "–", met: "met", not_known: "not known", inconclusive: "inconclusive", not_met: "NOT MET" };

export const criteriaWord = (verdict: Judged | null | undefined, culprit?: string | null) => WORDS[criteria(verdict, culprit)];

/** Culprits on the side that measures: nothing is known of the storage then. */
const OWN = ["tool", "this_machine", "max_rate"];
