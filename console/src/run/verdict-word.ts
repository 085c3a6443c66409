// The verdict of a run in one or two words, for its head. The sentences say the rest.

import type { Summary, Verdict as Judged } from "../data/summary";
import { counted, count } from "../figures/units";
import type { Verdict } from "../parts/shell";

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

export function verdictOf(summary: Summary): Verdict {
  if (summary.outcome === "interrupted") return { word: "interrupted", tone: "bad" };
  if (summary.outcome === "broke_off") return { word: "broke off", tone: "bad" };
  if (summary.outcome === "running") return { word: "goes on", tone: "plain" };
  if (summary.watch != null) return { word: "watched", tone: "plain" };
  if (summary.msmeter != null) return { word: "original meter", tone: "plain" };
  if (summary.statement?.judgement === "inconclusive") return { word: "inconclusive", tone: "unsure" };
  if (summary.search != null) return ofSearch(summary.search.streams, summary.search);
  if (summary.vda != null) return ofValid(summary.vda.points.map((point) => point.valid));
  if (summary.replay != null) return ofReplay(summary);
  if (summary.check != null) return { word: "first look", tone: "plain" };
  return ofCriteria(summary);
}

function ofSearch(streams: number | null, facts: { limited_by_client: boolean; complete: boolean }): Verdict {
  if (streams === null || streams === 0) return { word: "no count is sure", tone: "bad" };
  const least = facts.limited_by_client || !facts.complete ? "at least " : "";
  return { word: least + counted(streams, "stream"), tone: "good" };
}

function ofValid(valid: boolean[]): Verdict {
  if (valid.length > 0 && valid.every((one) => one)) return { word: "valid", tone: "good" };
  const good = valid.findIndex((one) => !one);
  if (good === 0 && valid.includes(true)) return { word: "valid in part", tone: "bad" };
  return { word: good > 0 ? `valid up to point ${count(good)}` : "not valid", tone: "bad" };
}

function ofReplay(summary: Summary): Verdict {
  const passes = summary.replay?.passes ?? [];
  if (passes.length === 0) return { word: "nothing replayed", tone: "bad" };
  const different = passes.reduce((sum, pass) => sum + pass.different_ops, 0);
  if (different > 0) return { word: `${count(different)} different`, tone: "bad" };
  return { word: "as recorded", tone: "good" };
}

function ofCriteria(summary: Summary): Verdict {
  const found = criteria(summary.verdict);
  if (found === "met") return { word: "criteria met", tone: "good" };
  if (found !== "none") return { word: WORDS[found], tone: "bad" };
  if (summary.verify != null && summary.verify.different_bytes > 0)
    return { word: "DATA DIFFER", tone: "bad" };
  const failed = summary.load_points.reduce((sum, point) => sum + point.total.failed_ops, 0);
  if (failed > 0) return { word: counted(failed, "operation") + " failed", tone: "bad" };
  if (!summary.load_points.some((point) => point.total.ops > 0))
    return { word: "nothing measured", tone: "bad" };
  return { word: "measured", tone: "plain" };
}
