// What a user filled into a start form, as a request. Pure.

import type { Form, FormField, StartRequest } from "../data/live";

/** By name of the field: its text; "true" or "" for a switch. */
export type FormValues = Readonly<Record<string, string>>;

/** The form as it is before anybody touched it. */
export function defaultsOf(form: Form): FormValues {
  return Object.fromEntries(form.fields.map((field) => [field.name, defaultOf(field)]));
}

function defaultOf(field: FormField): string {
  if (field.kind === "switch") return field.default === "true" ? "true" : "";
  return field.default;
}

/** Only what is not as it was. Blanks around a value are not meant, except where there is nothing else. */
export function requestOf(form: Form, values: FormValues): StartRequest {
  const changed: Record<string, string> = {};
  for (const field of form.fields) {
    const value = (values[field.name] ?? "").trim();
    if (value === defaultOf(field)) continue;
    if (field.kind !== "switch") changed[field.name] = value;
    else if (value === "true") changed[field.name] = "true";
  }
  return { verb: form.verb, values: changed, name: (values[NAME] ?? "").trim() };
}

/** What the run will be called: no flag of the command line, but kept with the run. */
export const NAME = "run name";

/** The form with what an address fills in. */
export function filledIn(form: Form, set: Readonly<Record<string, string>>): FormValues {
  const known = form.fields.filter((field) => set[field.name] !== undefined);
  return { ...defaultsOf(form), ...Object.fromEntries(known.map((field) => [field.name, set[field.name] ?? ""])) };
}

/** An error without the program's name and the usage, which only a terminal needs. */
export function saidAt(error: string | null): string {
  if (error === null) return "The console gave no reason.";
  const text = error.split(/\n\s*(?:Usage:|For more information)/)[0] ?? "";
  return text.replace(/^(?:reelgauge|error): /, "").trim();
}
