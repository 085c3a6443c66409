// A form that starts a run: the fields, a forecast, the equivalent command line, and the start button. Errors are those
// of the command line, next to the field that caused them.

import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../data/api";
import type { AheadAnswer, Form, FormField, Info } from "../data/live";
import { Copy } from "../parts/copy";
import { EARLIER } from "./again";
import { AboutFields, tidyTags } from "./about-fields";
import { type FormValues, filledIn, requestOf, saidAt } from "./form-request";
import { hashOf } from "./routes";
import { aboutOf } from "./questions";
import { type Known, StartField } from "./start-field";

/** The forecast is requested after a pause in typing of this length. */
const TYPED_MS = 350;

/** Flags that have special fields. */
const ABOUT = new Set(["storage", "tag"]);

interface Props {
  form: Form;
  set: Readonly<Record<string, string>>;
  known: Known;
}

export function StartForm({ form, set, known }: Props) {
  const [values, setValues] = useState<FormValues>(() => withRoot(form, filledIn(form, set), known.info));
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<Refusal | null>(null);
  const [waits, setWaits] = useState(false);
  const box = useRef<HTMLFormElement>(null);
  const ahead = useAhead(form, values);
  const { why: error, field: told } = refused ?? { why: ahead?.error ?? null, field: ahead?.field ?? null };
  const faulty = error === null ? null : (form.fields.find((one) => one.name === told) ?? null);
  const isShown = faulty !== null && (refused !== null || touched.has(faulty.name));
  useEffect(() => {
    if (refused === null) return;
    const field = faulty === null ? null : document.getElementById(`field-${faulty.name}`);
    (field ?? box.current?.querySelector<HTMLElement>(".form-error"))?.focus();
  }, [refused]);
  const change = (next: FormValues) => {
    setRefused(null);
    setValues(next);
  };
  const start = async (event: Event) => {
    event.preventDefault();
    setWaits(true);
    setRefused(null);
    const why = await begin(form, values, set[EARLIER] ?? "");
    if (why !== null) setRefused(why);
    setWaits(false);
  };
  const field = (one: FormField) => (
    <StartField
      key={one.name}
      field={one}
      value={values[one.name] ?? ""}
      set={(value) => {
        setTouched(new Set([...touched, one.name]));
        change({ ...values, [one.name]: value });
      }}
      error={isShown && one === faulty ? error : null}
      known={known}
    />
  );
  const fields = form.fields.filter((one) => !ABOUT.has(one.name));
  const [common, rare] = [inOrder(fields.filter(isCommon)), fields.filter((one) => !isCommon(one))];
  return (
    <form class="start card" noValidate ref={box} onSubmit={(event) => void start(event)}>
      <p class="intro">{aboutOf(form, set)}</p>
      {common.map(field)}
      {rare.length > 0 && (
        <details open={isShown && faulty !== null && rare.includes(faulty) ? true : undefined}>
          <summary>More options ({rare.length})</summary>
          {rare.map(field)}
        </details>
      )}
      <AboutFields values={values} set={change} />
      <AheadBox ahead={ahead} error={isShown || error === null ? null : faulty === null ? error : `${faulty.title}: ${error}`} />
      {refused !== null && faulty === null && (
        <div class="form-error" role="alert" tabIndex={-1}>
          <p>
            <strong>Not started.</strong> {refused.why}
          </p>
        </div>
      )}
      <div class="form-buttons">
        <button type="submit" class="primary" disabled={waits}>
          {waits ? "Starting …" : "Start"}
        </button>
      </div>
    </form>
  );
}

function isCommon(field: FormField): boolean {
  return field.common;
}

/** Puts the storage first, whatever the order of the command line. */
function inOrder(fields: FormField[]): FormField[] {
  const isStorage = (field: FormField) => field.name === "path" || field.name === "target";
  return [...fields.filter(isStorage), ...fields.filter((field) => !isStorage(field))];
}

/** A list shows the first root as selected, so it counts as selected. */
function withRoot(form: Form, values: FormValues, info: Info | null): FormValues {
  const field = form.fields.find((one) => one.name === "path" || one.name === "target");
  const root = info?.roots[0];
  return field === undefined || root === undefined || values[field.name] !== "" ? values : { ...values, [field.name]: root };
}

/** The reason why the run was not started, and the field that caused it. */
interface Refusal {
  why: string;
  field: string | null;
}

/** Starts the run and opens its page; otherwise returns the reason. */
async function begin(form: Form, values: FormValues, against: string): Promise<Refusal | null> {
  try {
    const answer = await api.start(request(form, values));
    if (answer.id === null) return { why: saidAt(answer.error), field: answer.field };
    window.location.hash = hashOf({ page: "run", id: answer.id, against });
    return null;
  } catch (fault) {
    return { why: fault instanceof Error ? fault.message : String(fault), field: null };
  }
}

function request(form: Form, values: FormValues) {
  return requestOf(form, { ...values, tag: tidyTags(values["tag"] ?? "") });
}

function AheadBox({ ahead, error }: { ahead: AheadAnswer | null; error: string | null }) {
  return (
    <section class="ahead" aria-label="Before the start">
      <p role="status">
        {ahead === null && "Estimating …"}
        {ahead !== null && (ahead.takes ?? (error === null ? "" : `Not ready yet: ${error}`))}
      </p>
      {ahead !== null && ahead.plan !== null && <pre class="plan">{ahead.plan}</pre>}
      {ahead !== null && ahead.error === null && ahead.command !== "" && (
        <>
          <p class="faint">As a command:</p>
          <Copy text={ahead.command} label="the command" />
        </>
      )}
    </section>
  );
}

/** The forecast, requested again after every pause in typing; null until the first response. */
function useAhead(form: Form, values: FormValues): AheadAnswer | null {
  const [ahead, setAhead] = useState<AheadAnswer | null>(null);
  const asked = JSON.stringify(request(form, values));
  useEffect(() => {
    const stop = new AbortController();
    // The command line reports at the start what this request could not.
    const ask = () => api.ahead(request(form, values), stop.signal).then(setAhead, () => undefined);
    const timer = window.setTimeout(() => void ask(), TYPED_MS);
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [asked]);
  return ahead;
}
