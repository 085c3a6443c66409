// What it takes to do a run again: the form with its plan and its storage. Pure.

import type { RunEntry } from "../data/live";
import type { Route } from "./routes";

/** Stands in the address of a form for the run that is compared afterwards; no flag is called so. */
export const EARLIER = "compared-with";

/** The form that does it again, and then compares; null for what can't be done again from here. */
export function againOf(run: RunEntry): Extract<Route, { page: "start" }> | null {
  if (run.state === "running" || run.target === "") return null;
  if (run.verb === "suite") return { page: "start", verb: "run", set: { plan: "naspt", target: run.target } };
  // A first look adapts itself to the storage: no plan holds it.
  if (run.verb === "check") return { page: "start", verb: "check", set: { path: run.target, [EARLIER]: run.id } };
  return { page: "start", verb: "run", set: { plan: run.id, target: run.target, [EARLIER]: run.id } };
}
