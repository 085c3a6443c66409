// How a difference is told: a word and a sign for each judgement, and which rows matter.

import type { ComparisonRow } from "../data/page";
import { fixed } from "../figures/units";

export type Judgement = ComparisonRow["judgement"][number];

interface Told {
  word: string;
  sign: string;
  tone: "good" | "bad" | "plain";
}

const TOLD: Record<Judgement, Told> = {
  base: { word: "", sign: "", tone: "plain" },
  same: { word: "within the noise", sign: "=", tone: "plain" },
  better: { word: "better", sign: "✓", tone: "good" },
  worse: { word: "worse", sign: "✕", tone: "bad" },
  different: { word: "different", sign: "≠", tone: "plain" },
  unknown: { word: "can't be told", sign: "?", tone: "plain" },
  demand: { word: "as asked for", sign: "", tone: "plain" },
  other_plan: { word: "other work", sign: "", tone: "plain" },
};

export function told(judgement: Judgement | undefined): Told {
  return TOLD[judgement ?? "unknown"];
}

/** `+3.2 %`; an en dash where there is none. */
export function change(percent: number | null | undefined): string {
  if (percent === null || percent === undefined) return "–";
  const text = fixed(percent, Math.abs(percent) >= 100 ? 0 : 1);
  return `${percent > 0 ? "+" : ""}${text} %`;
}

/** From this noise on a change in percent says nothing; the values themselves do. */
const NOISE_SHOWN_PERCENT = 100;

/** `± 2.1 %`. */
export function noise(percent: number | null | undefined): string {
  if (percent === null || percent === undefined) return "not known";
  return percent < NOISE_SHOWN_PERCENT ? `± ${fixed(percent, 1)} %` : "over 100 %";
}

/** The change of a run, where its noise leaves it a meaning. */
export function changeOf(row: ComparisonRow, at: number): string {
  const isLost = (row.noise_percent[at] ?? 0) >= NOISE_SHOWN_PERCENT;
  return change(isLost ? null : row.change_percent[at]);
}

/** Somebody has to look at it: it became better, worse or otherwise different. */
export function matters(row: ComparisonRow): boolean {
  return row.judgement.some((one) => one === "better" || one === "worse" || one === "different");
}

/** Whether it says if streams were carried: criteria, capacity, late frames, margins. */
function isOfStreams({ figure }: ComparisonRow): boolean {
  return ["verdict.", "search.", "check.formats.", "streams."].some((start) => figure.startsWith(start));
}

/** Whether a run is judged on it, as the terminal does: that no operation failed shows no performance. */
export function isJudged(row: ComparisonRow, at: number): boolean {
  const saysSomething = row.values.some((value) => value !== null && value !== 0) || isOfStreams(row);
  const judgement = row.judgement[at] ?? "unknown";
  return saysSomething && !["base", "unknown", "demand", "other_plan"].includes(judgement);
}

/** Worse first, then better, then what is different; streams before the rest, larger changes first. */
export function byWeight(one: ComparisonRow, two: ComparisonRow): number {
  const rank = (row: ComparisonRow) => {
    const at = (["worse", "better", "different", "same"] as Judgement[]).findIndex((j) => row.judgement.includes(j));
    return at < 0 ? 9 : at;
  };
  const most = (row: ComparisonRow) => Math.max(0, ...row.change_percent.map((percent) => Math.abs(percent ?? 0)));
  const streams = Number(isOfStreams(two)) - Number(isOfStreams(one));
  // Streams are in their order: criteria, late frames, margins.
  return rank(one) - rank(two) || streams || (isOfStreams(one) ? 0 : most(two) - most(one));
}
