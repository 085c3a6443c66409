// Filters a list of runs: by words in any field, by state and by tag. Pure.

import type { RunEntry } from "../data/live";

export interface RunFilter {
  /** Every word must occur in some field. */
  words: string;
  /** Empty for every state. */
  state: string;
  /** Empty for every tag. */
  tag: string;
}

export const EVERY_RUN: RunFilter = { words: "", state: "", tag: "" };

/** The displayed names of the states. */
export const STATES: Record<RunEntry["state"], string> = {
  running: "running",
  complete: "complete",
  interrupted: "interrupted",
  broke_off: "broke off",
  killed: "killed",
  damaged: "damaged",
  other_version: "written by another version",
};

export function runsShown(runs: readonly RunEntry[], filter: RunFilter): RunEntry[] {
  const words = folded(filter.words).split(/\s+/).filter((word) => word !== "");
  return runs.filter(
    (run) =>
      (filter.state === "" || run.state === filter.state) &&
      (filter.tag === "" || (run.notes?.tags ?? []).includes(filter.tag)) &&
      (words.length === 0 || matches(run, words)),
  );
}

function matches(run: RunEntry, words: readonly string[]): boolean {
  const text = folded(textOf(run));
  return words.every((word) => text.includes(word));
}

/** All texts that a list shows of a run, and its notes. */
function textOf(run: RunEntry): string {
  const { notes } = run;
  const own = [run.id, run.verb, run.label, run.target, run.started_at, STATES[run.state], run.sentence];
  const verdict = (run.verdict ?? "").replace("_", " ");
  const kept = notes === null ? [] : [notes.name, notes.note, notes.storage_make, notes.storage_model, notes.storage_firmware, ...notes.tags];
  const other = notes === null ? [] : Object.entries(notes.storage_other).flat();
  return [...own, verdict, ...kept, ...other].join("\n");
}

/** Ignores case and accents. */
function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{Diacritic}/gu, "").toLowerCase();
}

/** All tags of all runs, sorted. */
export function tagsOf(runs: readonly RunEntry[]): string[] {
  return [...new Set(runs.flatMap((run) => run.notes?.tags ?? []))].sort((one, two) => one.localeCompare(two));
}

/** Tags from a text with commas between them, each once. */
export function tagsFrom(text: string): string[] {
  const tags = text.split(/[,\n]/).map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}
