// Start a run: a form made of what the command line itself knows. Its errors are the command line's words.

import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../data/api";
import type { Form, FormField, Info } from "../data/live";
import { Missing } from "../parts/section";
import { Shell } from "../parts/shell";
import { ConsoleBar } from "./bar";
import { defaultsOf, fieldOfError, requestOf } from "./form-request";
import { hashOf } from "./routes";
import { StartField } from "./start-field";
import { useData } from "./use-data";

export function StartPage({ verb }: { verb: string }) {
  const forms = useData(api.forms, "forms");
  const info = useData(api.info, "info");
  const form = forms.data?.find((form) => form.verb === verb) ?? null;
  return (
      <Shell
        title={form === null ? "Start a run" : `Start: ${form.verb}`}
        kind="Console"
        sections={[]}
        back={<ConsoleBar here="start" />}
      >
        <h1>{form === null ? "Start a run" : `Start: ${form.verb}`}</h1>
        {forms.error !== null && <p class="bad" role="alert">{forms.error}</p>}
        {forms.data === null && forms.error === null && <Missing>Loading …</Missing>}
        {forms.data !== null && <Verbs forms={forms.data} verb={verb} />}
        {forms.data !== null && form === null && verb !== "" && <p class="bad">There is no form for '{verb}'.</p>}
        {form !== null && <StartForm form={form} info={info.data} />}
      </Shell>
  );
}

function Verbs({ forms, verb }: { forms: readonly Form[]; verb: string }) {
  return (
    <nav aria-label="What to run">
      <ul class={verb === "" ? "verbs" : "verbs names"}>
        {forms.map((form) => (
          <li>
            <a href={hashOf({ page: "start", verb: form.verb })} aria-current={form.verb === verb ? "page" : undefined}>
              <strong>{form.verb}</strong>
              {verb === "" && <span>{form.about}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function StartForm({ form, info }: { form: Form; info: Info | null }) {
  const [values, setValues] = useState(() => defaultsOf(form));
  const [error, setError] = useState<string | null>(null);
  const [waits, setWaits] = useState(false);
  const [more, setMore] = useState(false);
  const said = useRef<HTMLDivElement>(null);
  const faulty = error === null ? null : fieldOfError(form, error);
  useEffect(() => {
    if (error === null) return;
    if (faulty?.common === false) setMore(true);
    said.current?.focus();
  }, [error]);
  const start = async (event: Event) => {
    event.preventDefault();
    setWaits(true);
    setError(null);
    try {
      const answer = await api.start(requestOf(form, values));
      if (answer.id !== null) window.location.hash = hashOf({ page: "run", id: answer.id });
      else setError(answer.error ?? "The console gave no reason.");
    } catch (fault) {
      setError(fault instanceof Error ? fault.message : String(fault));
    }
    setWaits(false);
  };
  const field = (one: FormField) => (
    <StartField
      key={one.name}
      field={one}
      value={values[one.name] ?? ""}
      set={(value) => setValues({ ...values, [one.name]: value })}
      isFaulty={one === faulty}
      roots={one.name === "path" ? (info?.roots ?? []) : []}
    />
  );
  const rare = form.fields.filter((one) => !one.common);
  return (
    <form class="start card" noValidate onSubmit={(event) => void start(event)}>
      <p class="intro">{form.about}</p>
      {error !== null && (
        <div class="form-error" role="alert" tabIndex={-1} ref={said}>
          <p>
            <strong>Not started.</strong>
          </p>
          <pre>{error}</pre>
          {faulty !== null && <a href={`#field-${faulty.name}`} onClick={(event) => toField(event, faulty)}>Go to {faulty.name}</a>}
        </div>
      )}
      {form.fields.filter((one) => one.common).map(field)}
      {rare.length > 0 && (
        <details open={more} onToggle={(event) => setMore(event.currentTarget.open)}>
          <summary>More ({rare.length})</summary>
          {rare.map(field)}
        </details>
      )}
      <div class="form-buttons">
        <button type="submit" class="primary" disabled={waits}>
          {waits ? "Starting …" : `Start ${form.verb}`}
        </button>
      </div>
    </form>
  );
}

function toField(event: Event, field: FormField): void {
  event.preventDefault();
  document.getElementById(`field-${field.name}`)?.focus();
}
