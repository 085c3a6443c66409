// What the fields of a form are called: the questions that people have, instead of names of flags. Pure.

import type { FormField } from "../data/live";

const TITLES: Record<string, string> = {
  path: "Storage",
  target: "Storage",
  plan: "What runs",
  trace: "Trace",
  format: "Format",
  actor: "What each stream does",
  count: "How many streams",
  "find-max": "Search for the largest number",
  duration: "Measured time",
  warmup: "Warm-up",
  "time-max": "Search no longer than",
  "file-size": "Size of the test files",
  "mbit-per-s": "Mbit/s",
  "server-memory": "Memory of the server",
  fps: "Frames per second",
};

/** `How many streams`; of a flag without words of its own, its name as words. */
export function titleOf(field: FormField): string {
  const known = TITLES[field.name];
  if (known !== undefined) return known;
  const words = field.name.replace(/-/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is wrong with a field, for people: what has yet to be chosen needs no flag. */
export function faultOf(field: FormField, value: string, error: string): string {
  const isToChoose = ["format", "plan", "trace", "path", "target"].includes(field.name);
  return isToChoose && value.trim() === "" ? `${titleOf(field)}: choose one.` : error;
}

/** The verbs as questions. */
export const QUESTIONS: Record<string, { title: string; about: string }> = {
  check: {
    title: "Will it play?",
    about: "About a minute: how many streams of five common formats the storage carries, and what limits it.",
  },
  most: {
    title: "How many?",
    about: "The largest number of streams of one format that play without a late frame.",
  },
  everybody: {
    title: "What happens with everybody on it?",
    about: "Ingest, edit seats, playout and copies at the same time, as on a working day.",
  },
  again: {
    title: "Same as last month?",
    about: "An earlier run again, with its plan, and then both side by side.",
  },
};
