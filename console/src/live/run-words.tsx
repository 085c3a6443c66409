// How a run is doing, in a word and a sign.

import type { RunEntry } from "../data/live";
import { STATES } from "./run-search";

export function StateWord({ run }: { run: Pick<RunEntry, "state" | "passed"> }) {
  const { sign, word, tone } = stateOf(run);
  return (
    <span class={`state ${tone}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

export function stateOf(run: Pick<RunEntry, "state" | "passed">): { sign: string; word: string; tone: "good" | "bad" | "plain" } {
  if (run.state === "running") return { sign: "▶", word: STATES.running, tone: "plain" };
  if (run.state !== "complete") return { sign: "!", word: STATES[run.state] ?? run.state, tone: "bad" };
  if (run.passed === null) return { sign: "•", word: "complete", tone: "plain" };
  return run.passed ? { sign: "✓", word: "criteria met", tone: "good" } : { sign: "✕", word: "criteria not met", tone: "bad" };
}

/** `2026-11-22 00:24 UTC`, the zone of the run's own page and of its name; empty where nothing says when. */
export function startedAt(text: string): string {
  const at = new Date(text);
  if (text === "" || Number.isNaN(at.getTime())) return "";
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
