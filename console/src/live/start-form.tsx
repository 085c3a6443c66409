// A form that starts a run: what to choose, what it would take, the same as a command line, and the start. Errors are
// the command line's own words, at the field that they are about.

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

/** A pause in typing that is taken for its end. */
const TYPED_MS = 350;

/** Flags with boxes of their own. */
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

/** The storage first, whatever the command line has first. */
function inOrder(fields: FormField[]): FormField[] {
  const isStorage = (field: FormField) => field.name === "path" || field.name === "target";
  return [...fields.filter(isStorage), ...fields.filter((field) => !isStorage(field))];
}

/** What a list shows as chosen is chosen: the first root. */
function withRoot(form: Form, values: FormValues, info: Info | null): FormValues {
  const field = form.fields.find((one) => one.name === "path" || one.name === "target");
  const root = info?.roots[0];
  return field === undefined || root === undefined || values[field.name] !== "" ? values : { ...values, [field.name]: root };
}

/** Why it was not started, and the field that this is about. */
interface Refusal {
  why: string;
  field: string | null;
}

/** Starts it and goes to its page; else why not. */
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

/** What it would take, asked again after every pause in typing; null until the first answer. */
function useAhead(form: Form, values: FormValues): AheadAnswer | null {
  const [ahead, setAhead] = useState<AheadAnswer | null>(null);
  const asked = JSON.stringify(request(form, values));
  useEffect(() => {
    const stop = new AbortController();
    // The command line says at the start what this could not say before.
    const ask = () => api.ahead(request(form, values), stop.signal).then(setAhead, () => undefined);
    const timer = window.setTimeout(() => void ask(), TYPED_MS);
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [asked]);
  return ahead;
}
