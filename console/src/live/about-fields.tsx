// Labels that the user gives a run when starting it: a name, details of the storage, tags.

import { NAME, type FormValues } from "./form-request";
import { tagsFrom } from "./run-search";

interface Props {
  values: FormValues;
  set: (values: FormValues) => void;
}

/** Details that have separate fields here and share one flag of the command line. */
export const DETAILS = [
  { key: "make", title: "Make", example: "manufacturer" },
  { key: "model", title: "Model", example: "model and disks" },
  { key: "firmware", title: "Firmware", example: "version" },
] as const;

export const TAGS_TITLE = "Tags (comma-separated)";

export function AboutFields({ values, set }: Props) {
  const details = detailsOf(values["storage"] ?? "");
  const box = (id: string, title: string, value: string, example: string, put: (text: string) => void) => (
    <label for={id}>
      {title}
      <input
        id={id}
        type="text"
        value={value}
        placeholder={example}
        autocomplete="off"
        dir="auto"
        onInput={(event) => put(event.currentTarget.value)}
      />
    </label>
  );
  return (
    <fieldset class="about-fields">
      <legend>Labels</legend>
      {box("about-name", "Run name", values[NAME] ?? "", "before the update", (text) => set({ ...values, [NAME]: text }))}
      {DETAILS.map(({ key, title, example }) =>
        box(`about-${key}`, title, details[key] ?? "", example, (text) =>
          set({ ...values, storage: storageText({ ...details, [key]: text }) }),
        ),
      )}
      {box("about-tags", TAGS_TITLE, (values["tag"] ?? "").split("\n").join(","), "10GbE, before", (text) =>
        set({ ...values, tag: text.split(",").join("\n") }),
      )}
    </fieldset>
  );
}

/** One `make=Acme` per line, as the flag accepts them. */
export function storageText(details: Readonly<Record<string, string>>): string {
  const said = Object.entries(details).filter(([, value]) => value.trim() !== "");
  return said.map(([key, value]) => `${key}=${value}`).join("\n");
}

export function detailsOf(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.includes("="));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/** Removes repeated tags. */
export function tidyTags(text: string): string {
  return tagsFrom(text).join("\n");
}
