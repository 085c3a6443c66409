// Converts the values of a start form to a request. Pure.

import type { Form, FormField, StartRequest } from "../data/live";

/** Text by the field's name; "true" or "" for a switch. */
export type FormValues = Readonly<Record<string, string>>;

/** The form's initial values. */
export function defaultsOf(form: Form): FormValues {
  return Object.fromEntries(form.fields.map((field) => [field.name, defaultOf(field)]));
}

function defaultOf(field: FormField): string {
  if (field.kind === "switch") return field.default === "true" ? "true" : "";
  return field.default;
}

/** The request, with only the values that differ from the defaults. Blanks around a value are removed. */
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

/** The field for the name of the run. It is not a flag of the command line, but is stored with the run. */
export const NAME = "run name";

/** The form with the values from an address filled in. */
export function filledIn(form: Form, set: Readonly<Record<string, string>>): FormValues {
  const known = form.fields.filter((field) => set[field.name] !== undefined);
  return { ...defaultsOf(form), ...Object.fromEntries(known.map((field) => [field.name, set[field.name] ?? ""])) };
}

/** The error without the program's name and the usage, which are for a terminal. */
export function saidAt(error: string | null): string {
  if (error === null) return "The console gave no reason.";
  const text = error.split(/\n\s*(?:Usage:|For more information)/)[0] ?? "";
  return text.replace(/^(?:reelgauge|error): /, "").trim();
}
