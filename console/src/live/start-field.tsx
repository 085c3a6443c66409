// A field of a start form, with its help beside it.

import { useId } from "preact/hooks";
import type { FormField } from "../data/live";

interface Props {
  field: FormField;
  value: string;
  set: (value: string) => void;
  /** The error is about it. */
  isFaulty: boolean;
  /** Directories below which a target may lie. */
  roots: readonly string[];
}

export function StartField({ field, value, set, isFaulty, roots }: Props) {
  const help = useId();
  const id = `field-${field.name}`;
  const common = { id, "aria-describedby": help, "aria-invalid": isFaulty ? ("true" as const) : undefined };
  const lists = useId();
  return (
    <div class={isFaulty ? "form-field faulty" : "form-field"}>
      <label for={id}>
        {field.name}
        {field.required && <span class="faint"> (needed)</span>}
      </label>
      <div class="form-input">
        {field.kind === "switch" && (
          <input
            {...common}
            type="checkbox"
            checked={value === "true"}
            onChange={(event) => set(event.currentTarget.checked ? "true" : "")}
          />
        )}
        {field.kind === "choice" && (
          <select {...common} value={value} onChange={(event) => set(event.currentTarget.value)}>
            {!field.choices.includes(field.default) && (
              <option value={field.default}>{field.default === "" ? "not set" : field.default}</option>
            )}
            {field.choices.map((choice) => (
              <option value={choice} selected={choice === value}>
                {choice}
              </option>
            ))}
          </select>
        )}
        {field.kind === "text" && (
          <input
            {...common}
            type="text"
            value={value}
            placeholder={field.value_name}
            list={roots.length > 0 ? lists : undefined}
            autocomplete="off"
            spellcheck={false}
            dir="auto"
            onInput={(event) => set(event.currentTarget.value)}
          />
        )}
        {roots.length > 0 && (
          <datalist id={lists}>
            {roots.map((root) => (
              <option value={root} />
            ))}
          </datalist>
        )}
      </div>
      <p class="form-help" id={help}>
        {field.help}
        {roots.length > 0 && `\nIt has to lie below ${roots.join(" or ")}.`}
      </p>
    </div>
  );
}
