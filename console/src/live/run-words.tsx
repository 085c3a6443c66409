// The state of a run as a word and a sign.

import type { RunEntry } from "../data/live";
import { STATES } from "./run-search";

type Stated = Pick<RunEntry, "state" | "verdict">;

export function StateWord({ run }: { run: Stated }) {
  const { sign, word, tone } = stateOf(run);
  return (
    <span class={`state ${tone}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

export function stateOf(run: Stated): { sign: string; word: string; tone: "good" | "unsure" | "bad" | "plain" } {
  if (run.state === "running") return { sign: "▶", word: STATES.running, tone: "plain" };
  if (run.state !== "complete") return { sign: "!", word: STATES[run.state] ?? run.state, tone: "bad" };
  switch (run.verdict) {
    case "met":
      return { sign: "✓", word: "criteria met", tone: "good" };
    case "not_met":
      return { sign: "✕", word: "criteria not met", tone: "bad" };
    case "inconclusive":
      return { sign: "?", word: "inconclusive", tone: "unsure" };
    case "not_known":
      return { sign: "!", word: "criteria unknown", tone: "bad" };
    default:
      return { sign: "•", word: "complete", tone: "plain" };
  }
}

/** `2026-11-22 00:24 UTC`, in the time zone of the run's page and name; empty if the start is unknown. */
export function startedAt(text: string): string {
  const at = new Date(text);
  if (text === "" || Number.isNaN(at.getTime())) return "";
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
