// How to repeat a run: the form filled in with its plan and its storage. Pure.

import type { RunEntry } from "../data/live";
import { storageText } from "./about-fields";
import type { Route } from "./routes";
import { PROCEDURE, PROOF, SUITE } from "./suite-rows";

/** The key in a form's address for the run to compare with afterwards. No flag has this name. */
export const EARLIER = "compared-with";

/** The form that repeats the run and then compares; null for runs that can't be repeated from here. */
export function againOf(run: RunEntry): Extract<Route, { page: "start" }> | null {
  // No form accepts the plans of several hosts.
  if (run.state === "running" || run.target === "" || run.verb === PROOF || run.verb === PROCEDURE || run.hosts > 1) return null;
  // No plan file describes a suite or a quick check (which adapts to the storage), so their start settings are repeated.
  if (run.verb === SUITE) {
    const passes: Record<string, string> = run.passes === null ? {} : { batch: String(run.passes) };
    return { page: "start", verb: "run", set: { plan: "naspt", target: run.target, ...passes, ...saidOf(run), [EARLIER]: run.id } };
  }
  if (run.verb === "check") return { page: "start", verb: "check", set: { path: run.target, ...saidOf(run), [EARLIER]: run.id } };
  return { page: "start", verb: "run", set: { plan: run.id, target: run.target, [EARLIER]: run.id } };
}

/** The user's details of the storage, and the tags, as the form accepts them. */
function saidOf({ notes }: RunEntry): Record<string, string> {
  if (notes === null) return {};
  const { storage_make: make, storage_model: model, storage_firmware: firmware, storage_other: other, tags } = notes;
  const storage = storageText({ make, model, firmware, ...other });
  return { ...(storage === "" ? {} : { storage }), ...(tags.length === 0 ? {} : { tag: tags.join("\n") }) };
}
