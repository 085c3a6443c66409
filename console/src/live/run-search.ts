// Which runs a list shows: by words over every field, by state and by tag. Pure.

import type { RunEntry } from "../data/live";

export interface RunFilter {
  /** Words; every one must be found somewhere. */
  words: string;
  /** Empty: every state. */
  state: string;
  /** Empty: every tag. */
  tag: string;
}

export const EVERY_RUN: RunFilter = { words: "", state: "", tag: "" };

/** States as shown. */
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

/** Everything that a list shows of a run, and its notes. */
function textOf(run: RunEntry): string {
  const { notes } = run;
  const own = [run.id, run.verb, run.label, run.target, run.started_at, STATES[run.state], run.sentence];
  const verdict = (run.verdict ?? "").replace("_", " ");
  const kept = notes === null ? [] : [notes.name, notes.note, notes.storage_make, notes.storage_model, notes.storage_firmware, ...notes.tags];
  const other = notes === null ? [] : Object.entries(notes.storage_other).flat();
  return [...own, verdict, ...kept, ...other].join("\n");
}

/** Upper and lower case, and accents, are the same. */
function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{Diacritic}/gu, "").toLowerCase();
}

/** Every tag that some run has, in order. */
export function tagsOf(runs: readonly RunEntry[]): string[] {
  return [...new Set(runs.flatMap((run) => run.notes?.tags ?? []))].sort((one, two) => one.localeCompare(two));
}

/** Tags as typed: with commas between them, each once. */
export function tagsFrom(text: string): string[] {
  const tags = text.split(/[,\n]/).map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}
