// A field of a start form: its question, its input, its help, and its error.

import { useId } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { ChoiceEntry, Choices, FormField, Info, TraceEntry } from "../data/live";
import { ChoiceField } from "./choice-field";
import { FormatField } from "./format-field";
import { TargetField } from "./target-field";

/** The data that the console has loaded, for fields that offer a choice. */
export interface Known {
  info: Info | null;
  choices: Choices | null;
  traces: readonly TraceEntry[] | null;
}

interface Props {
  field: FormField;
  value: string;
  set: (value: string) => void;
  /** The error as a sentence. */
  error: string | null;
  known: Known;
}

export function StartField({ field, value, set, error, known }: Props) {
  const help = useId();
  const id = `field-${field.name}`;
  return (
    <div class={error === null ? "form-field" : "form-field faulty"}>
      <label for={id}>
        {field.title}
        {field.required && <span class="faint"> (required)</span>}
      </label>
      <div class="form-input">
        <Input {...{ id, field, value, set, known }} describedBy={help} isFaulty={error !== null} />
        {error !== null && (
          <p class="bad field-error" role="alert">
            {error}
          </p>
        )}
      </div>
      <p class="form-help" id={help}>
        {field.help}
      </p>
    </div>
  );
}

interface InputProps extends Omit<Props, "error"> {
  id: string;
  describedBy: string;
  isFaulty: boolean;
}

function Input(props: InputProps): ComponentChildren {
  const { id, field, value, set, known, describedBy, isFaulty } = props;
  const { name } = field;
  const roots = known.info?.roots ?? [];
  if (name === "path" || name === "target") {
    return <TargetField {...{ id, value, set, describedBy, isFaulty }} roots={roots} />;
  }
  if (name === "format") return <FormatField {...{ id, value, set, describedBy, isFaulty }} />;
  const choices = choicesOf(name, value, known);
  if (choices !== null) return <ChoiceField {...{ id, value, set, describedBy, choices }} title={field.title} />;
  return <PlainInput {...props} />;
}

/** The choices for a field; null if any text is allowed. */
function choicesOf(name: string, value: string, { choices, traces }: Known): readonly ChoiceEntry[] | null {
  if (name === "actor") return choices?.actors ?? null;
  if (name === "trace") return traces;
  if (name === "name") return choices?.procedures ?? null;
  if (name !== "plan" || choices === null) return null;
  const ships = [...choices.scenarios, ...choices.suites];
  if (value === "" || ships.some((entry) => entry.name === value)) return ships;
  return [{ name: value, about: "the plan of this earlier run, unchanged" }, ...ships];
}

function PlainInput({ id, field, value, set, describedBy, isFaulty }: InputProps) {
  const common = { id, "aria-describedby": describedBy, "aria-invalid": isFaulty ? ("true" as const) : undefined };
  if (field.kind === "switch") {
    const change = (event: { currentTarget: HTMLInputElement }) => set(event.currentTarget.checked ? "true" : "");
    return <input {...common} type="checkbox" checked={value === "true"} onChange={change} />;
  }
  if (field.kind === "choice") {
    return (
      <select {...common} value={value} onChange={(event) => set(event.currentTarget.value)}>
        {!field.choices.includes(field.default) && (
          <option value={field.default}>{field.default || field.unset || "not set"}</option>
        )}
        {field.choices.map((choice) => (
          <option value={choice} selected={choice === value}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  // Several values, one per line.
  if (field.value_name === "KEY=VALUE") {
    return <textarea {...common} rows={3} value={value} spellcheck={false} dir="auto" onInput={(event) => set(event.currentTarget.value)} />;
  }
  return (
    <input
      {...common}
      type="text"
      value={value}
      placeholder={field.default || field.unset}
      autocomplete="off"
      spellcheck={false}
      dir="auto"
      onInput={(event) => set(event.currentTarget.value)}
    />
  );
}
