// What people say of a run at its start: its name, what the storage is, and words to find it by.

import { NAME, type FormValues } from "./form-request";
import { tagsFrom } from "./run-search";

interface Props {
  values: FormValues;
  set: (values: FormValues) => void;
}

/** Fields that have their own boxes here, under one flag of the command line. */
const DETAILS = [
  { key: "make", title: "Make", example: "who built it" },
  { key: "model", title: "Model", example: "which one, with its disks" },
  { key: "firmware", title: "Firmware", example: "version" },
] as const;

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
      {box("about-name", "Name of the run", values[NAME] ?? "", "before the update", (text) => set({ ...values, [NAME]: text }))}
      {DETAILS.map(({ key, title, example }) =>
        box(`about-${key}`, title, details[key] ?? "", example, (text) =>
          set({ ...values, storage: storageText({ ...details, [key]: text }) }),
        ),
      )}
      {box("about-tags", "Tags, with commas between them", (values["tag"] ?? "").split("\n").join(","), "10GbE, before", (text) =>
        set({ ...values, tag: text.split(",").join("\n") }),
      )}
    </fieldset>
  );
}

/** `make=Acme` a line, as the flag takes them. */
export function storageText(details: Readonly<Record<string, string>>): string {
  const said = Object.entries(details).filter(([, value]) => value.trim() !== "");
  return said.map(([key, value]) => `${key}=${value}`).join("\n");
}

export function detailsOf(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.includes("="));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/** Each tag once. */
export function tidyTags(text: string): string {
  return tagsFrom(text).join("\n");
}
